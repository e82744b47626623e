"""The scorer: pure functions from gold and net changes to a verdict; imports `registry.package` alone."""

from server.sidecar.score.report import Check, Collateral, ScoreReport, Submission, Verdict
from server.sidecar.score.scoring import score
from server.sidecar.score.text import same_text

__all__ = ["Check", "Collateral", "ScoreReport", "Submission", "Verdict", "same_text", "score"]
