"""Attribution: how much each token of a prompt contributes to each token of an answer, on a causal language model here.

A chat server returns no gradients: the model is loaded in this process by transformers (extra ``attribution``).
"""

from tools.attribution.base import AnswerRelevance, TokenAttributor
from tools.attribution.passages import (
    ConcentrationRule,
    RankRule,
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
