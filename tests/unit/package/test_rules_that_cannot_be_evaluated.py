import pytest

from registry.package.errors import StepLimit
from registry.package.trial import Report


def too_many_rows(report: Report) -> None:
    with report:
        raise StepLimit("more than 200000 units of work in one call")


def test_effects_without_end_are_passed_over_where_a_rule_keeps_them_within_bounds() -> None:
    report = Report()
    report.add("PARTS", "There are two to six parts.")
    too_many_rows(report)
    assert [one.code for one in report.broken] == ["PARTS"]


def test_effects_without_end_that_no_rule_forbids_are_a_defect() -> None:
    report = Report()
    report.add("TOO_SMALL", "Small bills are not split.", enforced=False)
    with pytest.raises(StepLimit):
        too_many_rows(report)
