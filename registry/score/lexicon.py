"""Word lists of the text matcher: closed classes of English that decide whether a sentence says more, less or the opposite."""

FILLER = frozenset(
    """a an the this that these those it its he she they his her their them we our you your i my me
    is are was were be been being am has have had having do does did will would shall should must can could
    of in on at for with as so then there here because due about regarding per through
    please kindly note noted remark comment need require want wish like give given take taken get got put let
    only just done also too and but plus additionally furthermore moreover however who which upon""".split()
)
"""Words that neither add a fact nor take one away. Compared after stemming; `needs` and `needed` are fillers too."""

NEGATION = frozenset(
    """no not never without none nor neither cannot non except unless despite deny refuse lack cease stop discontinue
    dont doesnt didnt isnt arent wasnt werent wont wouldnt shouldnt cant couldnt hasnt havent hadnt nothing nobody nowhere hardly""".split()
)
"""Stems that deny what they stand beside; every word in n't is one too."""

PHRASES: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("due", "to"), ("because",)),
    (("because", "of"), ("because",)),
    (("owing", "to"), ("because",)),
    (("rule", "out"), ("not",)),
    (("rather", "than"), ("not",)),
    (("instead", "of"), ("not",)),
    (("no", "longer"), ("not",)),
    (("any", "more"), ()),
    (("as", "well", "as"), ("also",)),
    (("in", "addition"), ("also",)),
)
"""Stem sequences that are read as others."""

REWORDED = {"daily": "day", "weekly": "week", "monthly": "month", "yearly": "year", "nightly": "night", "each": "every", "following": "after"}

CLAUSE = frozenset({"and", "but", "also", "plus", "additionally", "furthermore", "moreover", "however", "or"})
"""Words that begin a new clause."""

DIRECTION = frozenset({"from", "to", "before", "after", "until", "till", "since", "via", "into", "towards", "by", "than", "under", "over", "between"})
"""Prepositions that give the word after them its part in the sentence."""

_OPPOSED_WORDS = """
from/to before/after until/from since/until until/after till/from mild/severe slight/severe minor/major left/right front/rear front/back
morning/evening morning/night increase/decrease raise/lower more/less high/low open/close hot/cold warm/cold dry/wet start/end begin/end
first/last first/afterwards first/later always/rarely up/down early/late old/new small/large big/small inside/outside indoor/outdoor
accept/reject approve/reject approve/decline allow/forbid male/female present/absent empty/full with/without near/far upper/lower
indoors/outdoors upstairs/downstairs best/worst better/worse safe/unsafe urgent/routine temporary/permanent return/pickup fast/slow
"""
OPPOSED: tuple[tuple[str, str], ...] = tuple((pair.split("/")[0], pair.split("/")[1]) for pair in _OPPOSED_WORDS.split())
"""Pairs of stems of which one may not take the other's place."""

NUMBERS = {
    word: value
    for value, word in enumerate(
        """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen
        twenty""".split()
    )
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100, "thousand": 1000, "dozen": 12}
TIMES = {"once": 1, "twice": 2, "thrice": 3}

_MONTH_WORDS = (
    "january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sep sept|october oct|november nov|december dec"
)
_DAY_WORDS = "monday mon|tuesday tue tues|wednesday wed|thursday thu thurs|friday fri|saturday|sunday"
MONTHS = {word: number for number, words in enumerate(_MONTH_WORDS.split("|"), start=1) for word in words.split()}
WEEKDAYS = {word: number for number, words in enumerate(_DAY_WORDS.split("|"), start=1) for word in words.split()}
RELATIVE_DAYS = frozenset({"today", "tomorrow", "yesterday", "tonight"})
TITLES = frozenset({"dr", "mr", "mrs", "ms", "miss", "prof", "doctor", "mister"})
