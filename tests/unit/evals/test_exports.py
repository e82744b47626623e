"""Exports: every format as its readers take it, with what happened and what it earned."""

import json

import pyarrow.parquet
import pytest

from evals.metrics.counting import count
from evals.metrics.folder import read_evaluation
from registry.catalogue import Catalogue
from tests.evaluation_folder import write_evaluation
from tests.typed import typed
from tests.unit.sidecar.small_pack import write_home


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_evaluation(tmp_path_factory.mktemp("evaluations") / "e", tasks=24, seed=4)


@pytest.fixture(scope="module")
def kept(folder):
    """Attempts that count and have a log, by run."""
    evaluation = read_evaluation(folder)
    last = count(evaluation.attempts, evaluation.manifest.tasks, 1).last
    return {one.run: one for one in last if evaluation.run(one.run) is not None}


def exported(folder, tmp_path, form, *more):
    done = typed(tmp_path, "export", str(folder), "--format", form, "--out", str(tmp_path / "out"), "--json", *more)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["written"]


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def test_openai_messages_answer_every_tool_call_and_end_with_the_agent(folder, kept, tmp_path):
    (path,) = exported(folder, tmp_path, "openai")
    found = lines(path)

    assert {one["metadata"]["run"]: one["metadata"]["reward"] for one in found} == {run: one.reward for run, one in kept.items()}
    for one in found:
        messages = one["messages"]
        asked = [call["id"] for message in messages for call in message.get("tool_calls", ())]
        assert messages[0]["role"] == "user"
        assert [message["tool_call_id"] for message in messages if message["role"] == "tool"] == asked
        assert len(asked) == len(set(asked)) == kept[one["metadata"]["run"]].calls
        assert all(isinstance(json.loads(call["function"]["arguments"]), dict) for message in messages for call in message.get("tool_calls", ()))


def test_messages_that_an_agent_kept_are_given_as_they_are(tmp_path):
    folder = write_evaluation(tmp_path / "e", tasks=1, skill=1)
    (path,) = (folder / "runs").iterdir()
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]
    path.write_text(json.dumps({**json.loads(path.read_text()), "messages": messages}))

    (out,) = exported(folder, tmp_path, "openai")
    assert lines(out)[0]["messages"] == messages


def test_where_the_environment_is_built_here_its_instructions_and_tools_come_first(tmp_path):
    home = write_home(tmp_path / "home")
    environment = Catalogue(home / "environments").load("small")
    folder = write_evaluation(tmp_path / "e", tasks=2, skill=1)
    for file in (folder / "manifest.json", folder / "attempts.jsonl", *(folder / "runs").iterdir()):
        file.write_text(file.read_text().replace("tool_library", "small"))
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**manifest, "environments": {"small": environment.digest}}))

    (openai,) = exported(folder, home, "openai")
    (sharegpt,) = exported(folder, home, "sharegpt")
    told = {one["metadata"]["environment"]: one for one in lines(openai)}
    talk = {one["metadata"]["environment"]: one for one in lines(sharegpt)}

    assert environment.policy.strip() in environment.instructions
    assert told["small"]["messages"][0] == {"role": "system", "content": environment.instructions}
    assert [message["role"] for message in told["small"]["messages"][1:3]] == ["user", "assistant"]
    assert talk["small"]["system"] == environment.instructions
    assert {one["function"]["name"] for one in told["small"]["tools"]} == {one["name"] for one in json.loads(talk["small"]["tools"])}
    assert {one["system"] for name, one in talk.items() if name != "small"} == {""}


def test_only_runs_that_passed_are_exported_when_asked(folder, kept, tmp_path):
    (path,) = exported(folder, tmp_path, "openai", "--passed")

    assert [one["metadata"]["run"] for one in lines(path)] == [run for run, one in kept.items() if one.verdict == "PASS"]


def test_sharegpt_turns_alternate_as_its_readers_demand(folder, kept, tmp_path):
    (path,) = exported(folder, tmp_path, "sharegpt")
    found = lines(path)

    assert len(found) == len(kept)
    for one in found:
        roles = [turn["from"] for turn in one["conversations"]]
        assert all(role in (("human", "observation") if place % 2 == 0 else ("gpt", "function_call")) for place, role in enumerate(roles))
        assert all(isinstance(turn["value"], str) for turn in one["conversations"])
        assert isinstance(json.loads(one["tools"]), list)


# What the format allows, by object: required names, optional names.
ATIF = {
    "root": ({"schema_version", "session_id", "agent", "steps"}, {"notes", "final_metrics", "extra"}),
    "agent": ({"name", "version"}, {"model_name", "extra"}),
    "step": ({"step_id", "source", "message"}, {"timestamp", "extra", "observation"}),
    "agent step": (
        {"step_id", "source", "message"},
        {"timestamp", "extra", "observation", "model_name", "reasoning_content", "tool_calls", "metrics"},
    ),
    "call": ({"tool_call_id", "function_name", "arguments"}, set()),
    "result": (set(), {"source_call_id", "content", "subagent_trajectory_ref"}),
    "metrics": (set(), {"total_prompt_tokens", "total_completion_tokens", "total_cached_tokens", "total_cost_usd", "total_steps", "extra"}),
}


def fits(value, what):
    required, optional = ATIF[what]
    return isinstance(value, dict) and required <= value.keys() <= required | optional


def test_atif_documents_are_of_the_format(folder, kept, tmp_path):
    paths = exported(folder, tmp_path, "atif")

    assert len(paths) == len(kept)
    for path in paths:
        (found,) = lines(path)
        assert fits(found, "root")
        assert fits(found["agent"], "agent")
        assert fits(found["final_metrics"], "metrics")
        assert found["schema_version"] == "ATIF-v1.4"
        assert [step["step_id"] for step in found["steps"]] == list(range(1, len(found["steps"]) + 1))
        assert found["extra"]["reward"] == kept[found["session_id"]].reward
        for step in found["steps"]:
            assert step["source"] in ("user", "agent")
            assert fits(step, "agent step" if step["source"] == "agent" else "step")
            calls, results = step.get("tool_calls", []), step.get("observation", {"results": []})["results"]
            assert all(fits(call, "call") and isinstance(call["arguments"], dict) for call in calls)
            assert all(fits(result, "result") and isinstance(result["content"], str) for result in results)
            assert [result["source_call_id"] for result in results] == [call["tool_call_id"] for call in calls]


def test_parquet_has_a_row_for_each_run_and_each_call(folder, kept, tmp_path):
    runs, calls = (pyarrow.parquet.read_table(path).to_pylist() for path in exported(folder, tmp_path, "parquet"))

    assert {one["run"]: one["reward"] for one in runs} == {run: one.reward for run, one in kept.items()}
    assert len(calls) == sum(one.calls for one in kept.values())
    assert {one["label"] == "" for one in runs if one["verdict"] == "FAIL"} == {False}
    assert all(len(json.loads(one["changes"])) == one["changed_rows"] for one in calls)
    assert any(one["changed_rows"] for one in calls)


def test_texts_that_no_encoding_holds_are_exported_all_the_same(tmp_path):
    folder = write_evaluation(tmp_path / "e", tasks=2, final="broken \ud800 text")

    for form in ("openai", "sharegpt", "atif", "parquet"):
        assert exported(folder, tmp_path, form)


def test_a_format_that_is_none_is_wrong_usage(folder, tmp_path):
    done = typed(tmp_path, "export", str(folder), "--format", "csv")

    assert (done.returncode, "is not one of 'openai', 'sharegpt', 'atif', 'parquet'" in done.stderr) == (2, True)
