"""Single judgements taken from shared calls, so that each can be measured separately."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from agent.services import Services
from contracts.errors import MalformedReply
from contracts.jargon import Context
from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion, RewrittenQuestion, Turn
from contracts.text import Passage
from contracts.verdicts import (
    AnswerabilityVerdict,
    CitationVerdict,
    ContextVerdict,
    FaithfulnessVerdict,
    IdentifiedJargon,
    RelevanceVerdict,
)
from intrinsics.combined.base import AnswerChecker, PassageJudge, QuestionReader

_Verdict = TypeVar("_Verdict")


def with_single_parts(services: Services, on_model: Callable[[str], bool] = lambda intrinsic: True) -> Services:
    """Return ``services`` with a separate judge for each part of a shared call, which uses only that part of the reply.

    ``on_model`` returns whether to replace an intrinsic's judge; others, such as those on adapters, are kept.
    """
    reader, passages, checker = services.question_reader, services.passage_judge, services.answer_checker
    parts: dict[str, tuple[str, Any]] = {}
    if reader is not None:
        parts["question_rewriting"] = ("question_rewriter", _Rewriter(reader))
        parts["jargon_identification"] = ("jargon_identifier", _Identifier(reader))
        parts["context_classification"] = ("context_classifier", _Classifier(reader))
    if passages is not None:
        parts["context_relevance"] = ("relevance_judge", _RelevanceJudge(passages))
        parts["answerability"] = ("answerability_judge", _AnswerabilityJudge(passages))
    if checker is not None:
        parts["citation"] = ("citation_finder", _CitationFinder(checker))
        parts["faithfulness"] = ("faithfulness_judge", _FaithfulnessJudge(checker))
    return replace(services, **dict(part for intrinsic, part in parts.items() if on_model(intrinsic)))


def _made(verdict: _Verdict | None) -> _Verdict:
    if verdict is None:
        raise MalformedReply("The language model did not make this judgement.")
    return verdict


@dataclass(frozen=True)
class _Rewriter:
    reader: QuestionReader

    async def rewrite(self, question: str, history: Sequence[Turn]) -> RewrittenQuestion:
        return _made((await self.reader.read(question, history=history)).rewritten)


@dataclass(frozen=True)
class _Identifier:
    reader: QuestionReader

    async def identify(self, question: str) -> IdentifiedJargon:
        return _made((await self.reader.read(question)).jargon)


@dataclass(frozen=True)
class _Classifier:
    reader: QuestionReader

    async def classify(
        self,
        question: str,
        contexts: Sequence[Context],
        *,
        history: Sequence[Turn] = (),
        department: str = "",
        passages: Sequence[Passage] = (),
    ) -> ContextVerdict:
        read = await self.reader.read(question, history=history, contexts=contexts, department=department)
        return _made(read.contexts)


@dataclass(frozen=True)
class _RelevanceJudge:
    judge_all: PassageJudge

    async def judge(self, question: str, passages: Sequence[Passage]) -> RelevanceVerdict:
        plain = AugmentedQuestion(question=question, text=question, provenance=Provenance(implementation="benchmark"))
        judged = await self.judge_all.judge(plain, passages)
        return RelevanceVerdict(passages=_made(judged.relevance), provenance=judged.provenance)


@dataclass(frozen=True)
class _AnswerabilityJudge:
    judge_all: PassageJudge

    async def judge(self, question: AugmentedQuestion, passages: Sequence[Passage]) -> AnswerabilityVerdict:
        return _made((await self.judge_all.judge(question, passages)).answerability)


@dataclass(frozen=True)
class _CitationFinder:
    checker: AnswerChecker

    async def find(
        self, sentences: Sequence[str], passages: Sequence[Passage], *, question: str = ""
    ) -> CitationVerdict:
        return _made((await self.checker.check(question, sentences, passages)).citations)


@dataclass(frozen=True)
class _FaithfulnessJudge:
    checker: AnswerChecker

    async def judge(self, question: str, sentences: Sequence[str], passages: Sequence[Passage]) -> FaithfulnessVerdict:
        return _made((await self.checker.check(question, sentences, passages)).faithfulness)
