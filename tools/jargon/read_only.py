"""A dictionary that is read and learns nothing: for questions that nobody asked for themselves, as in a measurement."""

from typing import Any, cast

from contracts.jargon import Correction
from tools.jargon.base import JargonDictionary


class _ReadOnly:
    def __init__(self, dictionary: JargonDictionary) -> None:
        self._dictionary = dictionary

    def __getattr__(self, name: str) -> Any:
        return getattr(self._dictionary, name)

    async def record_unknown(self, term: str, question: str, context: str) -> None:
        """Count nothing."""

    async def record_correction(self, correction: Correction) -> None:
        """Keep nothing."""


def read_only(dictionary: JargonDictionary) -> JargonDictionary:
    """Return ``dictionary`` as one that is read alone: unknown terms are not counted, and corrections are not kept."""
    return cast(JargonDictionary, _ReadOnly(dictionary))
