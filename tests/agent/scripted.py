"""Small implementations of every Protocol over four passages, and the script that puts them together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from agent.policy import Policy
from agent.services import Services
from contracts.jargon import Context, Correction, Sense
from contracts.question import Asker, Turn
from contracts.records import TurnRecord
from contracts.search import DocumentIds, Groups, Hit, PhraseUse
from contracts.text import Chunk, PageBox, Passage, TextBox
from intrinsics.combined.base import NoCombinedJudge
from intrinsics.question_augmentation.template import TemplateQuestionAugmenter
from tests.agent.judges import (
    ContainmentCitationFinder,
    ContainmentFaithfulnessJudge,
    DepartmentContextClassifier,
    FaithfulShareEstimator,
    FixedExpander,
    KeptOrder,
    ListedJargonIdentifier,
    ScriptedAnswerabilityJudge,
    ScriptedRefiner,
    ScriptedWriter,
    SharedWordsRelevanceJudge,
    SuffixRewriter,
    shared_words,
)
from tests.databases import memory_store
from tests.hashing_embedder import HashingEmbedder
from tests.tools.cross_encoder.scripted import OverlapScorer
from tools.jargon.sql import SqlJargonDictionary
from tools.language import content_stems, find_words, fold, split_sentences
from tools.reading.ranking import QuoteRanker
from tools.search.base import LexicalIndex


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


class ListedDictionary(SqlJargonDictionary):
    """A dictionary over a list of senses, which remembers what it was told."""

    def __init__(self, senses: Sequence[Sense], contexts: Sequence[Context]) -> None:
        super().__init__(memory_store(senses, contexts))
        self.reported: list[tuple[str, str, str]] = []
        self.corrected: list[Correction] = []

    async def record_unknown(self, term: str, question: str, context: str) -> None:
        self.reported.append((term, question, context))

    async def record_correction(self, correction: Correction) -> None:
        self.corrected.append(correction)
        await super().record_correction(correction)


class ScriptedLexicalIndex(LexicalIndex):
    """Finds passages by their words."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._passages = passages

    def find(self, query: str, top_k: int, *, groups: Groups = None, documents: DocumentIds = None) -> tuple[Hit, ...]:
        hits = (Hit(chunk_id=each.chunk.id, score=float(shared_words(query, each))) for each in self._passages)
        return tuple(sorted((hit for hit in hits if hit.score), key=lambda hit: -hit.score))[:top_k]

    def document_frequency(self, term: str, *, groups: Groups = None) -> int:
        return sum(fold(term) in [fold(word.text) for word in find_words(each.text)] for each in self._passages)

    def near_spellings(self, term: str, limit: int = 5, *, groups: Groups = None) -> list[str]:
        words = {word.text for each in self._passages for word in find_words(each.text)}
        return sorted(word for word in words if fold(word)[:2] == fold(term)[:2])[:limit]

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
        shared = {each.chunk.id: shared_words(question, each) for each in self._passages}
        return {chunk_id: shared[chunk_id] / asked for chunk_id in chunk_ids}

    async def search(
        self, queries: Sequence[str], top_k: int, *, documents: DocumentIds = None, **_: object
    ) -> tuple[Passage, ...]:
        self.queries.append(tuple(queries))
        asked = [each for each in self._passages if documents is None or each.chunk.document_id in documents]
        scored = [replace(each, score=float(shared_words(" ".join(queries), each))) for each in asked]
        return tuple(sorted(scored, key=lambda each: -each.score)[:top_k])


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
