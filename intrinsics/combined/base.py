"""The contracts of combined judgements, and the parts of each."""

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
        """Make ``question`` stand alone after ``history``, list its jargon, and judge which of ``contexts`` it is from.

        ``department`` is the name of the context that the asker belongs to, or "".
        """


class PassageJudge(Protocol):
    """Judges passages together."""

    async def judge(self, question: AugmentedQuestion, passages: Sequence[Passage]) -> JudgedPassages:
        """Rank ``passages``, judge the relevance of each one, and judge whether they contain the answer."""


class AnswerChecker(Protocol):
    """Checks a written answer."""

    async def check(self, question: str, sentences: Sequence[str], passages: Sequence[Passage]) -> CheckedSentences:
        """Find the sources of each sentence, and judge whether ``passages`` support it."""


_NOBODY = Provenance(implementation="embedded")


class NoCombinedJudge:
    """Makes no judgement: it leaves every part to a separate judge."""

    async def read(
        self, question: str, *, history: Sequence[Turn] = (), contexts: Sequence[Context] = (), department: str = ""
    ) -> UnderstoodQuestion:
        return UnderstoodQuestion(provenance=_NOBODY)

    async def judge(self, question: AugmentedQuestion, passages: Sequence[Passage]) -> JudgedPassages:
        return JudgedPassages(provenance=_NOBODY)

    async def check(self, question: str, sentences: Sequence[str], passages: Sequence[Passage]) -> CheckedSentences:
        return CheckedSentences(provenance=_NOBODY)
