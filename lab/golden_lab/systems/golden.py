"""The bot whole, and without each of its parts: the same graph over services of which one does nothing."""

import time
from dataclasses import dataclass, replace

from agent.graph import MAX_STEPS, Graph, build_graph
from agent.questions import clean_history, clean_question
from agent.services import Services
from agent.state import State
from golden_lab.systems.absent import (
    AbsentContextClassifier,
    AbsentJargonIdentifier,
    AbsentPassageReranker,
    AbsentQuestionAugmenter,
    SummarylessLexicalIndex,
    SummarylessVectorIndex,
)
from golden_lab.systems.measures import SystemAnswer, SystemQuestion
from intrinsics.refinement.embedded import OverlapAnswerRefiner
from library.store import LibraryStore
from tools.language import split_choices
from tools.search.base import VectorIndex
from tools.search.hybrid import HybridSearcher

WHOLE = "Golden Retriever"


class GoldenSystem:
    """Answers by the bot's own graph over ``services``."""

    def __init__(self, services: Services, *, name: str = WHOLE, note: str = "") -> None:
        self._services = services
        self._graph: Graph = build_graph()
        self._name = name
        self._note = note

    @property
    def name(self) -> str:
        """Its name in tables."""
        return self._name

    @property
    def note(self) -> str:
        """What a reader of its row must know."""
        return self._note

    async def answer(self, question: SystemQuestion) -> SystemAnswer:
        """Answer ``question`` as the bot does, from the text that a person would type.

        Raises:
            Unavailable: something that the bot needs is not there just now.
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


@dataclass(frozen=True, kw_only=True)
class SearchParts:
    """What a searcher without summaries is made of: the library and its vector index."""

    store: LibraryStore
    vector_index: VectorIndex


def without_parts(services: Services, parts: SearchParts) -> tuple[GoldenSystem, ...]:
    """Return the bot without each of its parts, one part at a time.

    Each part is replaced by an implementation of its Protocol that does nothing; graph and policy are the bot's own.
    """

    def system(part: str, note: str, changed: Services) -> GoldenSystem:
        return GoldenSystem(changed, name=f"without {part}", note=note)

    searcher = HybridSearcher(
        parts.store,
        services.embedder,
        SummarylessVectorIndex(parts.vector_index, parts.store),
        SummarylessLexicalIndex(services.lexical, parts.store),
    )
    open_gate = replace(services.policy, answerability_threshold=0.0)
    return (
        system(
            "jargon",
            "no term is looked for or looked up",
            replace(services, jargon_identifier=AbsentJargonIdentifier()),
        ),
        system("context", "no context is named", replace(services, context_classifier=AbsentContextClassifier())),
        system(
            "augmentation of the question",
            "jargon is read, but neither search nor writer is told; dictionary entries are still passages",
            replace(services, question_augmenter=AbsentQuestionAugmenter()),
        ),
        system("augmentation of the documents", "no summaries in the index", replace(services, searcher=searcher)),
        system(
            "the gate",
            "answers at any probability; an answer of which nothing is supported is still withheld",
            replace(services, policy=open_gate),
        ),
        system(
            "reranking",
            "passages in the order of the search",
            replace(services, passage_reranker=AbsentPassageReranker()),
        ),
        system(
            "refinement",
            "every draft is kept; the embedded engine keeps every draft anyway",
            replace(services, refiner=OverlapAnswerRefiner("none")),
        ),
    )
