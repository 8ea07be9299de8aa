"""Attribution: how much each token of a prompt contributes to each token of an answer, on a causal language model here.

A chat server returns no gradients: the model is loaded in this process by transformers (extra ``attribution``).
"""

from golden_lab.causal_attribution.passages import (
    AnswerRelevance,
    ConcentrationRule,
    RankRule,
    TokenAttributor,
    concentrated_passages,
    passage_relevance,
    used_passages,
)

__all__ = [
    "AnswerRelevance",
    "ConcentrationRule",
    "RankRule",
    "TokenAttributor",
    "concentrated_passages",
    "passage_relevance",
    "used_passages",
]
