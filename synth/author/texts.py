"""The prompts: files with a version each, that are part of this package."""

import hashlib
import re
from functools import cache
from importlib.resources import files as resources
from pathlib import Path

from synth import disk

_VERSION = re.compile(r"^<!-- version: (\d+) -->\n")


@cache
def prompt(name: str) -> str:
    """The text of a prompt without the line of its version.

    Args:
        name: Of the file, `plan.md`.
    """
    content = disk.read_file(Path(str(resources("synth.author"))) / "prompts" / name)
    if content is None:
        raise FileNotFoundError(f"prompts/{name}: expected a file of this package, got none. Install envfarm again.")
    return _VERSION.sub("", content.decode())


def filled(name: str, **values: str) -> str:
    """A prompt with values in the place of its `{slots}`; braces in values stay as they are."""
    return re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], found[0]), prompt(name))


def teaching() -> str:
    """What a model is told before it writes a seed: the language, and one whole example."""
    return f"{prompt('language.md')}\nEXAMPLE\n```yaml\n{prompt('example.yaml')}```\n"


def prompts_sha256() -> str:
    """One hash over all prompts, for the manifests of what came of them."""
    folder = Path(str(resources("synth.author"))) / "prompts"
    whole = hashlib.sha256()
    for name, content in sorted(disk.read_folder(folder).items()):
        whole.update(name.encode() + b"\0" + content + b"\0")
    return whole.hexdigest()
