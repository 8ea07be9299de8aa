"""The contract of question augmentation."""

from collections.abc import Sequence
from typing import Protocol

from contracts.jargon import Reading
from contracts.question import AugmentedQuestion


class QuestionAugmenter(Protocol):
    """Works context and definitions into a question."""

    async def augment(self, question: str, context: str, readings: Sequence[Reading]) -> AugmentedQuestion:
        """Work the context and the definitions of the chosen senses into ``question``, misspelt terms put right."""
