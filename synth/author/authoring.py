"""From a keyword to a registered environment: plan, seed, and rounds in which a model mends what is wrong."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from synth import disk
from synth.author.complaint import SEED, Complaint, of_sentence
from synth.author.edits import applied, read_edits, shown
from synth.author.familiar import familiar
from synth.author.inspect import Wanted, inspect
from synth.author.journal import Journal
from synth.author.plan import PLAN_SCHEMA, Plan, plan_faults, read_plan
from synth.author.seed_json import SEED_SCHEMA, seed_of_json
from synth.author.texts import filled, prompt, prompts_sha256, teaching
from synth.build import build
from synth.errors import SynthError
from synth.lang.domain import Domain
from synth.lang.problems import short
from synth.model.answer import AnswerUnreadable, seed_text
from synth.model.endpoint import Structured
from synth.model.errors import BudgetSpent, ModelError
from synth.model.exchange import Message, Request
from synth.model.meter import Meter

Status = Literal["registered", "quarantined", "budget", "no_model"]
PLAN_TOKENS = 2_500
SEED_TOKENS = 14_000
EDIT_TOKENS = 3_500
PLAN_TRIES = 3
MOST_COMPLAINTS = 14
"""Given back in one round."""
LONGEST = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where things lie.

    Attributes:
        environments: Packages that may be served.
        quarantine: What was refused, one folder each.
        authored: What models wrote and was taken, one folder each.
    """

    environments: Path
    quarantine: Path
    authored: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is to be written.

    Attributes:
        about: A keyword or a sentence.
        tools: About how many.
        attempts: Seeds that are looked at, the first one counted.
        tasks: Tasks that the domain is to be able to hold.
        known: Domains that are there.
        allowed: Public domains that are wanted all the same.
    """

    about: str
    model: str
    tools: int = 25
    attempts: int = 4
    structured: Structured = "auto"
    tasks: tuple[str, ...] = ()
    known: tuple[Domain, ...] = ()
    allowed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Authored:
    """What came of it.

    Attributes:
        folder: Of the package, or in quarantine.
        reasons: Why nothing is registered, one sentence each.
        repaired: Codes of what was wrong on the way, in order.
    """

    status: Status
    id: str
    folder: Path | None
    tools: int = 0
    rows: int = 0
    digest: str = ""
    attempts: int = 0
    tokens: int = 0
    reasons: tuple[str, ...] = ()
    repaired: tuple[str, ...] = ()


class _GivenUp(Exception):
    """No attempt is left."""

    def __init__(self, reasons: tuple[str, ...]) -> None:
        super().__init__("\n".join(reasons))
        self.reasons = reasons


def author(order: Order, meter: Meter, places: Places) -> Authored:
    """Has a model write a domain; what passes the gate is registered, all else is in quarantine with its log.

    Raises:
        SynthError: The order itself is refused, before anything is spent.
    """
    about = " ".join(order.about.split())
    if not about or len(about) > LONGEST or not about.isprintable():
        raise SynthError(f"keyword: expected up to {LONGEST} printable characters, got {len(order.about)}. Say what the domain is in one sentence.")
    public = familiar(about)
    if public and public not in order.allowed:
        raise SynthError(f"keyword: expected a domain that no public test uses, got {public}. Choose another one, or allow it with --allow {public}.")
    return _Authoring(order, about, meter, places).run()


@dataclass(slots=True)
class _Authoring:
    """One domain on its way."""

    order: Order
    about: str
    meter: Meter
    places: Places
    journal: Journal = field(init=False)
    attempts: int = 0
    codes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.journal = Journal(about=self.about, model=self.order.model)

    def run(self) -> Authored:
        """All stages; whatever ends them, what was said is kept."""
        name, ended = _slug(self.about), False
        try:
            plan = self._plan()
            name = plan.id
            found = self._mend(plan, self._seed(plan))
            ended = True
            return found
        except _GivenUp as error:
            ended = True
            return self._set_aside(name, "quarantined", error.reasons)
        except BudgetSpent as error:
            ended = True
            return self._set_aside(name, "budget", (str(error),))
        except ModelError as error:
            ended = True
            return self._set_aside(name, "no_model", (str(error),))
        finally:
            if not ended:
                self._set_aside(name, "quarantined", ("author: expected all stages to end, got an interruption. Start again.",))

    def _ask(self, stage: str, system: str, messages: list[Message], most: int, schema: Any = None, name: str = "answer", aside: str = "") -> str:
        request = Request(
            model=self.order.model, system=system, messages=tuple(messages), most_tokens=most, schema=schema, schema_name=name, aside=aside
        )
        reply = self.meter.ask(stage, request)
        self.journal.said(stage, reply.text)
        return reply.text

    def _plan(self) -> Plan:
        there = ", ".join(f"{one.id} ({', '.join(entity.name for entity in one.entities[:4])})" for one in self.order.known[:40])
        tasks = "".join(f"- {short(one, 160)}\n" for one in self.order.tasks[:12])
        told = f"Domain: {self.about}\nAbout {self.order.tools} tools.\n"
        aside = f"There are already, to be kept clear of: {there}." if there else ""
        messages = [Message(role="user", text=told + (f"It must be able to hold tasks such as these:\n{tasks}" if tasks else ""))]
        schema = None if self.order.structured == "never" else PLAN_SCHEMA
        faults: tuple[str, ...] = ()
        for _ in range(PLAN_TRIES):
            answer = self._ask("plan", prompt("plan.md"), messages, PLAN_TOKENS, schema, "plan", aside)
            try:
                plan = read_plan(answer)
                faults = plan_faults(plan, self.order.known, self.order.allowed)
            except AnswerUnreadable as error:
                faults = (str(error),)
            else:
                self.journal.plan = plan.text
                if not faults:
                    return plan
            self.journal.refused("plan", faults)
            self.meter.reject("plan", "PLAN", len(faults))
            messages = [messages[0], Message(role="assistant", text=answer[:6_000]), Message(role="user", text="\n".join(faults))]
        raise _GivenUp(faults)

    def _seed(self, plan: Plan) -> str:
        """The first seed that can be read as one."""
        tasks = "".join(f"- {short(one, 160)}\n" for one in self.order.tasks[:20])
        held = f"Requests such as these must be possible with its tools:\n{tasks}" if tasks else ""
        text = filled("seed.md", tools=str(self.order.tools), plan=plan.text, tasks=held)
        schema = SEED_SCHEMA if self.order.structured == "seed" else None
        said: tuple[str, ...] = ()
        while self.attempts < self.order.attempts:
            self.attempts += 1
            messages = [Message(role="user", text="\n".join((text, *said)))]
            answer = self._ask("seed", teaching(), messages, SEED_TOKENS, schema, "seed")
            try:
                return seed_of_json(answer) if schema is not None and answer.lstrip().startswith("{") else seed_text(answer)
            except AnswerUnreadable as error:
                said = (str(error),)
                self.journal.refused("seed", said)
                self.meter.reject("seed", "NO_SEED")
        raise _GivenUp(said)

    def _mend(self, plan: Plan, seed: str) -> Authored:
        """Rounds of looking at a seed and having it mended, until it is an environment."""
        wanted = Wanted(id=plan.id, tools=self.order.tools, known=self.order.known, allowed=self.order.allowed)
        while True:
            self.journal.seed = seed
            complaints = inspect(seed, wanted)[1]
            stage = "lint"
            if not complaints:
                stage = "gate"
                found = self._build(plan.id, seed)
                if isinstance(found, Authored):
                    return found
                complaints = found
            self.journal.refused(stage, complaints)
            for one in complaints:
                self.meter.reject(stage, one.code)
                self.codes.append(one.code)
            if self.attempts >= self.order.attempts:
                raise _GivenUp(tuple(one.sentence for one in complaints))
            self.attempts += 1
            seed = self._repaired(seed, complaints[:MOST_COMPLAINTS])

    def _repaired(self, seed: str, complaints: tuple[Complaint, ...]) -> str:
        """The seed after one round; as it was where the answer cannot be used."""
        told = "\n".join(short(one.sentence, 400) for one in complaints)
        text = f"WRONG\n{told}\n\nLINES\n{shown(seed, complaints)}"
        answer = self._ask("repair", prompt("repair.md"), [Message(role="user", text=text)], EDIT_TOKENS)
        try:
            if re.search(r"^id:\s", answer, re.MULTILINE) and not re.search(r"^@@ ", answer, re.MULTILINE):
                return seed_text(answer)
            return applied(seed, read_edits(answer))
        except AnswerUnreadable as error:
            self.journal.refused("repair", (str(error),))
            self.meter.reject("repair", "NO_EDITS")
            return seed

    def _build(self, name: str, seed: str) -> Authored | tuple[Complaint, ...]:
        """The environment, registered if it passed the gate; else why not."""
        scratch = self.places.authored / f".at-{name}"
        file = scratch / SEED
        try:
            disk.write_folder({SEED: (_marked(seed, self.order.model)).encode()}, scratch)
            built = build((file,), self.places.environments, quarantine=scratch / "refused")[0]
        finally:
            disk.remove_folder(scratch)
        if built.status == "refused":
            return tuple(of_sentence("GATE", one, str(file)) for one in built.reasons)
        self.journal.seed = _marked(seed, self.order.model)
        files = self.journal.files("registered", tokens=self.meter.used, attempts=self.attempts)
        self.journal.keep(self.places.authored / built.id, files)
        disk.remove_folder(self.places.quarantine / built.id)
        return Authored(
            status="registered",
            id=built.id,
            folder=built.folder,
            tools=built.tools,
            rows=built.rows,
            digest=built.digest,
            attempts=self.attempts,
            tokens=self.meter.used,
            repaired=tuple(self.codes),
        )

    def _set_aside(self, name: str, status: Status, reasons: tuple[str, ...]) -> Authored:
        folder = self.places.quarantine / name
        self.journal.keep(folder, self.journal.files(status, tokens=self.meter.used, attempts=self.attempts), reasons)
        return Authored(
            status=status, id=name, folder=folder, attempts=self.attempts, tokens=self.meter.used, reasons=reasons, repaired=tuple(self.codes)
        )


def _marked(seed: str, model: str) -> str:
    """The seed with a last line that tells who wrote it, so that the package tells it too; numbers of lines stay."""
    by = re.sub(r"[^\w.:/-]", "", model)[:80] or "a model"
    return f"{seed}# Written by the language model {by}; prompts {prompts_sha256()[:16]}.\n"


def _slug(text: str) -> str:
    """A name of a folder from any text."""
    return "_".join(re.findall(r"[a-z0-9]+", text.lower()))[:40] or "domain"
