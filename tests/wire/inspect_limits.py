"""Runs a task of envfarm's in Inspect under one limit after the other: `python inspect_limits.py TASK LOGS`; prints how each sample ended."""

import json
import sys

from inspect_ai import eval as evaluate

LIMITS = ({"message_limit": 4}, {"token_limit": 150}, {"time_limit": 5})


def ended(task, logs, model, limits):
    (log,) = evaluate("envfarm/envfarm_tasks", task_args={"tasks": task}, model=model, log_dir=logs, display="none", **limits)
    (sample,) = log.samples
    score = sample.scores["final_state"]
    return {"status": log.status, "limit": sample.limit.type, "value": score.value, "verdict": score.metadata["verdict"]}


def main(task, logs):
    models = ("scripted", "scripted", "silent")
    print(json.dumps([ended(task, logs, f"openai-api/scripted/{name}", limits) for name, limits in zip(models, LIMITS, strict=True)]))


main(*sys.argv[1:])
