"""How many attacks the tests of this folder make, by what they aim at: `python -m tests.security.count`."""

from tests.security import test_addresses, test_browsers, test_contents, test_http, test_keys, test_logs, test_model_output


def attacks() -> dict[str, int]:
    """Attacks by area; each is a request, a line or a message of its own that must bring nothing home."""
    addresses, browsers, contents, http, keys, logs = test_addresses, test_browsers, test_contents, test_http, test_keys, test_logs
    targets = [*addresses.ELSEWHERE, *addresses.CLIMBS, *addresses.UNICODE, *addresses.FORMS]
    return {
        "addresses": 2 * len(targets) + len(addresses.METHODS) + len(addresses.QUERIES) + 3,
        "keys and sessions": len(keys.GUESSES) + 2 * len(keys.near("k" * 43)) + 100 + 200 + 150 + 4 + 9 + 9 + 5 + 8,
        "what is said in the protocol": len(contents.PATHS)
        + len(contents.CODES)
        + 4 * len(contents.SHAPES)
        + 2 * len(contents.NAMES)
        + len(contents.URIS)
        + 3 * len(contents.PROMPTS)
        + len(contents.METHODS)
        + 3,
        "HTTP": len(http.SMUGGLED) + len(http.LINES) + 3 + 1 + len(http.bombs()) + 2 * 10 + len(http.NUMBERS) + len(http.REPEATED) + 200,
        "web pages": 2 * len(browsers.HOSTS) + 5 * len(browsers.ORIGINS) + 6 + 3,
        "logs and terminals": 4 * len(logs.WORDS),
        "what models write": len(test_model_output.SEEDS) + len(test_model_output.PLANS) + len(test_model_output.ANSWERS),
    }


if __name__ == "__main__":
    for area, number in attacks().items():
        print(f"| {area} | {number} |")
    print(f"| together | {sum(attacks().values())} |")
