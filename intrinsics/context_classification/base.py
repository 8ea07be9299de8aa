"""The contract of context classification."""

from collections.abc import Sequence
from typing import Protocol

from contracts.jargon import Context
from contracts.question import Turn
from contracts.text import Passage
from contracts.verdicts import ContextVerdict


class ContextClassifier(Protocol):
    """Judges in which context a question was asked."""

    async def classify(
        self,
        question: str,
        contexts: Sequence[Context],
        *,
        history: Sequence[Turn] = (),
        department: str = "",
        passages: Sequence[Passage] = (),
    ) -> ContextVerdict:
        """Return the probability of each of ``contexts`` for ``question``.

        Other evidence is the ``history``, the asker's ``department`` (the name of a context), and ``passages`` that a
        search for the question found and the asker may read.
        """
