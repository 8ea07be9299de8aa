"""What a system is asked and what it answers, whatever it is made of."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from contracts.answer import Answer, Citation, Outcome
from contracts.jargon import Reading
from contracts.question import Choice, Turn
from contracts.text import Passage

_LETTER = re.compile(r"\W*([a-z])[.):](?=\s|$)", re.IGNORECASE)
_MARKS = re.compile(r"\[\d+\]|[*_`\\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemQuestion:
    """A question as every system gets it.

    ``text`` is the question without its ``choices``, ``history`` the turns before it, oldest first. ``gold`` are the
    passages that hold the answer: only a system that is given its passages may look at them.
    """

    text: str
    history: tuple[Turn, ...] = ()
    choices: tuple[Choice, ...] = ()
    gold: tuple[Passage, ...] = ()

    @property
    def asked(self) -> str:
        """The question as it is typed, its choices lettered behind it."""
        return " ".join([self.text, *(f"{choice.label}) {choice.text}" for choice in self.choices)])


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemAnswer:
    """An answer with what it was made from.

    ``draft`` is its text as it was written, without markers, "" where nothing was written. ``passages`` are those that
    were read for it, best first. ``answer.sentences`` carry the verdicts of the same judge for every system that read
    passages; a system without passages has none.
    """

    answer: Answer
    draft: str
    passages: tuple[Passage, ...]
    milliseconds: float

    @property
    def outcome(self) -> Outcome:
        """How it ended."""
        return self.answer.outcome

    @property
    def declined(self) -> bool:
        """Whether it gave no answer: it declined, did not know a term, or asked back."""
        return self.answer.outcome != "answered"

    @property
    def text(self) -> str:
        """The answer's text."""
        return self.answer.text

    @property
    def citations(self) -> tuple[Citation, ...]:
        """The evidence that it names."""
        return self.answer.citations

    @property
    def readings(self) -> tuple[Reading, ...]:
        """How it read the jargon of the question."""
        return self.answer.readings


class System(Protocol):
    """Answers questions."""

    @property
    def name(self) -> str:
        """Its name in tables."""
        ...

    @property
    def note(self) -> str:
        """What a reader of its row must know, "" for nothing."""
        ...

    async def answer(self, question: SystemQuestion) -> SystemAnswer:
        """Answer ``question``.

        Raises:
            Unavailable: something that it needs is not there just now.
        """
        ...


def lettered(options: Sequence[str]) -> tuple[Choice, ...]:
    """Return the options of a multiple-choice question with the labels a, b, c …"""
    return tuple(Choice(label=chr(ord("a") + index), text=option.strip()) for index, option in enumerate(options))


def chosen_label(text: str, choices: Sequence[Choice]) -> str:
    """Return the label of the choice that an answer's text names, "" for none.

    It begins with the label ("b) 1.5 V"), or it is a choice's words and nothing else.
    """
    plain = _MARKS.sub("", text).strip()
    labels = {choice.label.casefold(): choice.label for choice in choices}
    begins = _LETTER.match(plain)
    if begins and begins.group(1).casefold() in labels:
        return labels[begins.group(1).casefold()]
    said = plain.rstrip(" .").casefold()
    return next((choice.label for choice in choices if said in (choice.label, choice.text.rstrip(" .").casefold())), "")
