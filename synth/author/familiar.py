"""Domains that public tests of agents use: whoever is tested may have seen them."""

import re

FAMILIAR: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "retail": (
        frozenset({"retail", "ecommerce", "webshop"}),
        frozenset({"order", "product", "customer", "cart", "shipment", "refund", "exchange", "checkout", "sku", "shop", "store", "delivery"}),
    ),
    "airline": (
        frozenset({"airline", "airlines", "flight", "flights"}),
        frozenset({"passenger", "baggage", "reservation", "airport", "cabin", "boarding", "itinerary", "aircraft", "ticket"}),
    ),
    "telecom": (
        frozenset({"telecom", "telco", "broadband"}),
        frozenset({"subscriber", "roaming", "sim", "esim", "data", "mobile", "phone", "line", "plan", "bill", "outage", "router"}),
    ),
}
"""By name: words that name such a domain, and words that tell one when several stand together."""
TOGETHER = 4


def familiar(text: str) -> str:
    """The public domain that a text is about; empty for none.

    Args:
        text: A keyword, or the title, entities and tools of a plan.
    """
    words = set(_words(text))
    for name, (naming, telling) in FAMILIAR.items():
        if words & naming or len(words & telling) >= TOGETHER or ("online" in words and "shop" in words and name == "retail"):
            return name
    return ""


def _words(text: str) -> list[str]:
    apart = re.sub(r"([a-z])([A-Z])", r"\1 \2", text).replace("e-commerce", "ecommerce").lower()
    found = re.findall(r"[a-z]+", apart)
    return found + [one[:-1] for one in found if one.endswith("s") and len(one) > 3]
