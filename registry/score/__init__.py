"""The scorer: pure functions from gold and net changes to a verdict; imports `registry.package` alone."""

from registry.score.report import Check, Collateral, ScoreReport, Submission, Verdict
from registry.score.scoring import Scorer, score
from registry.score.text import same_text

__all__ = ["Check", "Collateral", "ScoreReport", "Scorer", "Submission", "Verdict", "same_text", "score"]
