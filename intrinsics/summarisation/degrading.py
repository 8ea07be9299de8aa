"""A summariser that falls back on another one where the first fails."""

from dataclasses import replace

from contracts.errors import Unavailable
from contracts.verdicts import Summary
from intrinsics.summarisation.base import Summariser


class DegradingSummariser:
    """Summarises with ``first``; where that is unavailable or its reply unusable, with ``fallback``, and says why.

    With ``refuse`` the error is raised instead.
    """

    def __init__(self, first: Summariser, fallback: Summariser, *, refuse: bool = False) -> None:
        self._first = first
        self._fallback = fallback
        self._refuse = refuse

    async def summarise(self, text: str, *, title: str = "") -> Summary:
        """Summarise a section of about 4 000 tokens as an expert of its field, with the questions it answers.

        Raises:
            Unavailable: ``first`` failed and ``refuse`` is set.
        """
        try:
            return await self._first.summarise(text, title=title)
        except Unavailable as error:
            if self._refuse:
                raise
            summary = await self._fallback.summarise(text, title=title)
            reason = f"the language model did not answer ({error})"
            return replace(summary, provenance=replace(summary.provenance, degraded=reason))
