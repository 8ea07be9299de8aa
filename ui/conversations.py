"""What the chat shows of each conversation: its exchanges, kept in a bounded memory so that a reload finds them."""

import secrets
import string
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from contracts.answer import Answer, Citation, JudgedSentence, Step
from contracts.question import SensePick, Turn

_ID_LENGTH = 32


@dataclass(slots=True, kw_only=True)
class Exchange:
    """A question and what came of it so far.

    ``question`` is in the asker's words; ``note`` says what was changed when it was asked again. ``running`` are the
    nodes at work, ``draft`` what was streamed, ``found`` and ``judged`` what the checks of the whole draft brought so
    far. ``restored`` is the answer's text where nothing else of it is left.
    ``problem`` is a line for people where there is no answer. ``took_s`` is the time from question to end.
    ``finished`` is False while the bot works.
    """

    number: int
    question: str
    note: str = ""
    steps: list[Step] = field(default_factory=list)
    running: list[str] = field(default_factory=list)
    draft: str = ""
    found: tuple[Citation, ...] = ()
    judged: tuple[JudgedSentence, ...] = ()
    answer: Answer | None = None
    restored: str = ""
    problem: str = ""
    took_s: float = 0.0
    stopped: bool = False
    finished: bool = False

    @property
    def citations(self) -> tuple[Citation, ...]:
        """The answer's citations, or until it is there those that were found so far."""
        return self.answer.citations if self.answer is not None else self.found

    def citation(self, number: int) -> Citation | None:
        """Return the citation with that number, or None."""
        return next((each for each in self.citations if each.number == number), None)

    def withdraw(self) -> None:
        """Take back the draft with all that was found about it."""
        self.draft, self.found, self.judged = "", (), ()


@dataclass(slots=True, kw_only=True)
class Conversation:
    """A conversation as the chat shows it. ``picks`` are the meanings that the asker chose; they hold to its end.

    It is that of ``account``: under another one, the same id is another conversation.
    """

    id: str
    account: str = ""
    exchanges: list[Exchange] = field(default_factory=list)
    picks: tuple[SensePick, ...] = ()

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from every other conversation."""
        return self.account, self.id

    def begin(self, question: str, *, note: str = "") -> Exchange:
        """Add an exchange; one that is still under way is stopped, for a person waits for one answer at a time."""
        for exchange in self.exchanges:
            if not exchange.finished:
                exchange.stopped, exchange.finished = True, True
        self.exchanges.append(Exchange(number=len(self.exchanges) + 1, question=question, note=note))
        return self.exchanges[-1]

    def exchange(self, number: int) -> Exchange | None:
        """Return the exchange with that number, counted from 1, or None."""
        return self.exchanges[number - 1] if 1 <= number <= len(self.exchanges) else None

    def choose(self, pick: SensePick) -> None:
        """Remember a chosen meaning; it replaces an earlier choice for the same term."""
        kept = tuple(each for each in self.picks if each.term.casefold() != pick.term.casefold())
        self.picks = (*kept, pick)

    def picks_to_ask(self) -> tuple[SensePick, ...]:
        """Return the chosen meanings for a question that is asked now; for the next one they are kept from before.

        One that the asker corrected in words since, so that the last answer read its term otherwise, follows that.
        """
        picks = tuple(self._as_read_last(each) if each.kept else each for each in self.picks)
        self.picks = tuple(replace(each, kept=True) for each in picks)
        return picks

    def _as_read_last(self, pick: SensePick) -> SensePick:
        last = next((each.answer for each in reversed(self.exchanges) if each.answer is not None), None)
        for reading in last.readings if last is not None else ():
            if reading.sense is not None and reading.mention.term.casefold() == pick.term.casefold():
                return replace(pick, extended_name=reading.sense.extended_name, context=reading.sense.context)
        return pick


class ConversationShelf:
    """Keeps the conversations used last, at most ``most`` of them; what was put away is read from the bot's memory."""

    def __init__(self, most: int = 200) -> None:
        self._most = most
        self._kept: OrderedDict[tuple[str, str], Conversation] = OrderedDict()

    def find(self, account: str, conversation_id: str) -> Conversation | None:
        """Return the conversation of ``account`` if it is still at hand."""
        found = self._kept.get((account, conversation_id))
        if found is not None:
            self._kept.move_to_end(found.key)
        return found

    def put(self, conversation: Conversation) -> Conversation:
        """Keep a conversation; the one that was not used for longest may go."""
        self._kept[conversation.key] = conversation
        self._kept.move_to_end(conversation.key)
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return conversation

    def drop(self, conversation: Conversation) -> None:
        """Forget a conversation; it may be unknown."""
        self._kept.pop(conversation.key, None)


def new_conversation_id() -> str:
    """Return an id that nobody can guess: where nobody is told apart, it is all that protects a conversation."""
    return secrets.token_hex(_ID_LENGTH // 2)


def is_conversation_id(value: object) -> bool:
    """Say whether ``value``, which came from a browser, has the form of our ids."""
    return isinstance(value, str) and len(value) == _ID_LENGTH and set(value) <= set(string.hexdigits.lower())


def restore(account: str, conversation_id: str, turns: Sequence[Turn]) -> Conversation:
    """Rebuild a conversation from its turns: the words are there, passages and steps are not."""
    conversation = Conversation(id=conversation_id, account=account)
    for turn in turns:
        if turn.role == "user":
            number = len(conversation.exchanges) + 1
            conversation.exchanges.append(Exchange(number=number, question=turn.text, finished=True))
        elif conversation.exchanges:
            conversation.exchanges[-1].restored = turn.text
    return conversation
