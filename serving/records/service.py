"""The actions on records: conversations and feedback; for reviewers, also turns, test cases and the overview."""

import asyncio
import json
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal

from agent.chatbot import Chatbot
from contracts.answer import AnswerEvent
from contracts.case_runs import CaseRun, ReviewCase, RunDetails
from contracts.errors import InvalidInput
from contracts.question import LOCAL_ACCOUNT, Asker, Turn
from contracts.records import (
    CONCERNS,
    LOW_CERTAINTY,
    Concern,
    Conversation,
    ConversationDetails,
    ConversationPage,
    Feedback,
    FeedbackReason,
    FeedbackVerdict,
    ReviewDetails,
    ReviewFilter,
    ReviewPage,
    ReviewState,
    ReviewTurn,
    StoredTurn,
    common_groups,
)
from contracts.usage import UsageOverview
from library.records.case_runs import CaseRunStore
from library.records.cases import CaseStore
from library.records.conversations import ConversationStore
from library.records.feedback import FeedbackStore
from library.records.reviews import ReviewStore
from library.records.rows import PageCursor
from library.records.usage import count_usage
from library.store import LibraryStore
from serving.access import Actor
from serving.records.case_runner import CaseExaminer, CaseRunner
from serving.records.exports import ExportedConversation, as_json, as_markdown, exported_conversations, turns_of

MAX_DAYS = 400
_DAYS_SHOWN = 30
_FIRST_YEAR = 2000
_REPLAY = "replay"

ExportFormat = Literal["markdown", "json"]


class RecordsService:
    """Manages people's records. An account sees its own conversations; a reviewer sees those based on documents that
    they may read.

    Records that do not exist, or are not theirs, are ``NotFound``; an invalid ``after`` is ``InvalidInput``. Further
    errors are those of the stores in ``library.records``.

    ``chatbot`` answers again without storing anything; ``engine_name`` describes its engine; ``examiner`` runs test
    cases. ``keeps`` means that new questions are stored, for ``days`` days (0: forever). Functions that are not
    ``async`` block. Every method raises ``Unavailable`` if the database cannot be used right now.
    """

    def __init__(
        self,
        store: LibraryStore,
        *,
        chatbot: Chatbot,
        examiner: CaseExaminer,
        engine_name: str = "",
        keeps: bool = True,
        days: int = 0,
    ) -> None:
        self._engine = engine = store.engine
        self._conversations = ConversationStore(engine)
        self._feedback = FeedbackStore(engine)
        self._review = ReviewStore(engine)
        self._cases = CaseStore(engine)
        self._runs = CaseRunStore(engine)
        self._runner = CaseRunner(self._runs, examiner)
        self._chatbot = chatbot
        self._keeps = keeps
        self._days = days
        self.engine_name = engine_name

    async def close(self) -> None:
        await self._runner.close()

    def conversations(
        self, actor: Actor, *, text: str = "", channel: str = "", after: str = "", limit: int = 50
    ) -> ConversationPage:
        """List conversations of ``channel`` ("" for all) that contain ``text``, most recently changed first."""
        place = place_of(after)
        found = self._conversations.page(account_of(actor), text=text, channel=channel, after=place, limit=limit + 1)
        page = found[:limit]
        following = word_of(page[-1].changed_at, page[-1].id) if len(found) > limit else None
        return ConversationPage(conversations=page, next=following, kept=self._keeps, days=self._days)

    def conversation(
        self, actor: Actor, conversation_id: str, *, after: str = "", limit: int = 50
    ) -> ConversationDetails:
        account, place = account_of(actor), place_of(after)
        conversation = self._conversations.find(account, conversation_id)
        found = self._conversations.turns(account, conversation_id, actor.groups, after=place, limit=limit + 1)
        return ConversationDetails(**dict(conversation), turns=found[:limit], next=_next_of(found, limit))

    def rename(self, actor: Actor, conversation_id: str, title: str, *, version: int | None = None) -> Conversation:
        """Rename a conversation if it still has ``version`` (None: any)."""
        return self._conversations.rename(account_of(actor), conversation_id, title, version=version)

    def delete(self, actor: Actor, conversation_id: str) -> None:
        self._conversations.delete(account_of(actor), conversation_id)

    def delete_all(self, actor: Actor, *, channel: str = "") -> int:
        """Delete every conversation of the account and ``channel`` ("" for all); return how many were deleted."""
        return self._conversations.delete_all(account_of(actor), channel=channel)

    def export(self, actor: Actor, kind: ExportFormat, conversation_id: str = "") -> Iterator[str]:
        """Return a file with one conversation, or all those of the account, in pieces that are read lazily."""
        account, store = account_of(actor), self._conversations
        if conversation_id:
            conversation = store.find(account, conversation_id)
            conversations: Iterator[ExportedConversation] = iter(
                [(conversation, turns_of(store, account, conversation.id, actor.groups))]
            )
        else:
            # Errors that occur at once are raised before the first piece is sent.
            store.page(account, limit=1)
            conversations = exported_conversations(store, account, actor.groups)
        return as_json(conversations) if kind == "json" else as_markdown(conversations)

    def give_feedback(
        self, actor: Actor, turn_id: str, verdict: FeedbackVerdict, *, reason: FeedbackReason = "", text: str = ""
    ) -> Feedback:
        """Store the caller's feedback on an answer; doing so again replaces it."""
        return self._feedback.give(account_of(actor), turn_id, verdict, reason=reason, text=text)

    def take_back(self, actor: Actor, turn_id: str) -> None:
        self._feedback.take_back(account_of(actor), turn_id)

    def review(self, actor: Actor, wanted: ReviewFilter, *, after: str = "", limit: int = 50) -> ReviewPage:
        """Return a page of the turns to review, newest first.

        A turn is listed if ``actor`` may read everything that its answer could be based on: the groups of the person
        who asked, and the documents that it names.
        """
        found = self._review.page(actor.groups, wanted, after=place_of(after), limit=limit + 1)
        items = tuple(_to_review(each, wanted.certainty_below) for each in found[:limit])
        return ReviewPage(items=items, total=self._review.count(actor.groups, wanted), next=_next_of(found, limit))

    def review_totals(self, actor: Actor, wanted: ReviewFilter) -> dict[Concern, int]:
        """Count the turns of each concern, regardless of which are ``wanted``."""
        return {
            concern: self._review.count(actor.groups, wanted.model_copy(update={"concerns": (concern,)}))
            for concern in CONCERNS
        }

    def turn(self, actor: Actor, turn_id: str) -> ReviewDetails:
        turn = self._review.find(actor.groups, turn_id)
        before = self._review.before(actor.groups, turn_id)
        return ReviewDetails(**dict(turn), certainty_below=LOW_CERTAINTY, before=before)

    def decide(
        self, actor: Actor, turn_id: str, state: ReviewState, *, note: str = "", version: int | None = None
    ) -> ReviewTurn:
        """Record a reviewer's decision, replacing the decision at ``version`` (0: none yet; None: any)."""
        decided = self._review.decide(actor.groups, turn_id, state, note=note, who=actor.name, version=version)
        return _to_review(decided)

    async def replay(self, actor: Actor, turn_id: str) -> AsyncGenerator[AnswerEvent, None]:
        """Ask a stored question again with the current settings, documents and dictionary, and return the events.

        It uses the same chosen documents, and the groups that both ``actor`` and the person who asked may read. Nothing
        is stored.

        Raises:
            InvalidInput: the question cannot be asked.
        """
        turn = await asyncio.to_thread(self.turn, actor, turn_id)
        groups = common_groups(turn.asker_groups, actor.groups)
        asker = Asker(
            department=turn.department, groups=groups, documents=turn.asked_documents, name=actor.name, channel=_REPLAY
        )
        return self._chatbot.stream(turn.answer.question, history=_history_of(turn.before), asker=asker)

    def make_case(
        self, actor: Actor, turn_id: str, given: Mapping[str, Any], *, with_history: bool = True
    ) -> ReviewCase:
        """Make a test case from a turn: a line of a quiz for `golden eval quiz`.

        If nobody rated the answer as wrong, its outcome, first cited page and first reading are expected, unless
        ``given`` sets them.
        """
        turn = self.turn(actor, turn_id)
        history = tuple(each.question for each in turn.before) if with_history else ()
        return self._cases.make(turn, given, history=history, who=actor.name)

    def cases(self, actor: Actor) -> tuple[ReviewCase, ...]:
        return self._cases.cases(actor.groups)

    def export_cases(self, actor: Actor) -> bytes:
        """Return test cases as a quiz that `golden eval quiz` reads, one JSON object per line."""
        lines = "".join(f"{json.dumps(each.case, ensure_ascii=False)}\n" for each in self.cases(actor))
        return lines.encode("utf-8", "backslashreplace")

    def change_case(
        self, actor: Actor, case_id: str, given: Mapping[str, Any], *, version: int | None = None
    ) -> ReviewCase:
        """Change fields of a test case at ``version`` (None: any); those that are None are cleared."""
        return self._cases.change(actor.groups, case_id, given, version=version)

    def remove_case(self, actor: Actor, case_id: str) -> None:
        self._cases.remove(actor.groups, case_id)

    async def start_run(self, actor: Actor) -> CaseRun:
        """Start running every test case that ``actor`` may see; one run at a time."""
        cases = await asyncio.to_thread(self.cases, actor)
        return await self._runner.start(cases, actor.groups, who=actor.name)

    def runs(self, actor: Actor, *, limit: int = 50) -> tuple[CaseRun, ...]:
        """Return the newest runs by people whose groups ``actor`` may read, newest first."""
        return self._runs.runs(actor.groups, limit=limit)

    def run(self, actor: Actor, run_id: str) -> RunDetails:
        run = self._runs.find(actor.groups, run_id)
        return RunDetails(**dict(run), results=self._runs.results(actor.groups, run_id))

    async def cancel_run(self, actor: Actor, run_id: str) -> CaseRun:
        """Stop a run; the results so far are kept."""
        return await self._runner.cancel(actor.groups, run_id)

    def overview(self, actor: Actor, first_day: str = "", last_day: str = "") -> UsageOverview:
        """Count the questions that ``actor`` may review, by day in UTC: the last 30 days, unless others are named.

        Raises:
            InvalidInput: a day is not valid, or there are more than 400.
        """
        last = _day(last_day, "last_day") if last_day else datetime.now(UTC).date()
        first = _day(first_day, "first_day") if first_day else last - timedelta(days=_DAYS_SHOWN - 1)
        if not timedelta(0) <= last - first < timedelta(days=MAX_DAYS):
            raise InvalidInput(
                f"first_day: choose 1 to {MAX_DAYS} days, the first before the last, not {first} to {last}.",
                field="first_day",
            )
        return count_usage(self._engine, actor.groups, str(first), str(last))


def account_of(actor: Actor) -> str:
    """Return the account of this actor's records; if callers are not distinguished, everybody shares one."""
    return actor.account or LOCAL_ACCOUNT


def word_of(moment: datetime, entry_id: str) -> str:
    """Return the token for the position at which a list continues."""
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}_{entry_id}"


def place_of(word: str) -> PageCursor | None:
    """Return the position at which a list continues; None for its beginning.

    Raises:
        InvalidInput: the token is not valid.
    """
    if not word:
        return None
    moment, _, entry_id = word.partition("_")
    try:
        return datetime.strptime(moment, "%Y-%m-%dT%H:%M:%S.%f").replace(tzinfo=UTC), entry_id
    except ValueError:
        raise InvalidInput("after is not valid: send `next` of the previous page unchanged.", field="after") from None


def _next_of(found: Sequence[StoredTurn], limit: int) -> str | None:
    return word_of(found[limit - 1].asked_at, found[limit - 1].id) if len(found) > limit else None


def _to_review(turn: StoredTurn, certainty_below: float = LOW_CERTAINTY) -> ReviewTurn:
    return ReviewTurn(**dict(turn), certainty_below=certainty_below)


def _history_of(before: Sequence[StoredTurn]) -> tuple[Turn, ...]:
    """Return the earlier turns as a conversation; for withheld ones, only the question."""
    turns: list[Turn] = []
    for each in before:
        turns.append(Turn(role="user", text=each.question))
        if each.text:
            turns.append(Turn(role="assistant", text=each.text))
    return tuple(turns)


def _day(given: str, field: str) -> date:
    try:
        found = date.fromisoformat(given)
    except ValueError:
        found = date.min
    if found.year < _FIRST_YEAR:
        raise InvalidInput(f"{field}: {given} is not a valid date: write it as YYYY-MM-DD.", field=field)
    return found
