"""Judgements of a written answer: what it cites, whether it is faithful or written again, how sure it is."""

from typing import TYPE_CHECKING

from golden_retriever.settings import Settings
from golden_retriever.wiring.choosing import EngineChooser
from golden_retriever.wiring.encoders import TrainedEncoder

if TYPE_CHECKING:
    from intrinsics.certainty import CertaintyEstimator
    from intrinsics.citation import CitationFinder
    from intrinsics.faithfulness import FaithfulnessJudge
    from intrinsics.refinement import AnswerRefiner
    from tools.chat import ChatModel
    from tools.embedding import Embedder


def build_citation_finder(engines: EngineChooser, embedder: "Embedder") -> "CitationFinder":
    """Return what links an answer's sentences to passages."""
    from intrinsics.citation.adapter import AdaptedCitationFinder
    from intrinsics.citation.embedded import EmbeddedCitationFinder
    from intrinsics.citation.llm import PromptedCitationFinder

    embedded: CitationFinder = EmbeddedCitationFinder(embedder)
    return engines.choose("citation", embedded, PromptedCitationFinder, adapted=AdaptedCitationFinder)


def build_faithfulness_judge(
    engines: EngineChooser, embedder: "Embedder", encoder: TrainedEncoder | None = None
) -> "FaithfulnessJudge":
    """Return what checks an answer's sentences against passages."""
    from intrinsics.faithfulness.adapter import AdaptedFaithfulnessJudge
    from intrinsics.faithfulness.embedded import EmbeddedFaithfulnessJudge
    from intrinsics.faithfulness.llm import PromptedFaithfulnessJudge

    features = EmbeddedFaithfulnessJudge(embedder)
    embedded: FaithfulnessJudge = features
    if encoder is not None and (joined := encoder.joined("faithfulness")):
        from intrinsics.faithfulness.encoded import EncodedFaithfulnessJudge

        embedded = EncodedFaithfulnessJudge(features, encoder.encoder, joined)
    return engines.choose("faithfulness", embedded, PromptedFaithfulnessJudge, adapted=AdaptedFaithfulnessJudge)


def build_refiner(settings: Settings, engines: EngineChooser, chat: "ChatModel | None") -> "AnswerRefiner":
    """Return what decides whether a draft is written again: an extractive draft never is, it consists of passages.

    Where the engine of refinement is the language model, its verdict takes the place of the overlap.
    """
    from dataclasses import replace

    from intrinsics.refinement.auto import AutoAnswerRefiner
    from intrinsics.refinement.embedded import OverlapAnswerRefiner
    from intrinsics.refinement.llm import PromptedAnswerRefiner
    from intrinsics.refinement.self_critique import SelfCritiquingAnswerRefiner
    from intrinsics.refinement.templates import stored_template
    from tools.degrading import degrading

    policy = settings.refinement
    if chat is None or engines.engine_of("answer_generation") == "embedded":
        return OverlapAnswerRefiner("none")
    if policy == "self_refine":
        kept: AnswerRefiner = OverlapAnswerRefiner("none")
        return degrading(SelfCritiquingAnswerRefiner(chat), kept, refuse=engines.refuses)
    if policy in ("none", "always", "generic"):
        return OverlapAnswerRefiner(policy)
    template, threshold = stored_template(), settings.refinement_threshold
    if threshold is not None:
        template = replace(template, threshold=threshold)
    embedded: AnswerRefiner = (
        AutoAnswerRefiner(template) if policy == "auto" else OverlapAnswerRefiner("overlap", template)
    )
    return engines.choose("refinement", embedded, PromptedAnswerRefiner)


def build_certainty_estimator(engines: EngineChooser) -> "CertaintyEstimator":
    """Return what says how probably an answer is right."""
    from intrinsics.certainty.adapter import AdaptedCertaintyEstimator
    from intrinsics.certainty.embedded import EmbeddedCertaintyEstimator
    from intrinsics.certainty.llm import PromptedCertaintyEstimator

    embedded: CertaintyEstimator = EmbeddedCertaintyEstimator()
    return engines.choose("certainty", embedded, PromptedCertaintyEstimator, adapted=AdaptedCertaintyEstimator)
