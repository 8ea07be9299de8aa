"""The contract of question augmentation."""

from collections.abc import Sequence
from typing import Protocol

from contracts.jargon import Reading
from contracts.question import AugmentedQuestion


class QuestionAugmenter(Protocol):
    """Adds context and definitions to a question."""

    async def augment(self, question: str, context: str, readings: Sequence[Reading]) -> AugmentedQuestion:
        """Add the context and the definitions of the chosen senses to ``question``, and correct misspelt terms."""
