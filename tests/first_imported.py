"""Imports each word of stdin, a module or several joined by "+", in a child that has imported third-party libraries alone; prints those that fail."""

import importlib
import os
import sys

THIRD = (
    *("apsw", "fastapi", "httpx", "httptools", "jinja2", "jsonschema_rs", "mcp.types", "networkx", "orjson", "prometheus_client"),
    *("pydantic_settings", "yaml", "rapidfuzz", "rich.progress", "sqlmodel", "typer", "uvicorn", "uvloop"),
)
OURS = ("seeds", "synth", "registry", "server", "evals", "envfarm")


def fails(words: str) -> str:
    """What a child says that imports modules in this order (joined by "+") and ends; empty when it can."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        said = ""
        try:
            for one in words.split("+"):
                importlib.import_module(one)
        except Exception as error:  # noqa: BLE001 (told)
            said = f"{words}: {type(error).__name__}: {error}\n"
        os.write(writing, said.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as told:
        said = told.read().decode()
    os.waitpid(child, 0)
    return said


if __name__ == "__main__":
    for library in THIRD:
        importlib.import_module(library)
    assert not {name.partition(".")[0] for name in sys.modules} & set(OURS)
    sys.stdout.write("".join(fails(words) for words in sys.stdin.read().split()))
