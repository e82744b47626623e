"""Reports on an evaluation: JSON, JUnit XML, and what the page lets through."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from evals.metrics.folder import read_evaluation
from evals.report.contents import contents
from evals.report.junit import junit
from evals.report.page import embedded, page
from tests.evaluation_folder import write_evaluation
from tests.typed import typed

HOSTILE = "</script><script>alert(1)</script><!-- <img src=x onerror=alert(1)> \u2028 & \x00"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_evaluation(tmp_path_factory.mktemp("evaluations") / "e", tasks=24, seed=4)


@pytest.fixture(scope="module")
def found(folder):
    return contents(read_evaluation(folder))


def test_the_headline_says_what_must_be_read_with_the_mean(found):
    assert found.json["headline"] == ["unsandboxed", "2 INVALID runs count 0", "2 masked runs left out"]


def test_runs_that_failed_have_one_main_label_each_and_others_none(found):
    failed = [run for run in found.json["runs"] if run["verdict"] == "FAIL"]

    assert len(failed) == found.json["counts"]["failed"] == sum(one["main"] for one in found.json["failures"])
    assert {bool(run["label"]) for run in found.json["runs"] if run["verdict"] != "FAIL"} == {False}


def test_baselines_stand_beside_the_agent(tmp_path):
    folder = write_evaluation(tmp_path / "e", tasks=8, seed=4)
    write_evaluation(folder / "baselines" / "random", tasks=8, seed=5, skill=0)
    found = contents(read_evaluation(folder))

    assert [(one["tasks"], one["reward"]) for one in found.json["baselines"]] == [(7, 0.0)]
    assert "Baselines on the same tasks" in page(found).decode()


def test_an_unfinished_evaluation_says_so(folder, tmp_path):
    half = tmp_path / "half"
    (half / "runs").mkdir(parents=True)
    (half / "manifest.json").write_bytes((folder / "manifest.json").read_bytes())
    (half / "attempts.jsonl").write_bytes(b"".join((folder / "attempts.jsonl").read_bytes().splitlines(keepends=True)[:3]))

    assert "unfinished: 21 runs missing" in contents(read_evaluation(half)).json["headline"]


# The parts of the usual schema (junit-10.xsd) that we write: attributes (those with ! are required), children in order.
SCHEMA = {
    "testsuites": ({"name", "tests", "failures", "errors"}, set(), ["testsuite"]),
    "testsuite": ({"name", "tests", "failures", "errors", "skipped"}, {"name", "tests", "failures", "errors"}, ["testcase"]),
    "testcase": ({"name", "classname"}, {"name"}, ["skipped", "error", "failure"]),
    "failure": ({"type", "message"}, set(), []),
    "error": ({"type", "message"}, set(), []),
    "skipped": ({"type", "message"}, set(), []),
}


def violations(node):
    allowed, required, children = SCHEMA[node.tag]
    found = [f"{node.tag}: {name}" for name in set(node.keys()) - allowed] + [f"{node.tag} lacks {name}" for name in required - set(node.keys())]
    found += [f"{child.tag} in {node.tag}" for child in node if child.tag not in children]
    found += [f"{node.tag}: {name} is no number" for name in ("tests", "failures", "errors", "skipped") if not node.get(name, "0").isdigit()]
    return found + [one for child in node if child.tag in SCHEMA for one in violations(child)]


def test_junit_has_a_suite_an_environment_and_is_of_the_schema(found):
    root = Xml.fromstring(junit(found))

    assert violations(root) == []
    assert [suite.get("name") for suite in root] == sorted({run["environment"] for run in found.json["runs"]})
    assert int(root.get("tests")) == len(root.findall(".//testcase")) == 24
    assert int(root.get("failures")) == len(root.findall(".//failure")) == found.json["counts"]["failed"]
    assert int(root.get("errors")) == len(root.findall(".//error")) == 2
    assert len(root.findall(".//skipped")) == 2


def test_junit_is_xml_whatever_an_agent_says(folder, tmp_path):
    other = tmp_path / "e"
    (other / "runs").mkdir(parents=True)
    (other / "manifest.json").write_bytes((folder / "manifest.json").read_bytes())
    lines = [json.loads(line) for line in (folder / "attempts.jsonl").read_text().splitlines()]
    lines = [{**line, "verdict": "FAIL", "remark": HOSTILE + "\x1b\ud800"} for line in lines]
    (other / "attempts.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))

    message = Xml.fromstring(junit(contents(read_evaluation(other)))).find(".//failure").get("message")
    assert message.startswith("</script><script>alert(1)")
    assert message.endswith("& \ufffd\ufffd\ufffd")


def test_the_page_needs_nothing_and_is_the_same_each_time(found):
    text = page(found).decode()

    assert page(found).decode() == text
    assert re.findall(r"""<(?:link|img|iframe|object)|(?:src|srcset)\s*=|@import|url\(""", text) == []
    assert "unsandboxed" in text.split("<main>")[0]
    assert "default-src &#39;none&#39;" in text


def test_a_hostile_text_never_ends_its_element(tmp_path):
    evaluation = read_evaluation(write_evaluation(tmp_path / "e", tasks=4, headline=(HOSTILE,), final=HOSTILE))
    text = page(contents(evaluation)).decode()

    assert "<script>alert" not in text
    assert "<img" not in text
    assert "<!--" not in text
    assert len(re.findall("<script", text)) == len(re.findall("</script>", text)) == 2 + 4
    blocks = re.findall(r'<script type="application/json" data-run="[^"]*">(.*?)</script>', text, re.DOTALL)
    assert {json.loads(block)["final"] for block in blocks} == {HOSTILE}


def test_embedded_json_says_the_same_as_before():
    value = {"a": [HOSTILE, 1.5, None, True]}

    assert json.loads(embedded(value)) == value
    assert not set(embedded(value)) & set("<>&\u2028")


def test_the_command_writes_all_reports_and_tells_the_figures(folder, tmp_path):
    done = typed(tmp_path, "report", str(folder), "--out", str(tmp_path / "out"))

    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["junit.xml", "report.html", "report.json"]
    assert "mean reward" in done.stdout
    assert "INVALID" in done.stdout
    assert json.loads((tmp_path / "out/report.json").read_text())["counts"]["masked"] == 2


def test_the_command_writes_one_format_into_a_file(folder, tmp_path):
    done = typed(tmp_path, "report", str(folder), "--format", "junit", "--out", str(tmp_path / "x.xml"), "--json")

    assert json.loads(done.stdout)["written"] == [str(tmp_path / "x.xml")]
    assert typed(tmp_path, "report", str(folder), "--format", "pdf").returncode == 2
    missing = typed(tmp_path, "report", str(tmp_path / "none"))
    assert (missing.returncode, "expected an evaluation" in missing.stderr) == (1, True)


def test_two_evaluations_are_compared_for_people_and_programs(folder, tmp_path):
    other = write_evaluation(tmp_path / "b", tasks=24, seed=9, skill=0.95, noise="chaos", headline=())

    told = typed(tmp_path, "compare", str(folder), str(other))
    assert told.returncode == 0, told.stderr
    assert "McNemar, exact: p = " in told.stdout
    assert "note: noise differs" in told.stdout
    assert "note: what agents could reach differs: unsandboxed and nothing remarked" in told.stdout
    assert "UNSANDBOXED  " in told.stdout.splitlines()[0]
    answer = json.loads(typed(tmp_path, "compare", str(folder), str(other), "--json").stdout)
    assert answer["headlines"]["a"][0] == "unsandboxed"
    assert answer["overall"]["difference"] == pytest.approx(answer["overall"]["b"] - answer["overall"]["a"])
    assert {one["task"] for one in answer["flips"]} <= {run["task"] for run in contents(read_evaluation(folder)).json["runs"]}


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
def test_the_page_shows_stored_values_as_tools_show_them():
    script = (Path(page.__code__.co_filename).parent / "page.js").read_text(encoding="utf-8")
    functions = re.findall(r"^  const (?:shown|asTools) = .*?;\n(?=\n|  (?:const|//|function))", script, re.MULTILINE | re.DOTALL)
    columns = {"Pet": {"weight": {"kind": "decimal", "places": 1}, "fee": {"kind": "money", "places": 2}, "tame": {"kind": "bool", "places": 0}}}
    asked = [("Pet", "weight", 59), ("Pet", "fee", -5), ("Pet", "tame", 1), ("Pet", "fee", None), ("Pet", "age", 3), ("Owner", "fee", 3)]
    told = f"console.log(JSON.stringify({json.dumps(asked)}.map(([table, column, value]) => asTools({json.dumps(columns)}, table, column, value))))"

    done = subprocess.run(["node", "-e", "".join(functions) + told], capture_output=True, text=True, check=True)

    assert json.loads(done.stdout) == ["5.9", "-0.05", "true", "none", "3", "3"]
