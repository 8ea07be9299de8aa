"""Judgements of passages: whether each helps, in which order they stand, whether they hold the answer."""

from functools import partial
from typing import TYPE_CHECKING

from agent.policy import Policy
from golden_retriever.wiring.choosing import EngineChooser
from golden_retriever.wiring.encoders import TrainedEncoder

if TYPE_CHECKING:
    from intrinsics.answerability import AnswerabilityJudge
    from intrinsics.context_relevance import RelevanceJudge
    from intrinsics.passage_reranking import PassageReranker
    from tools.embedding import Embedder


def build_relevance_judge(
    engines: EngineChooser, embedder: "Embedder", encoder: TrainedEncoder | None = None
) -> "RelevanceJudge":
    """Return what judges each passage."""
    from intrinsics.context_relevance.adapter import AdaptedRelevanceJudge
    from intrinsics.context_relevance.embedded import EmbeddedRelevanceJudge
    from intrinsics.context_relevance.llm import PromptedRelevanceJudge

    features = EmbeddedRelevanceJudge(embedder)
    embedded: RelevanceJudge = features
    if encoder is not None and (joined := encoder.joined("context_relevance")):
        from intrinsics.context_relevance.encoded import EncodedRelevanceJudge

        embedded = EncodedRelevanceJudge(features, encoder.encoder, joined)
    second = None if engines.refuses else embedded
    prompted = partial(PromptedRelevanceJudge, second=second)
    adapted = partial(AdaptedRelevanceJudge, second=second)
    return engines.choose("context_relevance", embedded, prompted, adapted=adapted)


def build_reranker(engines: EngineChooser, embedder: "Embedder") -> "PassageReranker":
    """Return what puts passages in order."""
    from intrinsics.passage_reranking.embedded import EmbeddedPassageReranker
    from intrinsics.passage_reranking.llm import PromptedPassageReranker

    embedded: PassageReranker = EmbeddedPassageReranker(embedder)
    return engines.choose("passage_reranking", embedded, PromptedPassageReranker)


def build_answerability_judge(
    engines: EngineChooser,
    embedder: "Embedder",
    encoder: TrainedEncoder | None = None,
    *,
    threshold: float = Policy.answerability_threshold,
) -> "AnswerabilityJudge":
    """Return what says whether the passages hold the answer, for a gate at ``threshold``."""
    from intrinsics.answerability.adapter import AdaptedAnswerabilityJudge
    from intrinsics.answerability.closeness import NearGate
    from intrinsics.answerability.embedded import EmbeddedAnswerabilityJudge
    from intrinsics.answerability.llm import PromptedAnswerabilityJudge

    features = EmbeddedAnswerabilityJudge(embedder)
    embedded: AnswerabilityJudge = features
    if encoder is not None and (joined := encoder.joined("answerability")):
        from intrinsics.answerability.encoded import EncodedAnswerabilityJudge

        embedded = EncodedAnswerabilityJudge(features, encoder.encoder, joined)
    is_close = NearGate(threshold).is_close
    return engines.choose(
        "answerability", embedded, PromptedAnswerabilityJudge, adapted=AdaptedAnswerabilityJudge, is_close=is_close
    )
