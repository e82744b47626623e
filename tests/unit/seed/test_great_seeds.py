"""A seed with many entities is read in time that grows with its size."""

from synth.seed.read import check_seed
from tests.calls import calls


def great(count):
    """A seed of so many entities, each with ten fields, a function, and one tool in all."""
    lines = ["id: great", "title: Great", "entities:"]
    functions, data = [], []
    for number in range(count):
        lines += [f"  E{number}:", f'    id: "E{number}X-{{n:04}}"', '    called: "{f0}"', "    fields:"]
        lines += [f"      f{field}: {{type: text, about: A field.}}" for field in range(8)]
        lines += ['      amount: {type: money, start: "0", low: "0"}', '      twice: {type: money, always: "amount * 2"}']
        if number:
            lines.append(f"      before: {{ref: E{number - 1}, many: after}}")
        functions += [f"  def total{number}(one: E{number}):", f"      return one.amount + sum(e.amount for e in E{number})", ""]
        data += [
            f"  def E{number}():",
            *(f"      f{field} = person_name()" for field in range(8)),
            f"      before = pick(E{number - 1})" if number else "",
            "",
        ]
    lines += ["derive:", "  get: [E0]", "functions: |", *functions, "data: |", *data]
    return ("\n".join(lines) + "\n").encode()


def work(count):
    """Calls that it takes to read a seed of that many entities."""

    def read():
        domain, problems = check_seed(content, "great.yaml")
        assert domain is not None, [str(one) for one in problems][:3]
        assert len(domain.entities) == count

    content = great(count)
    return calls(read)


def test_ten_times_the_entities_are_read_with_nowhere_near_a_hundred_times_the_work():
    few, many = work(20), work(200)
    assert many < 20 * few
