"""The contract of question writing."""

from typing import Protocol

from contracts.text import Passage
from contracts.verdicts import WrittenQuestions


class QuestionWriter(Protocol):
    """Writes questions that a passage answers."""

    async def write(self, passage: Passage) -> WrittenQuestions:
        """Write factual, self-contained questions that ``passage`` answers explicitly, best first."""
