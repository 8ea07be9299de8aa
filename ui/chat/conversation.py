"""What the chat shows of a conversation: its exchanges, kept in a bounded memory while the server runs."""

import secrets
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from contracts.answer import Answer, Citation, JudgedSentence, Step
from contracts.jargon import Reading
from contracts.question import SensePick, Turn
from contracts.records import Feedback, StoredTurn

_ID_BYTES = 16
_MAX_ID_CHARACTERS = 200
# The bot reads back a few turns; it says itself how many.
_TURNS_TOLD = 20
# A turn is kept behind its answer's back.
_KEPT_WITHIN_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What is chosen beside a question: the asker's department, the group and the ids of the documents to ask.

    "" and none are any department and all documents.
    """

    department: str = ""
    collection: str = ""
    documents: tuple[str, ...] = ()


NOTHING_CHOSEN = Chosen()


@dataclass(slots=True, kw_only=True)
class Exchange:
    """A question and what came of it so far.

    ``question`` is in the asker's words, ``asked`` what the bot was asked; ``note`` says what was changed when it
    was asked again. ``picks`` are the meanings that it was asked with, ``before`` the answer that it was asked again
    after. ``passages`` is how many are searched, 0 until that is known, ``readings`` say how the terms were read,
    ``running`` are the nodes at work, ``draft`` is what was streamed, ``found`` and ``judged`` what the checks of the
    draft brought so far. ``withheld`` says why a kept answer is not shown. ``problem`` is a line for people where
    there is no answer. ``took_s`` is the time from question to end.
    ``finished`` is False while the bot works; ``ended_at`` is when it ended here, by the monotonic clock. The manager
    was asked for the terms in ``wanted``; ``collection`` is the group of documents that was asked, "" for all and for
    what was kept.
    """

    number: int
    question: str
    asked: str = ""
    note: str = ""
    picks: tuple[SensePick, ...] = ()
    before: Answer | None = None
    passages: int = 0
    steps: list[Step] = field(default_factory=list)
    readings: tuple[Reading, ...] = ()
    running: list[str] = field(default_factory=list)
    draft: str = ""
    found: tuple[Citation, ...] = ()
    judged: tuple[JudgedSentence, ...] = ()
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
        """What the answer quotes, or until it is there the citations that were found so far."""
        return self.answer.quoted if self.answer is not None else self.found

    @property
    def text(self) -> str:
        """The answer's text, "" until it is there."""
        return self.answer.text if self.answer is not None else ""

    @property
    def turn_id(self) -> str:
        """What names it where it is kept; "" if it is not."""
        return self.answer.turn_id if self.answer is not None else ""

    def citation(self, number: int) -> Citation | None:
        return next((each for each in self.citations if each.number == number), None)

    def withdraw(self) -> None:
        """Take back the draft with all that was found about it."""
        self.draft, self.found, self.judged = "", (), ()


@dataclass(slots=True, kw_only=True)
class Conversation:
    """A conversation as the chat shows it. ``picks`` are the meanings that the asker chose; they hold to its end."""

    id: str
    exchanges: list[Exchange] = field(default_factory=list)
    picks: tuple[SensePick, ...] = ()

    def begin(self, question: str, **fields: Any) -> Exchange:
        """Add an exchange with these ``fields``; one that is under way is stopped: a person waits for one answer."""
        for exchange in self.exchanges:
            if not exchange.finished:
                exchange.stopped, exchange.finished = True, True
        self.exchanges.append(Exchange(number=len(self.exchanges) + 1, question=question, **fields))
        return self.exchanges[-1]

    def exchange(self, number: int) -> Exchange | None:
        """Return the exchange with that number, counted from 1, or None."""
        return self.exchanges[number - 1] if 1 <= number <= len(self.exchanges) else None

    def history(self, collection: str = "") -> tuple[Turn, ...]:
        """Return the turns so far, as the bot is told them.

        A question to one group of documents is kept for its readers: answers out of others do not go into it.
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
        """Return the chosen meanings for a question that is asked now; for the next one they are kept from before.

        One that the asker corrected in words since, so that the last answer read its term otherwise, follows that.
        """
        picks = tuple(self._as_read_last(each) if each.kept else each for each in self.picks)
        # What was meant in their own words stands in that question, and in no other one.
        self.picks = tuple(_held_on(each) for each in picks if each.decision == "one")
        return picks

    def _as_read_last(self, pick: SensePick) -> SensePick:
        # An answer that was given before the choice, or stopped under way, says nothing against it.
        answers = (each.answer for each in reversed(self.exchanges) if pick in map(_held_on, each.picks))
        last = next((answer for answer in answers if answer is not None), None)
        for reading in last.readings if last is not None else ():
            if reading.sense is not None and reading.term.casefold() == pick.term.casefold():
                sense = reading.sense
                return pick.model_copy(update={"extended_name": sense.extended_name, "context": sense.context})
        return pick


def _held_on(pick: SensePick) -> SensePick:
    """Return a choice as it holds on for the questions after the one that it was made for."""
    return pick.model_copy(update={"kept": True})


class RecentConversations:
    """Keeps the conversations used last, at most ``most`` of them, each for whoever it is of."""

    def __init__(self, most: int = 200) -> None:
        self._most = most
        self._kept: OrderedDict[tuple[str, str], Conversation] = OrderedDict()

    def find(self, owner: str, conversation_id: str) -> Conversation | None:
        found = self._kept.get((owner, conversation_id))
        if found is not None:
            self._kept.move_to_end((owner, conversation_id))
        return found

    def put(self, owner: str, conversation: Conversation) -> Conversation:
        """Keep a conversation; the one that was not used for longest may go."""
        self._kept[owner, conversation.id] = conversation
        self._kept.move_to_end((owner, conversation.id))
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return conversation


def new_conversation_id() -> str:
    """Return an id that nobody can guess: where nobody is told apart, it is all that protects a conversation."""
    return secrets.token_hex(_ID_BYTES)


def conversation_id_in(value: object) -> str:
    """Return the id that a browser sent, "" for anything that cannot be one."""
    plain = isinstance(value, str) and value.isascii() and value.isprintable() and not set(value) & set(" /\\?#%\"'<>")
    return value if plain and isinstance(value, str) and 0 < len(value) <= _MAX_ID_CHARACTERS else ""


def bring_in_line(conversation: Conversation, turns: Sequence[StoredTurn], *, known: bool) -> None:
    """Bring what is shown in line with what is kept; ``known``: the server knows the conversation.

    What is kept comes as the server shows it now, for rights and documents change. What is not kept, such as a question
    that was stopped, stays while the server runs; what was kept and is gone was deleted.
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
    """Return whether it ended so shortly ago that the server may be about to keep it."""
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
