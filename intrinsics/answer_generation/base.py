"""The contract of answer generation."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from contracts.question import AugmentedQuestion, Choice
from contracts.text import Passage
from contracts.verdicts import Draft


@dataclass(frozen=True, slots=True, kw_only=True)
class WritingBrief:
    """What a writer works from.

    ``question`` keeps the asker's words and the readings; ``choices`` are the options of a multiple-choice question;
    ``critique`` and ``draft`` are set on a rewrite only. ``begun`` is what the same writer has begun for an equal
    brief, if anything.
    """

    question: AugmentedQuestion
    passages: tuple[Passage, ...]
    choices: tuple[Choice, ...] = ()
    critique: str = ""
    draft: str = ""
    begun: "BegunDraft | None" = field(default=None, compare=False, repr=False)


class BegunDraft(Protocol):
    """A draft that is on its way before it is known whether it is wanted.

    It is handed out by ``AnswerWriter.write``, once, from its first word on. What goes wrong with it is raised there.
    """

    async def end(self) -> None:
        """End what is under way of it, and return when it has ended; one that was handed out is left as it is."""
        ...


class AnswerWriter(Protocol):
    """Writes the answer from passages."""

    def write(self, brief: WritingBrief) -> AsyncIterator[str | Draft]:
        """Write the answer from the brief's passages only: text as it comes, then one ``Draft``, the whole.

        Where the two differ (another writer took over), the draft's text holds.
        """
        ...


@runtime_checkable
class StartingAnswerWriter(AnswerWriter, Protocol):
    """Writes the answer from passages, and can begin before it is known whether that is wanted."""

    def begin(self, brief: WritingBrief) -> BegunDraft:
        """Begin the draft that ``write`` hands out for the same brief with this as ``begun``.

        Must be called on the event loop and returns at once; whoever calls it sees to ``end``.
        """
        ...
