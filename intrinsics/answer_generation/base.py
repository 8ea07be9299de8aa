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

    ``question`` keeps the asker's words and the readings; ``choices`` are the options of a multiple-choice question;
    ``critique`` and ``draft`` are set on a rewrite only.
    """

    question: AugmentedQuestion
    passages: tuple[Passage, ...]
    choices: tuple[Choice, ...] = ()
    critique: str = ""
    draft: str = ""


class AnswerWriter(Protocol):
    """Writes the answer from passages."""

    def write(self, brief: WritingBrief) -> AsyncIterator[str | Draft]:
        """Write the answer from the brief's passages only: text as it comes, then one ``Draft`` with the whole text.

        If the two differ (another writer took over), the draft's text counts.
        """
