"""The contract of context classification."""

from collections.abc import Sequence
from typing import Protocol

from contracts.jargon import Context
from contracts.question import Turn
from contracts.text import Passage
from contracts.verdicts import ContextVerdict


class ContextClassifier(Protocol):
    """Says in which context a question is asked."""

    async def classify(
        self,
        question: str,
        contexts: Sequence[Context],
        *,
        history: Sequence[Turn] = (),
        department: str = "",
        passages: Sequence[Passage] = (),
    ) -> ContextVerdict:
        """Say how probable each of ``contexts`` is for ``question``.

        Other evidence: the ``history``, the asker's ``department`` (a context's name), and ``passages`` that the
        question finds and the asker may read.
        """
