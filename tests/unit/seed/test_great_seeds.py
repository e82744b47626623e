"""A seed with many entities is read in time that grows with its size."""

import time

from synth.seed.read import check_seed


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


def cpu(count):
    content = great(count)
    start = time.process_time()
    domain, problems = check_seed(content, "great.yaml")
    took = time.process_time() - start
    assert domain is not None, [str(one) for one in problems][:3]
    assert len(domain.entities) == count
    return took


def test_two_hundred_entities_are_read_in_bounded_time():
    cpu(10)
    assert cpu(200) < 8
    assert cpu(200) < 60 * cpu(20)
