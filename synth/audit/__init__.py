"""The audit of task packs: what a pack claims, tried out through real tools and the real scorer."""

from synth.audit.audit import Audited, audit_pack
from synth.audit.report import summary

__all__ = ["Audited", "audit_pack", "summary"]
