"""A writer of questions that falls back on another one where the first fails."""

from dataclasses import replace

from contracts.errors import Unavailable
from contracts.text import Passage
from contracts.verdicts import WrittenQuestions
from intrinsics.question_writing.base import QuestionWriter


class DegradingQuestionWriter:
    """Writes with ``first``; where that is unavailable or its reply unusable, with ``fallback``, and says why.

    With ``refuse`` the error is raised instead.
    """

    def __init__(self, first: QuestionWriter, fallback: QuestionWriter, *, refuse: bool = False) -> None:
        self._first = first
        self._fallback = fallback
        self._refuse = refuse

    async def write(self, passage: Passage) -> WrittenQuestions:
        """Write factual questions that ``passage`` answers explicitly, each understandable alone, best first.

        Raises:
            Unavailable: ``first`` failed and ``refuse`` is set.
        """
        try:
            return await self._first.write(passage)
        except Unavailable as error:
            if self._refuse:
                raise
            written = await self._fallback.write(passage)
            reason = f"the language model did not answer ({error})"
            return replace(written, provenance=replace(written.provenance, degraded=reason))
