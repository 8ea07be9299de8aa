"""Small implementations of every Protocol: words and scripts in place of models, over four passages."""

import asyncio
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from agent.policy import Policy
from agent.services import Services
from contracts.jargon import Context, Correction, Mention, Sense
from contracts.provenance import Provenance
from contracts.question import Asker, AugmentedQuestion, RewrittenQuestion, Turn
from contracts.records import TurnRecord
from contracts.text import Chunk, PageBox, Passage, Span, TextBox
from contracts.verdicts import (
    AnswerabilityVerdict,
    CertaintyVerdict,
    CitationLink,
    CitationVerdict,
    ClaimedSource,
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
from intrinsics.combined.base import NoCombinedJudge
from intrinsics.question_augmentation.template import TemplateQuestionAugmenter
from tests.hashing_embedder import HashingEmbedder
from tests.tools.cross_encoder.scripted import OverlapScorer
from tools.jargon.memory import InMemoryJargonDictionary
from tools.language import content_stems, find_words, fold, split_sentences
from tools.reading.ranking import QuoteRanker
from tools.search.base import DocumentIds, Groups, Hit, LexicalIndex, PhraseUse

SCRIPT = Provenance(implementation="scripted")


def passage(document: str, page: int, text: str) -> Passage:
    """Make a passage whose lines stand below each other on its page, one box a sentence."""
    sentences = split_sentences(text)
    boxes = tuple(
        TextBox(span=span, box=PageBox(page=page, x0=50, top=100 + 20 * row, x1=500, bottom=112 + 20 * row))
        for row, span in enumerate(sentences)
    )
    place = {"document_id": document.split(".")[0], "ordinal": page, "page": page, "last_page": page}
    chunk = Chunk(id=f"{document}-{page}", kind="passage", text=text, boxes=boxes, **place)
    return Passage(chunk=chunk, document_name=document, document_title="", score=1.0, sentences=sentences)


@dataclass
class ListedConversations:
    """Keeps turns in a list, or breaks, or is full."""

    broken: bool = False
    full: bool = False
    kept: list[TurnRecord] = field(default_factory=list)

    async def turns(self, asker: Asker, conversation_id: str, limit: int) -> tuple[Turn, ...]:
        asked = (asker.account, conversation_id)
        kept = [each.answer for each in self.kept if (each.asker.account, each.conversation_id) == asked]
        return tuple(turn for answer in kept for turn in answer.turns)[-limit:]

    async def record(self, turn: TurnRecord) -> bool:
        if self.broken:
            raise RuntimeError("the disk is gone")
        if not self.full:
            self.kept.append(turn)
        return not self.full


PASSAGES = (
    passage("bus.pdf", 3, "The DLL locks in 512 clock cycles. VPP is 2.5 V on DDR4."),
    passage("bus.pdf", 4, "On DDR5 the VPP supply is 1.8 V. The tRC row cycle time is 48 ns."),
    passage("apps.pdf", 1, "A DLL is loaded when the program starts. The ZQX pin calibrates the driver."),
    passage("cafeteria.md", 1, "The cafeteria opens at eight. It serves soup."),
)

SENSES = (
    Sense(id=1, term="DLL", extended_name="Delay-Locked Loop", context="Memory", description="Aligns the clock."),
    Sense(id=2, term="DLL", extended_name="Dynamic-Link Library", context="Software", description="Shared code."),
    Sense(id=3, term="VPP", extended_name="Pump Voltage", description="Opens the word line.", aliases=("V_PP",)),
    Sense(id=4, term="LUN", extended_name="Logical Unit Number", description="The smallest unit that runs a command."),
)


class ListedDictionary(InMemoryJargonDictionary):
    """A dictionary over a list of senses, which remembers what it was told."""

    def __init__(self, senses: Sequence[Sense], contexts: Sequence[Context]) -> None:
        super().__init__(senses, contexts)
        self.reported: list[tuple[str, str, str]] = []
        self.corrected: list[Correction] = []

    async def record_unknown(self, term: str, question: str, context: str) -> None:
        self.reported.append((term, question, context))

    async def record_correction(self, correction: Correction) -> None:
        self.corrected.append(correction)
        await super().record_correction(correction)


def _shared_words(asked: str, each: Passage) -> int:
    return len(set(content_stems(asked)) & set(content_stems(each.text)))


class ScriptedLexicalIndex(LexicalIndex):
    """Finds passages by their words."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._passages = passages

    def find(self, query: str, top_k: int, *, groups: Groups = None, documents: DocumentIds = None) -> tuple[Hit, ...]:
        hits = (Hit(chunk_id=each.chunk.id, score=float(_shared_words(query, each))) for each in self._passages)
        return tuple(sorted((hit for hit in hits if hit.score), key=lambda hit: -hit.score))[:top_k]

    async def document_frequency(self, term: str, *, groups: Groups = None) -> int:
        return sum(fold(term) in [fold(word.text) for word in find_words(each.text)] for each in self._passages)

    async def near_spellings(self, term: str, limit: int = 5, *, groups: Groups = None) -> tuple[str, ...]:
        words = {word.text for each in self._passages for word in find_words(each.text)}
        return tuple(sorted(word for word in words if fold(word)[:2] == fold(term)[:2]))[:limit]

    def find_phrase(
        self, phrase: str, limit: int, *, as_written: bool = False, groups: Groups = None
    ) -> tuple[PhraseUse, ...]:
        def written(text: str) -> str:
            return text if as_written else " ".join(content_stems(text))

        uses = [each for each in self._passages if written(phrase) in written(each.text)]
        return tuple(
            PhraseUse(chunk_id=each.chunk.id, document_id=each.chunk.document_id, document_name=each.document_name,
                      text=each.text) for each in uses[:limit]
        )  # fmt: skip


class ScriptedSearcher:
    """Brings the passages that share most words with the question."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._passages = passages
        self.queries: list[tuple[str, ...]] = []

    async def likeness(self, question: str, chunk_ids: Sequence[str]) -> Mapping[str, float]:
        asked = max(1, len(set(content_stems(question))))
        shared = {each.chunk.id: _shared_words(question, each) for each in self._passages}
        return {chunk_id: shared[chunk_id] / asked for chunk_id in chunk_ids}

    async def search(
        self, queries: Sequence[str], top_k: int, *, documents: DocumentIds = None, **_: object
    ) -> tuple[Passage, ...]:
        self.queries.append(tuple(queries))
        asked = [each for each in self._passages if documents is None or each.chunk.document_id in documents]
        scored = [replace(each, score=float(_shared_words(" ".join(queries), each))) for each in asked]
        return tuple(sorted(scored, key=lambda each: -each.score)[:top_k])


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

    async def expand(self, question: AugmentedQuestion, seen: Sequence[Passage]) -> QueryVariants:
        return QueryVariants(variants=("supply voltage DDR5",), provenance=SCRIPT)


class SharedWordsRelevanceJudge:
    """Calls a passage relevant that shares a word with the question."""

    async def judge(self, question: str, passages: Sequence[Passage]) -> RelevanceVerdict:
        yes, no = (PassageRelevance(label=each, probability=p) for each, p in (("relevant", 0.8), ("irrelevant", 0.1)))
        verdicts = tuple(yes if _shared_words(question, each) else no for each in passages)
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

    Each draft comes with ``claims`` and ``passages_read``; ``said_before`` is streamed, but part of no draft.
    """

    def __init__(
        self,
        drafts: Sequence[str] = ("",),
        pause_s: float = 0.0,
        *,
        claims: Sequence[ClaimedSource] = (),
        passages_read: int | None = None,
        said_before: str = "",
    ) -> None:
        self._drafts = list(drafts)
        self._claims = tuple(claims)
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
        yield Draft(text=text, provenance=SCRIPT, claims=self._claims, passages_read=self._passages_read)


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


@dataclass(kw_only=True)
class Script:
    """What the parts do in one test, and the parts themselves for looking at afterwards.

    ``combined`` takes the nodes of combined judgements, which leave all parts to the same judges.
    """

    passages: Sequence[Passage] = PASSAGES
    senses: Sequence[Sense] = SENSES
    identifier: ListedJargonIdentifier = field(default_factory=ListedJargonIdentifier)
    answerability: ScriptedAnswerabilityJudge = field(default_factory=lambda: ScriptedAnswerabilityJudge([0.9]))
    writer: ScriptedWriter = field(default_factory=ScriptedWriter)
    refiner: ScriptedRefiner = field(default_factory=ScriptedRefiner)
    rewriter: SuffixRewriter = field(default_factory=SuffixRewriter)
    policy: Policy = field(default_factory=Policy)
    quoting_writer: ScriptedWriter | None = None
    combined: bool = False

    def __post_init__(self) -> None:
        contexts = (Context(name="Memory"), Context(name="Software"))
        self.dictionary = ListedDictionary(self.senses, contexts)
        self.searcher = ScriptedSearcher(self.passages)

    def services(self) -> Services:
        """Put the parts together; the embedded engine differs in its writer."""
        combined = NoCombinedJudge() if self.combined else None
        services = Services(
            question_reader=combined,
            passage_judge=combined,
            answer_checker=combined,
            question_rewriter=self.rewriter,
            jargon_identifier=self.identifier,
            context_classifier=DepartmentContextClassifier(),
            question_augmenter=TemplateQuestionAugmenter(),
            query_expander=FixedExpander(),
            relevance_judge=SharedWordsRelevanceJudge(),
            passage_reranker=KeptOrder(),
            answerability_judge=self.answerability,
            answer_writer=self.writer,
            citation_finder=ContainmentCitationFinder(),
            faithfulness_judge=ContainmentFaithfulnessJudge(),
            refiner=self.refiner,
            certainty_estimator=FaithfulShareEstimator(),
            searcher=self.searcher,
            dictionary=self.dictionary,
            lexical=ScriptedLexicalIndex(self.passages),
            embedder=HashingEmbedder(),
            quote_ranker=QuoteRanker(OverlapScorer()),
            policy=self.policy,
        )
        if self.quoting_writer is None:
            return services
        return replace(services, embedded=replace(services, answer_writer=self.quoting_writer))
