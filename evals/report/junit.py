"""JUnit XML: one suite for each environment, one case for each task and epoch.

Source: https://github.com/jenkinsci/xunit-plugin/blob/master/src/main/resources/org/jenkinsci/plugins/xunit/types/model/xsd/junit-10.xsd
"""

import re
from xml.etree import ElementTree as Xml

from evals.metrics.records import Attempt
from evals.report.contents import Contents

NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold, escaped or not."""
LONGEST = 4000


def junit(found: Contents) -> bytes:
    """The document, UTF-8. A failed run is a failure named by its label, an INVALID one an error, a masked one skipped."""
    suites: dict[str, list[Attempt]] = {}
    for one in found.counted.last:
        suites.setdefault(one.environment, []).append(one)
    root = Xml.Element("testsuites", {"name": _text(found.evaluation.manifest.agent), **_counts(found.counted.last, skipped=False)})
    for environment in sorted(suites):
        ones = suites[environment]
        suite = Xml.SubElement(root, "testsuite", {"name": _text(environment), **_counts(ones, skipped=True)})
        for one in ones:
            _case(suite, one, found)
    Xml.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{Xml.tostring(root, encoding="unicode")}\n'.encode()


def _counts(ones: tuple[Attempt, ...] | list[Attempt], *, skipped: bool) -> dict[str, str]:
    verdicts = [one.verdict for one in ones]
    counts = {"tests": len(verdicts), "failures": verdicts.count("FAIL"), "errors": verdicts.count("INVALID")}
    return {name: str(number) for name, number in ({**counts, "skipped": verdicts.count("MASKED")} if skipped else counts).items()}


def _case(suite: Xml.Element, one: Attempt, found: Contents) -> None:
    epochs = found.evaluation.manifest.epochs
    name = f"{one.task} (epoch {one.epoch})" if epochs > 1 else one.task
    case = Xml.SubElement(suite, "testcase", {"name": _text(name), "classname": _text(f"{one.environment}.{one.kind or 'task'}")})
    labelled = found.labels.get(one.run)
    if one.verdict == "FAIL":
        kind = labelled.main if labelled else "untold"
        failure = Xml.SubElement(case, "failure", {"type": kind, "message": _text(one.remark or kind)})
        failure.text = _text(
            f"run {one.run}, partial {one.partial:.2f}, {one.calls} calls, labels: {', '.join((kind, *(labelled.others if labelled else ())))}"
        )
    elif one.verdict == "INVALID":
        error = Xml.SubElement(case, "error", {"type": "INVALID", "message": _text(one.remark or "INVALID")})
        error.text = _text(f"run {one.run}: the environment failed, not the agent; counts 0")
    elif one.verdict == "MASKED":
        Xml.SubElement(case, "skipped", {"message": _text(f"masked: {one.masked or 'unknown'}")})


def _text(given: str) -> str:
    """The text as XML can hold it."""
    return NOT_XML.sub("\ufffd", given)[:LONGEST]
