"""How a person refers to one row, so that exactly that row is meant."""

from dataclasses import dataclass

from synth.lang.domain import Domain, Entity
from synth.lang.nodes import Attr, Const, Format, Local, Node
from synth.tasks.chance import Chance
from synth.tasks.english import say, words_of
from synth.tasks.nouns import field_words, noun
from synth.tasks.phrase import Phrase, as_phrase, fact, joined
from synth.tasks.view import Leaf, Path, View

MOST_EXTRA = 3


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
        return f"{self.prefix}.{'.'.join(leaf.path)}"


def node_path(node: Node) -> Path | None:
    """The fields that an attribute chain over the described row names, or None for anything else."""
    if isinstance(node, Local):
        return ()
    if isinstance(node, Attr) and node.access in ("field", "id"):
        base = node_path(node.base)
        return None if base is None else (*base, node.name)
    return None


def called_pieces(domain: Domain, entity: Entity, before: Path = ()) -> list[str | Path]:
    """The `called` template as text and paths; a row in it is replaced by its own template."""
    if not isinstance(entity.called, Format):
        return []
    pieces: list[str | Path] = []
    for part in entity.called.parts:
        if isinstance(part, Const):
            pieces.append(str(part.value))
            continue
        path = node_path(part)
        if path is None:
            return []
        if part.type.kind == "row":
            pieces += called_pieces(domain, domain.entity(part.type.entities[0]), (*before, *path))
        else:
            pieces.append((*before, *path))
    return pieces


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
    words = _words(view, entity, key, pieces, added, prefix)
    return Described(entity=entity_name, key=key, prefix=prefix, phrase=words, leaves=(*chosen, *added), extra=bool(added) or not pieces)


def _words(view: View, entity: Entity, key: str, pieces: list[str | Path], added: list[Leaf], prefix: str) -> Phrase:
    """The template filled in, then a clause with the added facts."""
    today = view.today
    phrase = as_phrase("")
    for piece in pieces:
        if isinstance(piece, str):
            phrase = phrase + piece
        else:
            leaf = view.leaf(entity.name, key, piece)
            phrase = phrase + fact(say(leaf.value, leaf.type, today), f"{prefix}.{'.'.join(piece)}")
    clauses = [_clause(view, entity.name, leaf, prefix) for leaf in added]
    if not clauses:
        return phrase
    if not pieces:
        return as_phrase(f"the {noun(view.domain, entity)} ") + joined(clauses)
    return phrase + ", the one " + joined(clauses)


def _clause(view: View, entity: str, leaf: Leaf, prefix: str) -> Phrase:
    """`whose status is booked`, `whose vet's name is Ann Lee`."""
    owner = "".join(f"{words_of(name)}'s " for name in leaf.path[:-1])
    tag = f"{prefix}.{'.'.join(leaf.path)}"
    said = fact(say(leaf.value, leaf.type, view.today), tag)
    words = field_words(view.domain, view.entity_at(entity, leaf.path).name, view.field_at(entity, leaf.path))
    if leaf.type.kind == "bool":
        return fact(f"that is {words}" if leaf.value else f"that is not {words}", tag)
    return as_phrase(f"whose {owner}{words} is ") + said
