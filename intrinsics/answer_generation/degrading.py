"""An answer writer that carries on with another one where the first fails."""

from collections.abc import AsyncIterator
from dataclasses import replace

from contracts.errors import Unavailable
from contracts.verdicts import Draft
from intrinsics.answer_generation.base import AnswerWriter, WritingBrief


class DegradingAnswerWriter:
    """Writes with ``first``; where that is unavailable or its reply unusable, ``fallback`` writes the whole answer.

    The draft's provenance then says why. What ``first`` had streamed is not part of the draft: whoever shows the stream
    puts the draft in its place. With ``refuse`` the error is raised instead.
    """

    def __init__(self, first: AnswerWriter, fallback: AnswerWriter, *, refuse: bool = False) -> None:
        self._first = first
        self._fallback = fallback
        self._refuse = refuse

    async def write(self, brief: WritingBrief) -> AsyncIterator[str | Draft]:
        """Write the answer from the brief's passages only: text as it comes, then one ``Draft``, the whole.

        Raises:
            Unavailable: ``first`` failed and ``refuse`` is set.
        """
        streamed = False
        try:
            async for piece in self._first.write(brief):
                streamed = streamed or isinstance(piece, str)
                yield piece
            return
        except Unavailable as error:
            if self._refuse:
                raise
            reason = f"the language model did not answer ({error})"
        gap = "\n\n" if streamed else ""
        async for piece in self._fallback.write(brief):
            if isinstance(piece, Draft):
                yield replace(piece, provenance=replace(piece.provenance, degraded=reason))
            else:
                yield gap + piece
                gap = ""
