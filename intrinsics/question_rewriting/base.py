"""The contract of question rewriting."""

from collections.abc import Sequence
from typing import Protocol

from contracts.question import RewrittenQuestion, Turn


class QuestionRewriter(Protocol):
    """Makes the last turn of a conversation stand alone."""

    async def rewrite(self, question: str, history: Sequence[Turn]) -> RewrittenQuestion:
        """Make ``question``, which follows ``history``, stand alone; leave it unchanged if it already does."""
