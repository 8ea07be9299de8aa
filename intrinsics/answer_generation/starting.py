"""A writer that begins drafts with one writer alone: nobody stands behind it who would compute in vain."""

from collections.abc import AsyncIterator

from contracts.verdicts import Draft
from intrinsics.answer_generation.base import AnswerWriter, BegunDraft, StartingAnswerWriter, WritingBrief


class StartingWriter:
    """Writes as ``writer`` does, in which ``starter`` writes first and takes up what it has begun.

    The writer that stands in for ``starter`` where that fails is asked only when the draft is wanted.
    """

    def __init__(self, writer: AnswerWriter, starter: StartingAnswerWriter) -> None:
        self._writer = writer
        self._starter = starter

    def begin(self, brief: WritingBrief) -> BegunDraft:
        """Begin the draft for ``brief``."""
        return self._starter.begin(brief)

    def write(self, brief: WritingBrief) -> AsyncIterator[str | Draft]:
        """Write the answer: text as it comes, then one ``Draft``. Raises as the writer does."""
        return self._writer.write(brief)
