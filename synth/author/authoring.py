"""From a keyword to a registered environment: plan, seed, and rounds in which a model mends what is wrong."""

import re
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from synth import disk
from synth.author.asking import plan_question, repair_question, seed_question, there_are
from synth.author.complaint import SEED, Complaint, of_sentence
from synth.author.edits import applied, read_edits, shown
from synth.author.familiar import familiar
from synth.author.inspect import ALONE, Near, Others, Wanted, inspect
from synth.author.journal import Journal
from synth.author.plan import PLAN_SCHEMA, Plan, plan_faults, read_plan
from synth.author.seed_json import SEED_SCHEMA, seed_of_json
from synth.author.texts import prompt, prompts_sha256, teaching
from synth.author.trial import THRESHOLD, Trial, try_out
from synth.author.trial import kept as trial_files
from synth.build import Built, build, register
from synth.errors import SynthError
from synth.lang.domain import Domain
from synth.model.answer import AnswerUnreadable, seed_text
from synth.model.endpoint import Structured
from synth.model.errors import BudgetSpent, ModelError
from synth.model.exchange import Message, Request
from synth.model.meter import Meter

Status = Literal["registered", "quarantined", "budget", "no_model"]
_STATUS: dict[str, Status] = {"budget": "budget", "no_model": "no_model"}
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
        trials: What models that tried environments out said, one folder each.
    """

    environments: Path
    quarantine: Path
    authored: Path
    trials: Path


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
        trial: Calls that two models make and judge before it is registered; 0 for no trial.
        threshold: Share of them that must be right.
    """

    about: str
    model: str
    tools: int = 25
    attempts: int = 4
    structured: Structured = "auto"
    tasks: tuple[str, ...] = ()
    known: tuple[Domain, ...] = ()
    allowed: frozenset[str] = frozenset()
    trial: int = 0
    threshold: float = THRESHOLD


@dataclass(frozen=True, slots=True, kw_only=True)
class Authored:
    """What came of it.

    Attributes:
        folder: Of the package, or in quarantine.
        near: The environment that it is most like.
        rate: Share of right calls of the last trial; None without one.
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
    near: Near = ALONE
    rate: float | None = None
    reasons: tuple[str, ...] = ()
    repaired: tuple[str, ...] = ()


class _GivenUp(Exception):
    """No attempt is left, or there is nobody to go on with."""

    def __init__(self, reasons: tuple[str, ...], status: Status = "quarantined") -> None:
        super().__init__("\n".join(reasons))
        self.reasons = reasons
        self.status: Status = status


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
    trial: Trial | None = None
    near: Near = ALONE
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
            return self._set_aside(name, error.status, error.reasons)
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
        aside = there_are(self.order.known)
        messages = [Message(role="user", text=plan_question(self.about, self.order.tools, self.order.tasks))]
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
        text = seed_question(plan.text, self.order.tools, self.order.tasks)
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
        others = Others(self.order.known)
        wanted = Wanted(id=plan.id, tools=self.order.tools, others=others, allowed=self.order.allowed)
        while True:
            self.journal.seed = seed
            domain, complaints = inspect(seed, wanted)
            stage = "lint"
            if domain is not None and not complaints:
                self.near = others.nearest(domain)
                found = self._build(plan.id, seed)
                if isinstance(found, Authored):
                    return found
                stage, complaints = "gate" if found[0].code == "GATE" else "trial", found
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
        text = repair_question([one.sentence for one in complaints], shown(seed, complaints))
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
        """The environment, registered if it passed the gate and the trial; else why not."""
        scratch = self.places.authored / f".at-{name}"
        file = scratch / SEED
        try:
            disk.write_folder({SEED: (_marked(seed, self.order.model)).encode()}, scratch)
            built = build((file,), scratch / "environments", quarantine=scratch / "refused")[0]
            if built.status == "refused":
                return tuple(of_sentence("GATE", one, str(file)) for one in built.reasons)
            return self._tried(built.folder) or self._registered(built, seed)
        finally:
            disk.remove_folder(scratch)

    def _tried(self, package: Path) -> tuple[Complaint, ...]:
        """What two models found wrong with a package that passed the gate, if too much is.

        Raises:
            _GivenUp: The trial could not be made to its end.
        """
        if not self.order.trial:
            return ()
        self.trial = trial = try_out(package, self.order.model, self.meter, rounds=self.order.trial)
        if trial.ended:
            raise _GivenUp((trial.stopped,), _STATUS.get(trial.ended, "quarantined"))
        if trial.passed(self.order.threshold):
            return ()
        wrong = sorted({f"{one.tool}: expected a call that is right, got {one.outcome}: {one.why or 'not judged'}" for one in trial.wrong})
        return tuple(Complaint(code="TRIAL", sentence=f"{SEED}: {one}. Mend the tool, or what it says of itself.") for one in wrong)

    def _registered(self, built: Built, seed: str) -> Authored:
        self.journal.seed = _marked(seed, self.order.model)
        kept = self.places.authored / built.id
        self.journal.keep(kept, self._files("registered"))
        try:
            folder = register(built.folder, self.places.environments)
        except BaseException:
            disk.remove_folder(kept)
            raise
        if self.trial is not None:
            disk.write_folder(trial_files(self._told(self.trial)), self.places.trials / built.id)
        disk.remove_folder(self.places.quarantine / built.id)
        return replace(self._outcome("registered", built.id, folder), tools=built.tools, rows=built.rows, digest=built.digest)

    def _set_aside(self, name: str, status: Status, reasons: tuple[str, ...]) -> Authored:
        folder = self.places.quarantine / name
        self.journal.keep(folder, self._files(status), reasons)
        return replace(self._outcome(status, name, folder), reasons=reasons)

    def _outcome(self, status: Status, name: str, folder: Path) -> Authored:
        return Authored(
            status=status,
            id=name,
            folder=folder,
            attempts=self.attempts,
            tokens=self.meter.used,
            near=self.near,
            rate=None if self.trial is None else self.trial.rate,
            repaired=tuple(self.codes),
        )

    def _files(self, status: Status) -> dict[str, bytes]:
        more: dict[str, Any] = {"near": asdict(self.near)}
        if self.trial is not None:
            more["trial"] = {"calls": len(self.trial.calls), "rate": round(self.trial.rate, 4), "threshold": self.order.threshold}
        files = self.journal.files(status, tokens=self.meter.used, attempts=self.attempts, more=more)
        return files if self.trial is None else {**files, **trial_files(self._told(self.trial))}

    def _told(self, trial: Trial) -> dict[str, Any]:
        return trial.told(model=self.order.model, threshold=self.order.threshold)


def _marked(seed: str, model: str) -> str:
    """The seed with a last line that tells who wrote it, so that the package tells it too; numbers of lines stay."""
    by = re.sub(r"[^\w.:/-]", "", model)[:80] or "a model"
    return f"{seed}# Written by the language model {by}; prompts {prompts_sha256()[:16]}.\n"


def _slug(text: str) -> str:
    """A name of a folder from any text."""
    return "_".join(re.findall(r"[a-z0-9]+", text.lower()))[:40] or "domain"
