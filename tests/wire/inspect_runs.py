"""Runs envfarm's tasks in Inspect, over epochs and under one limit after the other: `python inspect_runs.py LOGS TASK…`; prints what came of it."""

import json
import sys

from inspect_ai import Epochs
from inspect_ai import eval as evaluate
from inspect_ai.log import bundle_log_dir

LIMITS = (("scripted", {"message_limit": 4}), ("scripted", {"token_limit": 150}), ("silent", {"time_limit": 5}))


def ran(tasks, logs, model="scripted", **more):
    given = {"task_args": {"tasks": " ".join(tasks)}, "model": f"openai-api/scripted/{model}", "log_dir": logs, "display": "none"}
    (log,) = evaluate("envfarm/envfarm_tasks", **given, **more)
    return log


def score(sample):
    return sample.scores["final_state"].value, sample.scores["final_state"].metadata["verdict"]


def main(logs, *tasks):
    whole = ran(tasks, logs, epochs=Epochs(2, ["pass_at_2", "pass_k_2", "mean"]), message_limit=80)
    cut = [ran(tasks[:1], logs, model, **limits) for model, limits in LIMITS]
    bundle_log_dir(logs, output_dir=f"{logs}-shown")
    told = {
        "status": [whole.status, *(log.status for log in cut)],
        "scores": [score(one) for one in whole.samples],
        "means": {one.reducer: one.metrics["mean"].value for one in whole.results.scores},
        "limits": [(log.samples[0].limit.type, *score(log.samples[0])) for log in cut],
    }
    print(json.dumps(told))


main(*sys.argv[1:])
