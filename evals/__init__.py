"""Evaluation of agents: what plays, how many runs are kept in order, what they come to. Speaks to farm and sidecar over HTTP alone."""
