"""The contracts of combined judgements, and which of them each judgement is part of."""

from collections.abc import Sequence
from typing import Protocol

from contracts.jargon import Context
from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion, Turn
from contracts.text import Passage
from contracts.verdicts import CheckedSentences, JudgedPassages, UnderstoodQuestion

QUESTION_PARTS = ("question_rewriting", "jargon_identification", "context_classification")
PASSAGE_PARTS = ("passage_reranking", "context_relevance", "answerability")
ANSWER_PARTS = ("citation", "faithfulness")


class QuestionReader(Protocol):
    """Understands questions."""

    async def read(
        self, question: str, *, history: Sequence[Turn] = (), contexts: Sequence[Context] = (), department: str = ""
    ) -> UnderstoodQuestion:
        """Make ``question`` stand alone after ``history``, list its jargon, and say in which of ``contexts`` it is.

        ``department`` is the name of the context that the asker belongs to, or "".
        """


class PassageJudge(Protocol):
    """Judges passages together."""

    async def judge(self, question: AugmentedQuestion, passages: Sequence[Passage]) -> JudgedPassages:
        """Order ``passages``, judge the relevance of each, and say whether they contain the answer."""


class AnswerChecker(Protocol):
    """Checks what was written."""

    async def check(self, question: str, sentences: Sequence[str], passages: Sequence[Passage]) -> CheckedSentences:
        """Name the sources of each sentence, and say whether ``passages`` support it."""


_NOBODY = Provenance(implementation="embedded")


class NoCombinedJudge:
    """Judges nothing: it leaves every part to its own judge."""

    async def read(
        self, question: str, *, history: Sequence[Turn] = (), contexts: Sequence[Context] = (), department: str = ""
    ) -> UnderstoodQuestion:
        return UnderstoodQuestion(provenance=_NOBODY)

    async def judge(self, question: AugmentedQuestion, passages: Sequence[Passage]) -> JudgedPassages:
        return JudgedPassages(provenance=_NOBODY)

    async def check(self, question: str, sentences: Sequence[str], passages: Sequence[Passage]) -> CheckedSentences:
        return CheckedSentences(provenance=_NOBODY)
