"""What the records' routes work with."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from agent.chatbot import Chatbot
from contracts.question import LOCAL_ACCOUNT
from library.records.case_values import CaseResult, CaseRun, RunMeasure
from library.records.values import (
    Conversation,
    Feedback,
    Groups,
    KeptTurn,
    Overview,
    Reason,
    ReviewCase,
    ReviewFilter,
    ReviewState,
    Verdict,
)
from serving.access import Actor

# Behind which entry a page begins: a moment, and an id.
Place = tuple[datetime, str]


class ConversationKeeper(Protocol):
    """Keeps the conversations of each account. Blocking; the methods are those of ``ConversationStore``."""

    def page(
        self, account: str, *, text: str = "", after: Place | None = None, limit: int = 50
    ) -> tuple[Conversation, ...]:
        """Return the account's conversations that hold ``text``, the last changed first."""
        ...

    def find(self, account: str, conversation_id: str) -> Conversation:
        """Return one; ``NotFound`` where there is none."""
        ...

    def turns(
        self, account: str, conversation_id: str, groups: Groups, *, after: Place | None = None, limit: int = 100
    ) -> tuple[KeptTurn, ...]:
        """Return the turns of a conversation, the oldest first."""
        ...

    def rename(self, account: str, conversation_id: str, title: str, *, version: int | None = None) -> Conversation:
        """Give a conversation a title; ``Conflict`` where it is at another version."""
        ...

    def delete(self, account: str, conversation_id: str) -> None:
        """Delete a conversation; ``NotFound`` where there is none."""
        ...

    def delete_all(self, account: str) -> int:
        """Delete every conversation of the account."""
        ...


class FeedbackKeeper(Protocol):
    """Keeps what askers say of answers. Blocking; the methods are those of ``FeedbackStore``."""

    def give(self, account: str, turn_id: str, verdict: Verdict, *, reason: Reason = "", text: str = "") -> Feedback:
        """Note what the account says of its answer; ``NotFound`` where the turn is none of its own."""
        ...

    def find(self, account: str, turn_id: str) -> Feedback:
        """Return what the account said."""
        ...

    def take_back(self, account: str, turn_id: str) -> None:
        """Delete what the account said."""
        ...

    def page(
        self, groups: Groups, *, verdict: Verdict | None = None, after: Place | None = None, limit: int = 50
    ) -> tuple[KeptTurn, ...]:
        """Return turns with feedback, the last said first."""
        ...


class TurnReviewer(Protocol):
    """Keeps what is to be reviewed. Blocking; the methods are those of ``ReviewStore``."""

    def page(
        self, groups: Groups, wanted: ReviewFilter, *, after: Place | None = None, limit: int = 50
    ) -> tuple[KeptTurn, ...]:
        """Return the turns that are wanted, the newest first."""
        ...

    def count(self, groups: Groups, wanted: ReviewFilter) -> int:
        """Return how many turns are wanted."""
        ...

    def find(self, groups: Groups, turn_id: str) -> KeptTurn:
        """Return a turn; ``NotFound`` where the reviewer may see none of this id."""
        ...

    def before(self, groups: Groups, turn_id: str, *, limit: int = 10) -> tuple[KeptTurn, ...]:
        """Return the turns before this one."""
        ...

    def decide(
        self,
        groups: Groups,
        turn_id: str,
        state: ReviewState,
        *,
        note: str = "",
        who: str = "",
        version: int | None = None,
    ) -> KeptTurn:
        """Note what a reviewer decided; ``Conflict`` where somebody did meanwhile."""
        ...


class CaseKeeper(Protocol):
    """Keeps test cases. Blocking; the methods are those of ``CaseStore``."""

    def make(self, turn: KeptTurn, given: Mapping[str, Any], *, history: tuple[str, ...] = (), who: str) -> ReviewCase:
        """Make a case of a turn."""
        ...

    def cases(self, groups: Groups) -> tuple[ReviewCase, ...]:
        """Return the cases, the oldest first."""
        ...

    def change(
        self, groups: Groups, case_id: str, given: Mapping[str, Any], *, version: int | None = None
    ) -> ReviewCase:
        """Change fields of a case; ``Conflict`` where somebody did meanwhile."""
        ...

    def remove(self, groups: Groups, case_id: str) -> None:
        """Remove a case."""
        ...


class CaseRunKeeper(Protocol):
    """Keeps runs of test cases. Blocking; the methods are those of ``CaseRunStore``."""

    def begin(self, groups: Groups, measure: RunMeasure, *, who: str, cases: int) -> CaseRun:
        """Begin a run; ``Conflict`` where one is under way, in whichever process."""
        ...

    def add(self, run_id: str, result: CaseResult) -> None:
        """Keep how a case went."""
        ...

    def live(self, run_id: str) -> bool:
        """Note that the run's process lives, and return whether the run is to go on."""
        ...

    def end(self, run_id: str, state: str, *, reason: str = "") -> None:
        """Note how a run ended."""
        ...

    def ask_to_stop(self, groups: Groups, run_id: str) -> CaseRun:
        """Ask the process of a run to stop it; ``Conflict`` where it is over."""
        ...

    def runs(self, groups: Groups, *, limit: int = 50) -> tuple[CaseRun, ...]:
        """Return the newest runs, the newest first."""
        ...

    def find(self, groups: Groups, run_id: str) -> CaseRun:
        """Return a run; ``NotFound`` where the reviewer may see none of this id."""
        ...

    def results(self, groups: Groups, run_id: str) -> tuple[CaseResult, ...]:
        """Return how the cases of a run went, those that failed first."""
        ...


class CaseExaminer(Protocol):
    """Asks test cases and holds the answers against what is expected. Nothing of it is kept or counted elsewhere."""

    async def measure(self) -> RunMeasure:
        """Return what is measured now."""
        ...

    async def examine(self, case: ReviewCase, groups: Groups) -> CaseResult:
        """Ask a case over documents of ``groups``; what cannot be asked is a result, too."""
        ...


class TurnCounter(Protocol):
    """Counts turns. Blocking."""

    def count(self, groups: Groups, first_day: str, last_day: str) -> Overview:
        """Count the turns of some days."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewBench:
    """What asks again: ``chatbot`` answers and keeps nothing, ``engine`` says what it is set to.

    ``runs`` are those of test cases, which ``examiner`` asks.
    """

    chatbot: Chatbot
    engine: str
    runs: CaseRunKeeper
    examiner: CaseExaminer


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordsDesk:
    """What is served. ``keeps``: new questions are kept; ``days`` is for how long, 0 for good."""

    conversations: ConversationKeeper
    feedback: FeedbackKeeper
    reviewer: TurnReviewer
    cases: CaseKeeper
    counter: TurnCounter
    bench: ReviewBench
    keeps: bool = True
    days: int = 0


def account_of(actor: Actor) -> str:
    """Return whose records are this actor's; where nobody is told apart, they are everybody's."""
    return actor.account or LOCAL_ACCOUNT
