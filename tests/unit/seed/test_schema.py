"""seeds/seed.schema.json: made from the models, and right about the seeds."""

import json
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from synth.seed.schema import schema_text

PAGE = Path("seeds/seed.schema.json")
SEEDS = [*sorted(Path("seeds").glob("*.yaml")), Path("tests/data/whole_language.yaml"), Path("tests/data/small_seed.yaml")]


def validator():

    return Draft202012Validator(json.loads(schema_text()))


def test_the_schema_that_ships_is_the_one_of_the_models():
    assert PAGE.read_text(encoding="utf-8") == schema_text(), "write it anew: python -m synth.seed.schema > seeds/seed.schema.json"


@pytest.mark.parametrize("path", SEEDS, ids=lambda one: one.stem)
def test_a_seed_fits_the_schema_as_an_editor_reads_it(path):
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert [error.message for error in validator().iter_errors(content)] == []


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        (("entities", "Pet", "filds"), {}),
        (("entities", "Pet", "fields", "name"), {"type": "text", "uniq": True}),
        (("entities", "Pet", "fields", "name"), 7),
        (("derive", "serch"), {}),
        (("enums", "Plan"), "none"),
        (("title",), {}),
    ],
)
def test_the_schema_refuses_what_the_reader_refuses(path, wrong):
    content = yaml.safe_load(Path("seeds/vet_clinic.yaml").read_text(encoding="utf-8"))
    inner = content
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = wrong
    assert list(validator().iter_errors(content))
