"""What a client shows to its model."""

from registry.instructions import LIMIT, summarize
from registry.package.meta import ToolMeta

POLICY = """# Policy

### book

The tool checks:

- `BUSY`: One at a time.

For you to keep:

- `TOO_MANY`: At most two. Cite them.

### move

- `BUSY`: x.
"""
TOOLS = [
    ToolMeta(name=name, kind="declared", read_only=False, parameters=(), requires=("BUSY",), policies=codes)
    for name, codes in (("book", ("TOO_MANY",)), ("move", ()))
]


def test_rules_that_no_tool_checks_stand_before_the_policy():
    text = summarize("Clinic", POLICY, TOOLS)
    assert text.startswith("Clinic. Read the policy before you act.\n")
    assert text.index("outcome `declined`") < text.index("- book: `TOO_MANY`: At most two. Cite them.") < text.index("# Policy")
    assert text.count("TOO_MANY") == 1
    assert "For you to keep" not in text
    assert text.count("BUSY") == POLICY.count("BUSY")


def test_a_long_policy_is_cut_at_a_line_and_points_at_the_resource():
    text = summarize("Clinic", POLICY + "- a line of words\n" * LIMIT, [])
    assert "No tool checks" not in text
    assert text.endswith("- a line of words\n… The whole policy is in the resource env://policy.\n")
    assert len(text) < LIMIT + 1000
