"""Which protocol era a message belongs to."""

from collections.abc import Mapping
from typing import Any

MODERN = "2026-07-28"
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"


def is_modern(method: str, params: Mapping[str, Any] | None) -> bool:
    """Whether a request carries its protocol version with it, as all do since 2026-07-28."""
    meta = params.get("_meta") if params else None
    return method != "initialize" and isinstance(meta, Mapping) and VERSION_KEY in meta
