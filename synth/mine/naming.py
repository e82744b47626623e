"""A name for a group of tasks, from the words that they use."""

import math
import re
from collections import Counter
from collections.abc import Sequence

from synth.mine.words import nouns, stem

SCENES: dict[str, str] = {
    "veterinary clinic": "pet vet dog cat vaccination puppy owner animal veterinary surgery rabbit",
    "library": "book loan reader library copy author shelf borrower overdue fine librarian hold",
    "medical practice": "patient doctor appointment prescription referral nurse surgery diagnosis medication gp",
    "hotel": "room guest stay checkin suite hotel breakfast reservation housekeeping bed",
    "restaurant": "table dish menu restaurant waiter guest reservation kitchen party booking",
    "school office": "student class course teacher grade enrolment lesson pupil timetable exam school",
    "gym": "member class trainer gym membership locker session spin yoga workout",
    "car workshop": "car mechanic repair brake tyre workshop vehicle oil inspection part engine garage",
    "bike rental": "bike bicycle rental helmet deposit rider station cargo ebike",
    "property management": "tenant flat apartment rent lease landlord unit building deposit viewing",
    "warehouse": "pallet stock bin warehouse shipment supplier goods inventory sku aisle item",
    "help desk": "ticket agent priority incident queue helpdesk laptop printer issue password",
    "museum": "exhibit tour visitor museum guide gallery painting exhibition group ticket",
    "theatre box office": "seat show performance ticket theatre row stall matinee booking",
    "blood bank": "donor blood unit donation group plasma hospital bag",
    "community garden": "plot gardener bed seed garden waiting shed allotment compost",
    "animal shelter": "adoption shelter kennel foster dog cat adopter animal",
    "laboratory": "sample assay instrument lab reagent analyst batch test tube freezer",
    "cinema": "film screening seat cinema hall ticket popcorn",
    "marina": "boat berth mooring skipper harbour marina sail dock",
    "funeral home": "burial grave ceremony coffin family cemetery",
    "child care": "child parent group pickup nursery carer allergy daycare",
    "event venue": "event hall booking caterer venue stage guest wedding chair",
    "translation agency": "translator job language deadline client document proofreader",
    "water utility": "meter reading household consumption water tariff leak",
    "recruiting": "candidate interview job vacancy offer application recruiter position",
    "project tracking": "sprint story backlog epic milestone assignee project board issue",
    "courier depot": "parcel courier route depot delivery van recipient driver",
}
"""What settings are called, and words that are used there."""
LEAST = 2
"""Words of a setting that a group must use."""


def name_of(texts: Sequence[str], every: Sequence[str]) -> str:
    """What a group of tasks is about, in a few words: a setting whose words it uses, else its own most telling nouns.

    Args:
        texts: Of the group.
        every: All texts, the group among them; words that stand everywhere tell nothing.
    """
    inside = Counter(word for one in texts for word in set(nouns(one)))
    scenes = sorted(((_share(inside, words.split(), len(texts)), name) for name, words in SCENES.items()), key=lambda one: (-one[0], one[1]))
    if scenes[0][0] > 0:
        return scenes[0][1]
    everywhere = Counter(word for one in every for word in set(nouns(one)))
    telling = sorted(inside, key=lambda word: (-inside[word] * math.log(1 + len(every) / everywhere[word]), word))[:2]
    return " and ".join(as_written(word, texts) for word in telling) or "records"


def as_written(bare: str, texts: Sequence[str]) -> str:
    """The word of a stem, as it mostly stands in the texts."""
    written = Counter(word.lower() for one in texts for word in re.findall(r"[A-Za-z'-]+", one) if stem(word) == bare)
    return min(written, key=lambda word: (-written[word], word), default=bare)


def _share(inside: Counter[str], words: Sequence[str], size: int) -> float:
    """How much a group speaks in the words of a setting; 0 for too few of them."""
    met = [word for word in words if inside[word]]
    share = sum(inside[word] for word in met) / size
    return share if len(met) >= LEAST and share >= 0.5 else 0.0
