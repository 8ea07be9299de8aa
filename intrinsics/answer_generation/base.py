"""The contract of answer generation."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Protocol

from contracts.question import AugmentedQuestion, Choice
from contracts.text import Passage
from contracts.verdicts import Draft


@dataclass(frozen=True, slots=True, kw_only=True)
class WritingBrief:
    """The input of a writer.

    ``question`` contains the asker's words and the readings; ``choices`` are the options of a multiple-choice question.
    ``critique`` and ``draft`` are set only for a rewrite.
    """

    question: AugmentedQuestion
    passages: tuple[Passage, ...]
    choices: tuple[Choice, ...] = ()
    critique: str = ""
    draft: str = ""


class AnswerWriter(Protocol):
    """Writes answers from passages."""

    def write(self, brief: WritingBrief) -> AsyncIterator[str | Draft]:
        """Write the answer using only the passages in ``brief``; yield pieces of text, then one complete ``Draft``.

        If the text of the draft differs from the pieces (because a different writer took over), the draft counts.
        """
