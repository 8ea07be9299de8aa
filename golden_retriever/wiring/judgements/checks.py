"""Judgements of a written answer: what it cites, whether it is faithful or written again, how sure it is."""

from typing import TYPE_CHECKING

from golden_retriever.wiring.choosing import EngineChooser

if TYPE_CHECKING:
    from intrinsics.certainty import CertaintyEstimator
    from intrinsics.citation import CitationFinder
    from intrinsics.faithfulness import FaithfulnessJudge
    from intrinsics.refinement import AnswerRefiner
    from tools.embedding import Embedder


def build_citation_finder(engines: EngineChooser, embedder: "Embedder") -> "CitationFinder":
    """Return what links an answer's sentences to passages."""
    from intrinsics.citation.adapter import AdaptedCitationFinder
    from intrinsics.citation.embedded import EmbeddedCitationFinder
    from intrinsics.citation.llm import PromptedCitationFinder

    embedded: CitationFinder = EmbeddedCitationFinder(embedder)
    return engines.choose("citation", embedded, PromptedCitationFinder, adapted=AdaptedCitationFinder)


def build_faithfulness_judge(engines: EngineChooser, embedder: "Embedder") -> "FaithfulnessJudge":
    """Return what checks an answer's sentences against passages."""
    from intrinsics.faithfulness.adapter import AdaptedFaithfulnessJudge
    from intrinsics.faithfulness.embedded import EmbeddedFaithfulnessJudge
    from intrinsics.faithfulness.llm import PromptedFaithfulnessJudge

    embedded: FaithfulnessJudge = EmbeddedFaithfulnessJudge(embedder)
    return engines.choose("faithfulness", embedded, PromptedFaithfulnessJudge, adapted=AdaptedFaithfulnessJudge)


def build_refiner(engines: EngineChooser) -> "AnswerRefiner":
    """Return what decides whether a draft is written again: an extractive draft never is, it consists of passages."""
    from intrinsics.refinement.embedded import OverlapAnswerRefiner
    from intrinsics.refinement.llm import PromptedAnswerRefiner

    if engines.engine_of("answer_generation") == "embedded":
        return OverlapAnswerRefiner("none")
    embedded: AnswerRefiner = OverlapAnswerRefiner()
    return engines.choose("refinement", embedded, PromptedAnswerRefiner)


def build_certainty_estimator(engines: EngineChooser) -> "CertaintyEstimator":
    """Return what says how probably an answer is right."""
    from intrinsics.certainty.adapter import AdaptedCertaintyEstimator
    from intrinsics.certainty.embedded import EmbeddedCertaintyEstimator
    from intrinsics.certainty.llm import PromptedCertaintyEstimator

    embedded: CertaintyEstimator = EmbeddedCertaintyEstimator()
    return engines.choose("certainty", embedded, PromptedCertaintyEstimator, adapted=AdaptedCertaintyEstimator)
