"""Conversations as the chat shows them; a limited number of them is kept in memory while the server runs."""

import secrets
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from contracts.answer import Answer, Citation, Step
from contracts.jargon import Reading
from contracts.question import SensePick, Turn
from contracts.records import Feedback, StoredTurn

_ID_BYTES = 16
_MAX_ID_CHARACTERS = 200
# The bot itself decides how many earlier turns it reads.
_TURNS_TOLD = 20
# A turn is stored in the background after its answer.
_KEPT_WITHIN_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The choices for a question: the asker's department, the group and the ids of the documents to search.

    Empty values mean any department and all documents.
    """

    department: str = ""
    collection: str = ""
    documents: tuple[str, ...] = ()


NOTHING_CHOSEN = Chosen()


@dataclass(slots=True, kw_only=True)
class Exchange:
    """A question and its results so far.

    ``question`` is in the asker's words; ``asked`` is the question sent to the bot; ``note`` is what was changed when
    it was asked again. ``picks`` are the chosen meanings. ``passages`` is how many are searched, 0 until that is known.
    ``readings`` are the interpretations of terms, ``running`` the active nodes, and ``draft`` the streamed text.
    ``withheld`` is the reason why a stored answer is not shown. ``problem`` is a message if there is no answer.
    ``took_s`` is the time from question to end. ``finished`` is False while the bot works; ``ended_at`` is when it
    ended here, by the monotonic clock. The manager was asked to explain the terms in ``wanted``; ``collection`` is the
    group of documents that was searched, "" for all and for stored exchanges.
    """

    number: int
    question: str
    asked: str = ""
    note: str = ""
    picks: tuple[SensePick, ...] = ()
    passages: int = 0
    steps: list[Step] = field(default_factory=list)
    readings: tuple[Reading, ...] = ()
    running: list[str] = field(default_factory=list)
    draft: str = ""
    answer: Answer | None = None
    withheld: str = ""
    problem: str = ""
    took_s: float = 0.0
    stopped: bool = False
    finished: bool = False
    ended_at: float = 0.0
    feedback: Feedback | None = None
    wanted: tuple[str, ...] = ()
    collection: str = ""

    @property
    def citations(self) -> tuple[Citation, ...]:
        """The citations of the answer; none until it is complete."""
        return self.answer.quoted if self.answer is not None else ()

    @property
    def text(self) -> str:
        """The answer's text, "" until it is complete."""
        return self.answer.text if self.answer is not None else ""

    @property
    def turn_id(self) -> str:
        """The id of the stored turn; "" if it is not stored."""
        return self.answer.turn_id if self.answer is not None else ""

    def citation(self, number: int) -> Citation | None:
        return next((each for each in self.citations if each.number == number), None)


@dataclass(slots=True, kw_only=True)
class Conversation:
    """A conversation as the chat shows it. ``picks`` are the meanings that the asker chose for all its questions."""

    id: str
    exchanges: list[Exchange] = field(default_factory=list)
    picks: tuple[SensePick, ...] = ()

    def begin(self, question: str, **fields: Any) -> Exchange:
        """Add an exchange with these ``fields``, and stop a running one: a person waits for one answer at a time."""
        for exchange in self.exchanges:
            if not exchange.finished:
                exchange.stopped, exchange.finished = True, True
        self.exchanges.append(Exchange(number=len(self.exchanges) + 1, question=question, **fields))
        return self.exchanges[-1]

    def exchange(self, number: int) -> Exchange | None:
        """Return the exchange with that number, counted from 1, or None."""
        return self.exchanges[number - 1] if 1 <= number <= len(self.exchanges) else None

    def history(self, collection: str = "") -> tuple[Turn, ...]:
        """Return the turns so far, as sent to the bot.

        A question about one group's documents is stored for that group, so answers from other groups are left out.
        """
        told = [
            each
            for each in self.exchanges
            if each.text and not each.withheld and (not collection or each.collection == collection)
        ]
        turns: list[Turn] = []
        for each in told[-_TURNS_TOLD:]:
            turns.append(Turn(role="user", text=each.asked or each.question))
            turns.append(Turn(role="assistant", text=each.text))
        return tuple(turns)

    def choose(self, pick: SensePick) -> None:
        """Remember a chosen meaning; it replaces an earlier choice for the same term."""
        kept = tuple(each for each in self.picks if each.term.casefold() != pick.term.casefold())
        self.picks = (*kept, pick)

    def picks_to_ask(self) -> tuple[SensePick, ...]:
        """Return the chosen meanings for the question asked now; later questions receive them as earlier choices.

        If the asker has since corrected a meaning in words, so that the last answer interpreted its term differently,
        the correction applies.
        """
        picks = tuple(self._as_read_last(each) if each.kept else each for each in self.picks)
        # A meaning in the user's own words applies to that question only.
        self.picks = tuple(_held_on(each) for each in picks if each.decision == "one")
        return picks

    def _as_read_last(self, pick: SensePick) -> SensePick:
        # An answer given before the choice, or stopped early, does not contradict it.
        answers = (each.answer for each in reversed(self.exchanges) if pick in map(_held_on, each.picks))
        last = next((answer for answer in answers if answer is not None), None)
        for reading in last.readings if last is not None else ():
            if reading.sense is not None and reading.term.casefold() == pick.term.casefold():
                sense = reading.sense
                return pick.model_copy(update={"extended_name": sense.extended_name, "context": sense.context})
        return pick


def _held_on(pick: SensePick) -> SensePick:
    """Return a choice in the form in which it applies to later questions."""
    return pick.model_copy(update={"kept": True})


class RecentConversations:
    """Keeps up to ``most`` recently used conversations, each for its owner."""

    def __init__(self, most: int = 200) -> None:
        self._most = most
        self._kept: OrderedDict[tuple[str, str], Conversation] = OrderedDict()

    def find(self, owner: str, conversation_id: str) -> Conversation | None:
        found = self._kept.get((owner, conversation_id))
        if found is not None:
            self._kept.move_to_end((owner, conversation_id))
        return found

    def put(self, owner: str, conversation: Conversation) -> Conversation:
        """Keep a conversation; the least recently used one may be dropped."""
        self._kept[owner, conversation.id] = conversation
        self._kept.move_to_end((owner, conversation.id))
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return conversation


def new_conversation_id() -> str:
    """Return an id that nobody can guess: if callers are not distinguished, only the id protects a conversation."""
    return secrets.token_hex(_ID_BYTES)


def conversation_id_in(value: object) -> str:
    """Return the id that a browser sent, "" for anything that cannot be one."""
    plain = isinstance(value, str) and value.isascii() and value.isprintable() and not set(value) & set(" /\\?#%\"'<>")
    return value if plain and isinstance(value, str) and 0 < len(value) <= _MAX_ID_CHARACTERS else ""


def synchronise(conversation: Conversation, turns: Sequence[StoredTurn], *, known: bool) -> None:
    """Synchronise the conversation with its stored turns; ``known`` means that the server stores the conversation.

    Stored turns appear as the server shows them now, because permissions and documents change. Exchanges that are never
    stored, such as stopped questions, stay while the server runs; turns that are no longer stored were deleted.
    """
    kept = {turn.id: turn for turn in turns}
    shown = {each.turn_id: each for each in conversation.exchanges if each.turn_id}
    left = [each for each in conversation.exchanges if not each.turn_id or each.turn_id in kept or _is_fresh(each)]
    if not known and shown and not any(each.turn_id for each in left):
        left = []
    if not set(kept) <= set(shown):
        others = [each for each in left if each.turn_id not in kept]
        left = [shown.get(turn.id) or _exchange_of(turn) for turn in turns] + others
    for number, exchange in enumerate(left, start=1):
        exchange.number = number
        if turn := kept.get(exchange.turn_id):
            _refresh(exchange, turn)
    conversation.exchanges = left


def _is_fresh(exchange: Exchange) -> bool:
    """Return whether an exchange ended so recently that the server may be about to store it."""
    return exchange.ended_at > 0 and time.monotonic() - exchange.ended_at < _KEPT_WITHIN_S


def _exchange_of(turn: StoredTurn) -> Exchange:
    question = turn.answer.question
    exchange = Exchange(number=0, question=question, asked=question, finished=True, took_s=turn.seconds)
    _refresh(exchange, turn)
    return exchange


def _refresh(exchange: Exchange, turn: StoredTurn) -> None:
    follow_ups = exchange.answer.follow_ups if exchange.answer is not None else ()
    exchange.answer = turn.answer.model_copy(update={"turn_id": turn.id, "follow_ups": follow_ups})
    exchange.withheld, exchange.feedback, exchange.steps = turn.withheld, turn.feedback, list(turn.answer.steps)
