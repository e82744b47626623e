"""How a person refers to one row, so that exactly that row is meant."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from synth.lang.domain import Domain, Entity
from synth.lang.nodes import Attr, Const, Format, Local, Node
from synth.tasks.chance import Chance
from synth.tasks.rows.view import Leaf, Path, View
from synth.tasks.wording.english import STIFF, be, is_plural, quoted, say, words_of
from synth.tasks.wording.nouns import field_words, is_person, joint, measure_words, noun, unit_after
from synth.tasks.wording.phrase import Mention, Part, Phrase, as_phrase, fact

MOST_EXTRA = 3
CREATURES = ("species", "breed")
"""Fields whose value may stand for the noun."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """A row, the words for it, and the facts that those words state.

    Attributes:
        phrase: Its parts are tagged `{prefix}.{path joined by dots}`, one tag per leaf.
        leaves: What a reader must find; together they hold for this row alone.
        extra: Whether facts beyond the entity's `called` were needed (the phrase then ends in a clause).
    """

    entity: str
    key: str
    prefix: str
    phrase: Phrase
    leaves: tuple[Leaf, ...]
    extra: bool = False

    def tag(self, leaf: Leaf) -> str:
        """The tag of a leaf's words in the phrase."""
        return f"{self.prefix}.{leaf.name}"


def node_path(node: Node) -> Path | None:
    """The fields that an attribute chain over the described row names, or None for anything else."""
    if isinstance(node, Local):
        return ()
    if isinstance(node, Attr) and node.access in ("field", "id"):
        base = node_path(node.base)
        return None if base is None else (*base, node.name)
    return None


def called_pieces(domain: Domain, entity: Entity, before: Path = ()) -> list[str | Path]:
    """The `called` template as text and paths; a row in it is replaced by its own template.

    An id that a counter makes is left out, with the parentheses around it: it would tell what has to be looked up, and is final only in the pack.
    """
    if not isinstance(entity.called, Format):
        return []
    pieces: list[str | Path] = []
    dropped = False
    for part in entity.called.parts:
        if isinstance(part, Const):
            pieces.append(str(part.value).removeprefix(")") if dropped else str(part.value))
            dropped = False
            continue
        path = node_path(part)
        if path is None:
            return []
        dropped = path[-1:] == ("id",) and _holder(domain, entity, path).id_kind == "counter"
        if dropped:
            pieces = [*pieces[:-1], pieces[-1].rstrip(" (#")] if pieces and isinstance(pieces[-1], str) else pieces
        elif part.type.kind == "row":
            pieces += called_pieces(domain, domain.entity(part.type.entities[0]), (*before, *path))
        else:
            pieces.append((*before, *path))
    return pieces


def _holder(domain: Domain, entity: Entity, path: Path) -> Entity:
    """The entity that the last field of the path belongs to."""
    for name in path[:-1]:
        entity = domain.entity(entity.field(name).columns[0].references[0])
    return entity


def extra_paths(domain: Domain, entity: Entity) -> list[Path]:
    """Facts that may tell rows apart beyond `called`: own searchable values first, then those that name a referred row."""
    own: list[Path] = []
    far: list[Path] = []
    for field in entity.fields:
        if field.match == "exempt" or field.match == "text" or field.history or field.name in ("archived", "position"):
            continue
        if field.role == "reference" and len(field.columns[0].references) == 1:
            target = domain.entity(field.columns[0].references[0])
            far += [(field.name, *piece) for piece in called_pieces(domain, target) if isinstance(piece, tuple)]
        elif field.role == "value" and field.type.kind in ("text", "integer", "decimal", "money", "date", "datetime", "time", "enum", "bool"):
            own.append((field.name,))
    return own + far


def describe(view: View, entity_name: str, key: str, prefix: str, rng: Chance) -> Described | None:
    """Words that fit this row and no other of its entity, or None when a few facts do not suffice."""
    entity = view.domain.entity(entity_name)
    pieces = called_pieces(view.domain, entity)
    leaves = [view.leaf(entity_name, key, piece) for piece in pieces if isinstance(piece, tuple)]
    if any(leaf.value is None for leaf in leaves):
        return None
    chosen = list(dict.fromkeys(leaves))
    rest = view.matching(entity_name, tuple(chosen))
    paths = [path for path in extra_paths(view.domain, entity) if path not in {leaf.path for leaf in chosen}]
    rng.shuffle(paths)
    added: list[Leaf] = []
    for path in paths:
        if len(rest) == 1 or len(added) == MOST_EXTRA:
            break
        leaf = view.leaf(entity_name, key, path)
        fewer = [other for other in rest if view.value(entity_name, other, path) == leaf.value]
        if leaf.value is not None and len(fewer) < len(rest):
            added.append(leaf)
            rest = fewer
    if len(rest) != 1:
        return None
    named = mention(view, entity_name, key, (*chosen, *added))
    words = _words(view, entity, key, pieces, added, prefix).about(replace(named, apposed=bool(added and pieces)))
    extra = bool(added) or not pieces
    return Described(entity=entity_name, key=key, prefix=prefix, phrase=words, leaves=(*chosen, *added), extra=extra)


def mention(view: View, entity: str, key: str, leaves: tuple[Leaf, ...]) -> Mention:
    """The row as later words may take it up again."""
    kind = view.domain.entity(entity)
    inside = tuple(dict.fromkeys(view.entity_at(entity, leaf.path[:length]).name for leaf in leaves for length in range(2, len(leaf.path) + 1)))
    people = any(is_person(view.domain, view.domain.entity(one)) for one in inside)
    return Mention(entity=entity, key=key, noun=words_of(kind.name), person=is_person(view.domain, kind), inside=inside, people=people)


def _words(view: View, entity: Entity, key: str, pieces: list[str | Path], added: list[Leaf], prefix: str) -> Phrase:
    """The template filled in, then a clause with the added facts."""
    today = view.today
    phrase = as_phrase("")
    for piece in pieces:
        if isinstance(piece, str):
            phrase = phrase + piece
        else:
            leaf = view.leaf(entity.name, key, piece)
            said = Part(say(leaf.value, leaf.type, today), f"{prefix}.{'.'.join(piece)}", within=_somebody(view, entity.name, key, piece))
            phrase = phrase + Phrase((said,))
    clauses = [clause(view, entity.name, leaf, prefix) for leaf in added]
    if not clauses:
        return phrase
    if not pieces:
        return as_phrase(f"the {noun(view.domain, entity)} ") + chained(clauses)
    return phrase + ", the one " + chained(clauses)


def chained(tail: Sequence[Phrase]) -> Phrase:
    """Clauses one after the other, those with a verb last; `and` only between two of these."""
    words = as_phrase("")
    before = ""
    for one in sorted(tail, key=lambda each: has_verb(str(each))):
        words = words + (" and " if has_verb(before) else " " if before else "") + one
        before = str(one)
    return words


def has_verb(said: str) -> bool:
    """Whether a clause begins with `whose`, `that` or `who`."""
    return said.startswith(("whose ", "that ", "who "))


def _somebody(view: View, entity: str, key: str, path: Path) -> Mention | None:
    """The person whose name stands at the end of the path, where it leads over references and they are called by nothing else."""
    for name in path[:-1]:
        step = view.parent(entity, key, name)
        if step is None:
            return None
        entity, key = step
    holder = view.domain.entity(entity)
    named = [piece for piece in called_pieces(view.domain, holder) if isinstance(piece, tuple)]
    return mention(view, entity, key, ()) if len(path) > 1 and named == [path[-1:]] and is_person(view.domain, holder) else None


def value_words(leaf: Leaf, view: View) -> str:
    """The value as it stands in a sentence; a word that would be lost in it is in quotation marks."""
    said = say(leaf.value, leaf.type, view.today)
    return quoted(said) if leaf.type.kind == "enum" and (said in STIFF or " " in said) else said


def entered(leaf: Leaf, view: View) -> str:
    """The value as somebody reads it off a record: a word of an enum in quotation marks, so that the sentence goes on behind it."""
    said = value_words(leaf, view)
    return quoted(said) if leaf.type.kind == "enum" and not said.startswith('"') and leaf.path[-1] not in CREATURES else said


def clause(view: View, entity: str, leaf: Leaf, prefix: str, *, several: bool = False) -> Phrase:
    """`that is checked in`, `with the reason vaccination`, `with 4 places`, `with Dr. Ann Lee`, `that is controlled`; else `whose weight is 4`."""
    tag = f"{prefix}.{'.'.join(leaf.path)}"
    holder = view.entity_at(entity, leaf.path)
    words = field_words(view.domain, holder.name, view.field_at(entity, leaf.path))
    if len(leaf.path) > 1:
        return _far_clause(view, entity, leaf, words, tag)
    if leaf.type.kind == "bool":
        return fact(truth(view, entity, leaf, several=several), tag)
    said = value_words(leaf, view)
    field = view.field_at(entity, leaf.path)
    if field.lifecycle is not None:
        word = said.strip('"')
        if word in PLACES:
            return as_phrase(f"{relative(view, entity)} {'are' if several else 'is'} in ") + fact(word, tag)
        return as_phrase(f"{relative(view, entity)} {'are' if several else 'is'} ") + fact(word if word not in STATES else said, tag)
    if leaf.type.kind == "enum" and field.name in SENT:
        return as_phrase(f"{SENT[field.name]} ") + fact(said, tag)
    if leaf.type.kind == "enum" and words in (*KINDS, *CAUSES):
        return as_phrase(f"of the {words} " if words in KINDS else f"whose {words} is ") + fact(entered(leaf, view), tag)
    counted = words.removeprefix("number of ")
    if leaf.type.kind == "integer" and is_plural(counted):
        return as_phrase("with ") + fact(said, tag) + " " + counted
    if words == "date of birth":
        return as_phrase("born on ") + fact(said, tag)
    unit = unit_after(view.domain, entity, field)
    words = measure_words(view.domain, entity, field) if unit else words
    return as_phrase(f"whose {words} {be(words)} ") + fact(entered(leaf, view), tag) + unit


def _far_clause(view: View, entity: str, leaf: Leaf, words: str, tag: str) -> Phrase:
    """By what a referred row is called, where this says nothing else; else by the names of the fields on the way."""
    way = [
        field_words(view.domain, view.entity_at(entity, leaf.path[: place + 1]).name, view.field_at(entity, leaf.path[: place + 1]))
        for place in range(len(leaf.path) - 1)
    ]
    holder = view.entity_at(entity, leaf.path)
    pieces = called_pieces(view.domain, holder)
    said = fact(entered(leaf, view), tag)
    if [piece for piece in pieces if isinstance(piece, tuple)] != [leaf.path[-1:]]:
        return as_phrase(f"whose {''.join(f'{one}’s ' for one in way)}{words} {be(words)} ".replace("’", "'")) + said
    between = joint(view.field_at(entity, leaf.path[:1])) if len(way) == 1 else ""
    whose = f"whose {''.join(f'{one}’s ' for one in way[:-1])}{way[-1]} is ".replace("’", "'")
    phrase = as_phrase(f"{between} " if between else whose)
    for piece in pieces:
        phrase = phrase + (piece if isinstance(piece, str) else said)
    return phrase


SENT = {"carrier": "sent by"}
"""What stands between rows and the value of a field of this name."""
KINDS = ("kind", "type", "sort", "species")
"""Fields of which a row is `of the …` and not `whose … is`."""
CAUSES = ("reason", "cause", "measure", "outcome", "source")
"""Fields of which it is `whose … is` even after a glossary's word."""
PLACES = frozenset(["quarantine", "transit", "repair", "service", "progress"])
"""States that somebody or something is in."""
STATES = frozenset(["no show", *STIFF])
"""States that do not stand after `is` without quotation marks."""


def relative(view: View, entity: str) -> str:
    """`who` for somebody, `that` for something."""
    return "who" if is_person(view.domain, view.domain.entity(entity)) else "that"


_VERBS = {
    "accepts": "accept",
    "has": "have",
    "needs": "need",
    "allows": "allow",
    "takes": "take",
    "wants": "want",
    "pays": "pay",
    "includes": "include",
}


def truth(view: View, entity: str, leaf: Leaf, *, several: bool = False) -> str:
    """`that is controlled`, `who do not need a licence`: whether a yes-or-no field holds, as a clause after the noun."""
    who = relative(view, entity)
    words = field_words(view.domain, entity, view.field_at(entity, leaf.path))
    verb, _, rest = words.partition(" ")
    if verb in _VERBS:
        if leaf.value:
            return f"{who} {_VERBS[verb] if several else verb} {rest}".rstrip()
        return f"{who} {'do' if several else 'does'} not {_VERBS[verb]} {rest}".rstrip()
    return f"{who} {'are' if several else 'is'} {'' if leaf.value else 'not '}{words}"
