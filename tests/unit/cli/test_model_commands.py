"""Commands that ask a language model, as a person meets them: a cassette or a scripted endpoint answers, no model is asked."""

import json

import pytest

from registry.home import Home
from server.cli.model_access import Access
from synth import disk
from synth.model.exchange import Message, Reply, Request
from synth.model.ledger import entries
from synth.model.meter import Price
from synth.package import package_files
from synth.seed.read import read_seed
from tests.data.cassettes.write import FOLDER, GARDEN, KEYWORD
from tests.endpoint import Said, scripted
from tests.typed import typed

SEED = FOLDER / "allotment_gardens.yaml"
TASKS = FOLDER / "garden_tasks.jsonl"


def envfarm(home, *words):
    return typed(home, *map(str, words))


def lines(home):
    return [(one["work"], one["stage"], one["outcome"]) for one in entries(home / "ledger.jsonl")]


@pytest.mark.every_domain
@pytest.mark.parametrize(("cassette", "more"), [("repaired", ()), ("tried", ("--trial", 2))])
def test_the_command_of_the_page_makes_a_keyword_an_environment_with_tasks_and_no_network(tmp_path, cassette, more):
    done = envfarm(tmp_path, "author", KEYWORD, "--tools", 6, "--tasks", 4, *more, "--cassette", FOLDER / f"{cassette}.jsonl", "--json")
    answer = json.loads(done.stdout)

    assert (done.returncode, answer["status"], answer["tasks"]) == (0, "registered", 4)
    assert answer["rate"] == (1.0 if more else None)
    assert answer["near"]["id"]
    assert {outcome for _, _, outcome in lines(tmp_path)} == {"registered"}


@pytest.mark.every_domain
def test_a_set_of_tasks_becomes_an_environment_in_which_most_of_them_can_be_expressed(tmp_path):
    done = envfarm(tmp_path, "mine", TASKS, "--cassette", FOLDER / "mined.jsonl", "--tools", 6, "--json")
    answer = json.loads(done.stdout)
    (domain,) = answer["domains"]

    assert (done.returncode, domain["status"], domain["environment"]) == (0, "registered", "allotment_gardens")
    assert domain["name"] == GARDEN.name == "community garden"
    assert domain["expressible"] >= 0.7
    assert len(domain["expressible_tasks"]) + len(domain["inexpressible_tasks"]) == len(domain["tasks"])
    assert all(one["why"] for one in domain["inexpressible_tasks"])
    assert len(answer["stateless"]) == 2
    assert (tmp_path / "environments" / "allotment_gardens" / "env.toml").is_file()
    assert lines(tmp_path) == [("mine", "plan", "registered"), ("mine", "seed", "registered")]
    assert "mine  plan" in envfarm(tmp_path, "ledger").stdout


def test_without_a_model_every_task_is_listed_with_the_tool_that_does_it_or_the_reason_why_none_does(tmp_path):
    done = envfarm(tmp_path, "mine", TASKS)

    assert done.returncode == 0
    for task in GARDEN.tasks:
        assert any(line.lstrip().startswith(f"{task.line}  community garden") and task.text[:60] in line for line in done.stdout.splitlines())
    assert "% of the tasks that live in records can be expressed. 2 tasks need no records" in done.stdout
    assert not (tmp_path / "ledger.jsonl").exists()


def test_what_an_endpoint_that_fails_has_cost_is_in_the_ledger_of_every_command(tmp_path):
    disk.write_folder(package_files(read_seed(SEED)), tmp_path / "environments" / "allotment_gardens")
    with scripted([Said({"error": {"message": "no credit"}})]) as endpoint:
        told = ("--model", "small", "--url", endpoint.url)
        done = [
            envfarm(tmp_path, "author", "the berths of a harbour", *told),
            envfarm(tmp_path, "mine", TASKS, *told),
            envfarm(tmp_path, "trial", "allotment_gardens", *told),
        ]

    assert [one.returncode for one in done] == [1, 1, 1]
    assert [one.stderr.count("model at http://") for one in done] == [1, 1, 1]
    assert lines(tmp_path) == [("author", "plan", "no_model"), ("mine", "plan", "no_model"), ("trial", "tester", "no_model")]
    assert [one.name for one in (tmp_path / "environments").iterdir() if one.is_dir()] == ["allotment_gardens"]


@pytest.mark.every_domain
def test_what_enrich_keeps_is_in_a_file_of_its_own_and_its_cost_in_the_ledger(tmp_path):
    before = SEED.read_text()
    place = next(number for number, line in enumerate(before.splitlines(), 1) if '@asked("let {plot}' in line)
    edit = f"""@@ {place}-{place} phrase: on the phone
  @asked("let {{plot}} to {{gardener}}", "{{gardener}} gets {{plot}}", "give {{plot}} to {{gardener}}", "{{gardener}} would like {{plot}}")
@@ 900+ values: nowhere
      name = 1
"""
    with scripted([edit, Said(status=401)]) as endpoint:
        told = ("--model", "small", "--url", endpoint.url, "--out", tmp_path / "new" / "richer.yaml", "--json")
        done = envfarm(tmp_path, "enrich", SEED, "--rounds", 2, *told)

    assert (done.returncode, json.loads(done.stdout)["kept"]) == (0, 1)
    assert "{gardener} would like {plot}" in (tmp_path / "new" / "richer.yaml").read_text()
    assert SEED.read_text() == before
    assert "status 401" in done.stderr
    assert lines(tmp_path) == [("enrich", "enrich", "kept")]


class Parrot:
    def ask(self, request):
        return Reply(text="yes", tokens_in=100, tokens_out=50)


def asked_and_ended(access, error):
    with access.work("enrich", "boats") as asked:
        asked.meter.ask("enrich", Request(model="small", system="", messages=(Message(role="user", text="?"),), most_tokens=50))
        raise error


@pytest.mark.parametrize(("error", "outcome"), [(KeyboardInterrupt, "interrupted"), (OSError, "failed")])
def test_what_was_asked_before_an_interruption_or_an_error_is_in_the_ledger(tmp_path, error, outcome):
    access = Access(home=Home(root=tmp_path), model="small", inner=Parrot(), price=Price(tokens_in=10), budget=1_000)
    with pytest.raises(error):
        asked_and_ended(access, error)
    (line,) = entries(tmp_path / "ledger.jsonl")

    assert (line["work"], line["about"], line["outcome"], line["tokens_in"], line["cost"]) == ("enrich", "boats", outcome, 100, 0.001)


def test_what_a_domain_will_cost_is_told_before_anything_is_asked(tmp_path):
    found = json.loads(envfarm(tmp_path, "author", KEYWORD, "--estimate", "--json").stdout)

    assert found["whole"] == sum(one["tokens"] for one in found["parts"]) < found["budget"] == 30_000
    assert envfarm(tmp_path, "author", KEYWORD, "--estimate", "--budget", 1_000).returncode == 1
    assert not list(tmp_path.iterdir())
