"""Small implementations of the judges and the writer: words and scripts in place of models."""

import asyncio
import re
from collections.abc import AsyncIterator, Sequence

from contracts.jargon import Context, Mention
from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion, RewrittenQuestion, Turn
from contracts.text import Passage, Span
from contracts.verdicts import (
    AnswerabilityVerdict,
    CertaintyVerdict,
    CitationLink,
    CitationVerdict,
    ContextProbability,
    ContextVerdict,
    Draft,
    FaithfulnessVerdict,
    IdentifiedJargon,
    PassageRelevance,
    QueryVariants,
    RefinementVerdict,
    RelevanceVerdict,
    Reranked,
    SentenceFaithfulness,
)
from intrinsics.answer_generation.base import WritingBrief
from intrinsics.certainty.base import AnswerEvidence
from tools.language import content_stems, fold

SCRIPT = Provenance(implementation="scripted")


def shared_words(asked: str, each: Passage) -> int:
    return len(set(content_stems(asked)) & set(content_stems(each.text)))


class ListedJargonIdentifier:
    """Finds capitals and words of a list; ``doubtful`` ones with a probability of 0.1."""

    def __init__(self, words: Sequence[str] = ("tRC",), doubtful: Sequence[str] = ()) -> None:
        self._words = words
        self._doubtful = doubtful
        self.asked: list[str] = []

    async def identify(self, question: str) -> IdentifiedJargon:
        self.asked.append(question)
        mentions = []
        for match in re.finditer(r"[^\W_]+", question):
            word = match.group()
            if word in (*self._words, *self._doubtful) or re.fullmatch(r"[A-Z]{3,4}", word):
                probability = 0.1 if word in self._doubtful else 0.9
                mentions.append(Mention(text=word, span=Span(*match.span()), term=word, probability=probability))
        return IdentifiedJargon(mentions=tuple(mentions), provenance=SCRIPT)


class DepartmentContextClassifier:
    """Gives the asker's department 0.9, and knows nothing without one."""

    async def classify(
        self, question: str, contexts: Sequence[Context], *, department: str = "", **_: object
    ) -> ContextVerdict:
        others = [each.name for each in contexts if each.name != department]
        known = [ContextProbability(name=department, probability=0.9)] if len(others) < len(contexts) else []
        rest = tuple(ContextProbability(name=name, probability=0.01) for name in others)
        none = 1.0 - sum(each.probability for each in (*known, *rest))
        return ContextVerdict(contexts=(*known, *rest), none_of_these=none, provenance=SCRIPT)


class SuffixRewriter:
    """Adds the last user turn to the question; knows when it changed nothing."""

    def __init__(self) -> None:
        self.histories: list[tuple[Turn, ...]] = []

    async def rewrite(self, question: str, history: Sequence[Turn]) -> RewrittenQuestion:
        self.histories.append(tuple(history))
        last = [turn.text for turn in history if turn.role == "user"][-1]
        return RewrittenQuestion(text=f"{question} (after: {last})", changed=True, provenance=SCRIPT)


class FixedExpander:
    """Knows one other wording."""

    async def expand(self, question: AugmentedQuestion) -> QueryVariants:
        return QueryVariants(variants=("supply voltage DDR5",), provenance=SCRIPT)


class SharedWordsRelevanceJudge:
    """Calls a passage relevant that shares a word with the question."""

    async def judge(self, question: str, passages: Sequence[Passage]) -> RelevanceVerdict:
        yes, no = (PassageRelevance(label=each, probability=p) for each, p in (("relevant", 0.8), ("irrelevant", 0.1)))
        verdicts = tuple(yes if shared_words(question, each) else no for each in passages)
        return RelevanceVerdict(passages=verdicts, provenance=SCRIPT)


class KeptOrder:
    """Reranks nothing."""

    async def rerank(self, question: str, passages: Sequence[Passage]) -> Reranked:
        return Reranked(passages=tuple(passages), provenance=SCRIPT)


class ScriptedAnswerabilityJudge:
    """Answers with the given probabilities in turn, the last one for ever; 0 without passages."""

    def __init__(self, probabilities: Sequence[float]) -> None:
        self._probabilities = list(probabilities)

    async def judge(self, question: AugmentedQuestion, passages: Sequence[Passage]) -> AnswerabilityVerdict:
        probability = self._probabilities.pop(0) if len(self._probabilities) > 1 else self._probabilities[0]
        return AnswerabilityVerdict(
            probability=probability if passages else 0.0, missing=("launch date",), provenance=SCRIPT
        )


class ScriptedWriter:
    """Writes the given drafts in turn, word by word, the last one for ever; "" means the likest sentence.

    Each draft comes with ``passages_read``; ``said_before`` is streamed, but part of no draft.
    """

    def __init__(
        self,
        drafts: Sequence[str] = ("",),
        pause_s: float = 0.0,
        *,
        passages_read: int | None = None,
        said_before: str = "",
    ) -> None:
        self._drafts = list(drafts)
        self._passages_read = passages_read
        self._said_before = said_before
        self._pause_s = pause_s
        self.briefs: list[WritingBrief] = []
        self.finished = 0
        self.begun = asyncio.Event()
        self.stopped = asyncio.Event()

    async def write(self, brief: WritingBrief) -> AsyncIterator[str | Draft]:
        self.briefs.append(brief)
        self.begun.set()
        text = self._drafts.pop(0) if len(self._drafts) > 1 else self._drafts[0]
        text = text or _likest_sentence(brief)
        try:
            for word in re.findall(r"\s*\S+", self._said_before + text):
                await asyncio.sleep(self._pause_s)
                yield word
        finally:
            self.stopped.set()
        self.finished += 1
        yield Draft(text=text, provenance=SCRIPT, passages_read=self._passages_read)


def _likest_sentence(brief: WritingBrief) -> str:
    asked = set(content_stems(brief.question.question))
    sentences = [each.sentence(place) for each in brief.passages for place in range(len(each.sentences))]
    return max(sentences, key=lambda sentence: len(asked & set(content_stems(sentence))))


class ContainmentCitationFinder:
    """Links a sentence to the passage sentences that contain it word by word."""

    async def find(
        self, sentences: Sequence[str], passages: Sequence[Passage], *, question: str = ""
    ) -> CitationVerdict:
        links = tuple(
            CitationLink(sentence=row, passage=column, passage_sentences=(place,), score=1.0)
            for row, sentence in enumerate(sentences)
            for column, each in enumerate(passages)
            for place in range(len(each.sentences))
            if _same(sentence, each.sentence(place))
        )
        return CitationVerdict(links=links, provenance=SCRIPT)


class ContainmentFaithfulnessJudge:
    """Calls a sentence faithful that stands in a passage."""

    async def judge(self, question: str, sentences: Sequence[str], passages: Sequence[Passage]) -> FaithfulnessVerdict:
        held = [each.sentence(place) for each in passages for place in range(len(each.sentences))]
        yes = SentenceFaithfulness(label="faithful", probability=0.95)
        no = SentenceFaithfulness(label="unfaithful", probability=0.1, reason="stands nowhere")
        verdicts = tuple(yes if any(_same(sentence, each) for each in held) else no for sentence in sentences)
        return FaithfulnessVerdict(sentences=verdicts, provenance=SCRIPT)


class ScriptedRefiner:
    """Asks for a rewrite of each draft that holds ``trigger``."""

    def __init__(self, trigger: str = "") -> None:
        self._trigger = trigger

    async def review(self, question: str, draft: str, passages: Sequence[Passage]) -> RefinementVerdict:
        rewrite = bool(self._trigger) and self._trigger in draft
        critique = "Say only what the passages say." if rewrite else ""
        told = {"policy": "trigger", "signal": float(not rewrite), "threshold": 0.5}
        return RefinementVerdict(rewrite=rewrite, critique=critique, provenance=SCRIPT, **told)


class FaithfulShareEstimator:
    """Is as certain as the share of faithful sentences, in steps of 0.1."""

    async def estimate(self, evidence: AnswerEvidence) -> CertaintyVerdict:
        labels = [each.label == "faithful" for each in evidence.faithfulness.sentences]
        return CertaintyVerdict(probability=round(sum(labels) / len(labels), 1), provenance=SCRIPT)


def _same(left: str, right: str) -> bool:
    return fold(left).strip(" .") == fold(right).strip(" .")
