"""What happened while a domain was written, step by step, and the folder in which it is kept."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from synth import disk
from synth.author.complaint import Complaint
from synth.author.texts import prompts_sha256
from synth.version import GENERATOR

MOST_LETTERS = 60_000
"""Of an answer that is kept."""


@dataclass(slots=True, kw_only=True)
class Journal:
    """One piece of work of a model.

    Attributes:
        about: The keyword.
        plan: As JSON; empty before there is one.
        seed: The newest seed; empty before there is one.
    """

    about: str
    model: str
    plan: str = ""
    seed: str = ""
    steps: list[dict[str, Any]] = field(default_factory=list)

    def said(self, stage: str, answer: str) -> None:
        """Notes what the model said."""
        self.steps.append({"stage": stage, "said": answer[:MOST_LETTERS]})

    def refused(self, stage: str, complaints: tuple[Complaint, ...] | tuple[str, ...]) -> None:
        """Notes why it was not taken."""
        sentences = [one if isinstance(one, str) else one.sentence for one in complaints]
        self.steps.append({"stage": stage, "refused": sentences})

    def files(self, outcome: str, *, tokens: int, attempts: int, more: Mapping[str, Any]) -> dict[str, bytes]:
        """All of it, to be kept in a folder.

        Args:
            more: For the manifest.
        """
        manifest = {
            "about": self.about,
            "attempts": attempts,
            "generator": GENERATOR,
            "model": self.model,
            "outcome": outcome,
            "prompts_sha256": prompts_sha256(),
            "tokens": tokens,
            **more,
        }
        log = "".join(json.dumps(one, ensure_ascii=True, sort_keys=True) + "\n" for one in self.steps)
        found = {"author.json": json.dumps(manifest, ensure_ascii=False, indent=2, sort_keys=True) + "\n", "log.jsonl": log}
        if self.plan:
            found["plan.json"] = self.plan + "\n"
        if self.seed:
            found["seed.yaml"] = self.seed
        return {name: text.encode("utf-8", "replace") for name, text in found.items()}

    def keep(self, folder: Path, files: dict[str, bytes], reasons: tuple[str, ...] = ()) -> None:
        """Puts files into the place of a folder, with the reasons where something was refused."""
        told = {disk.REASON: ("\n".join(reasons) + "\n").encode("utf-8", "replace")} if reasons else {}
        disk.write_folder({**files, **told}, folder)
