"""What fields and entities are called in a request: the seed's glossary, else their names as words."""

from synth.lang.domain import Domain, Entity, Field
from synth.tasks.english import words_of


def noun(domain: Domain, entity: Entity) -> str:
    """What one row is called in general: `purchase order`; the glossary's word for the entity's name comes first."""
    return _glossary(domain, entity.name) or words_of(entity.name)


def nouns(domain: Domain, entity: Entity) -> str:
    """The plural."""
    told = _glossary(domain, entity.plural)
    return told or words_of(entity.plural)


def field_words(domain: Domain, entity: str, field: Field) -> str:
    """What a field is called: `weight in kilograms`; the glossary's word for `Entity.field` comes first."""
    return _glossary(domain, f"{entity}.{field.name}") or words_of(field.name)


def _glossary(domain: Domain, name: str) -> str:
    return next((words[0] for key, words in domain.glossary if key == name and words), "")
