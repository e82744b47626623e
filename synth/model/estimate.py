"""How many tokens a text has, estimated without the tokenizer of any model."""

import re

LETTERS = 6
"""Of one token in a word. Vocabularies of today hold most English words of any length whole; names in code are cut more often."""
_PIECE = re.compile(r"[A-Za-z]+|\d+|[^\x00-\x7f]|\n[ \t]*|([^\w\s])\1*|_")


def tokens(text: str) -> int:
    """About how many tokens a text has, rather too many than too few.

    Counted piece by piece: a word has one token for each six letters, a number one for each three digits, a line break one with the indentation
    after it, a run of one punctuation mark one for each two, any other letter beyond ASCII one. Single spaces belong to the word that follows.
    """
    return sum(_cost(found[0]) for found in _PIECE.finditer(text))


def _cost(piece: str) -> int:
    if piece[0].isascii() and piece[0].isalpha():
        return -(-len(piece) // LETTERS)
    if piece[0].isdigit():
        return -(-len(piece) // 3)
    return 1 if piece[0] == "\n" else -(-len(piece) // 2)
