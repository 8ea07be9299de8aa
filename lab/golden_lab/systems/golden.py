"""The whole bot, and the bot without each of its parts: the same graph, with one service that does nothing."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from agent.graph import MAX_STEPS, Graph, build_graph
from agent.questions import clean_history, clean_question
from agent.services import Services
from agent.state import State
from contracts.jargon import Context, Reading
from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion, Turn
from contracts.search import Hit
from contracts.text import Passage
from contracts.verdicts import ContextVerdict, IdentifiedJargon, Reranked
from golden_lab.systems.measures import SystemAnswer, SystemQuestion
from intrinsics.refinement.embedded import OverlapAnswerRefiner
from library.store import LibraryStore
from tools.language import split_choices
from tools.search.base import LexicalIndex, VectorIndex
from tools.search.hybrid import HybridSearcher

WHOLE = "Golden Retriever"
_ABSENT = Provenance(implementation="absent")


class GoldenSystem:
    """Answers with the bot's own graph and ``services``; ``note`` is what a reader of its row must know."""

    def __init__(self, services: Services, *, name: str = WHOLE, note: str = "") -> None:
        self._services = services
        self._graph: Graph = build_graph()
        self.name = name
        self.note = note

    async def answer(self, question: SystemQuestion) -> SystemAnswer:
        """Answer ``question`` as the bot does, from the text that a person would type.

        Raises:
            Unavailable: something that the bot needs is not available.
        """
        begun = time.perf_counter()
        text = clean_question(question.asked)
        standalone, choices = split_choices(text)
        given = State(
            question=text,
            history=clean_history(question.history, self._services.policy.history_turns),
            standalone=standalone,
            choices=choices,
        )
        values = await self._graph.ainvoke(given, {"recursion_limit": MAX_STEPS}, context=self._services)
        state = State(**values)
        answer = state.answer
        if answer is None:
            raise RuntimeError("the graph ended without an answer")
        return SystemAnswer(
            answer=answer.model_copy(update={"steps": state.steps}),
            draft=state.draft.text if answer.outcome == "answered" else "",
            passages=state.evidence if answer.outcome in ("answered", "declined") else (),
            milliseconds=(time.perf_counter() - begun) * 1_000,
        )


class _AbsentJargonIdentifier:
    async def identify(self, question: str) -> IdentifiedJargon:
        return IdentifiedJargon(mentions=(), provenance=_ABSENT)


class _AbsentContextClassifier:
    async def classify(
        self,
        question: str,
        contexts: Sequence[Context],
        *,
        history: Sequence[Turn] = (),
        department: str = "",
        passages: Sequence[Passage] = (),
    ) -> ContextVerdict:
        return ContextVerdict(contexts=(), none_of_these=1.0, provenance=_ABSENT)


class _AbsentQuestionAugmenter:
    async def augment(self, question: str, context: str, readings: Sequence[Reading]) -> AugmentedQuestion:
        return AugmentedQuestion(question=question, text=question, provenance=_ABSENT)


class _AbsentPassageReranker:
    async def rerank(self, question: str, passages: Sequence[Passage]) -> Reranked:
        return Reranked(passages=tuple(passages), provenance=_ABSENT)


class WithoutSummaries:
    """A vector or lexical index that finds no summaries; otherwise it behaves like ``index``."""

    def __init__(self, index: VectorIndex | LexicalIndex, summaries: frozenset[str]) -> None:
        self._index: Any = index
        self._summaries = summaries

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)

    def find(self, query: Any, top_k: int, **where: Any) -> tuple[Hit, ...]:
        """Find the ``top_k`` best chunks that are not summaries. Raises what the underlying index raises."""
        found = self._index.find(query, top_k + len(self._summaries), **where)
        return tuple(hit for hit in found if hit.chunk_id not in self._summaries)[:top_k]


@dataclass(frozen=True, kw_only=True)
class SearchParts:
    """The parts of a searcher without summaries: the library and its vector index."""

    store: LibraryStore
    vector_index: VectorIndex


def searcher_without_summaries(services: Services, parts: SearchParts) -> HybridSearcher:
    """Return the search of ``services``, limited to the library's current passages, without summaries."""
    chunks = (chunk for each in parts.store.documents() for chunk in parts.store.document_chunks(each.id))
    summaries = frozenset(chunk.id for chunk in chunks if chunk.kind == "summary")
    return HybridSearcher(
        parts.store,
        services.embedder,
        cast("VectorIndex", WithoutSummaries(parts.vector_index, summaries)),
        cast("LexicalIndex", WithoutSummaries(services.lexical, summaries)),
    )


def without_parts(services: Services, parts: SearchParts) -> tuple[GoldenSystem, ...]:
    """Return several bots, each without one of its parts.

    Each part is replaced by an implementation of its Protocol that does nothing; graph and policy stay the same.
    """
    changes: tuple[tuple[str, str, dict[str, Any]], ...] = (
        ("jargon", "terms are neither identified nor looked up", {"jargon_identifier": _AbsentJargonIdentifier()}),
        ("context", "no context is chosen", {"context_classifier": _AbsentContextClassifier()}),
        (
            "augmentation of the question",
            "jargon is identified but not passed to search and writer; dictionary entries are still passages",
            {"question_augmenter": _AbsentQuestionAugmenter()},
        ),
        (
            "augmentation of the documents",
            "no summaries in the index",
            {"searcher": searcher_without_summaries(services, parts)},
        ),
        (
            "the gate",
            "answers at any probability; an answer without any support is still withheld",
            {"policy": replace(services.policy, answerability_threshold=0.0)},
        ),
        ("reranking", "passages in the order of the search", {"passage_reranker": _AbsentPassageReranker()}),
        (
            "refinement",
            "every draft is kept; the embedded engine keeps every draft anyway",
            {"refiner": OverlapAnswerRefiner("none")},
        ),
    )
    return tuple(
        GoldenSystem(replace(services, **changed), name=f"without {part}", note=note) for part, note, changed in changes
    )
