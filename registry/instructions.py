"""The short text that a client shows to its model: how to work in an environment."""

LIMIT = 6_000
"""Characters of policy that are repeated; beyond it the text points at the resource."""

HOW_TO_END = (
    "When the work is done, call submit_answer with outcome `done`; when you were asked a question, with outcome `answered` and the answer. "
    "If the policy does not allow what was asked, change nothing and call submit_answer with outcome `declined`, "
    "the code of the broken rule as reason_code, and as evidence the ids of the rows that show it."
)


def summarize(title: str, policy: str) -> str:
    """Title, how to end and decline, then the policy (cut at a line end when it is long).

    Args:
        title: Of the environment.
        policy: Text of policy.md.
    """
    text = policy.strip()
    if len(text) > LIMIT:
        text = f"{text[:LIMIT].rsplit(chr(10), 1)[0]}\n… The whole policy is the resource env://policy."
    return f"{title}. Read the policy before you act.\n{HOW_TO_END}\n\n{text}\n"
