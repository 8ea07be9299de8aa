"""From tokens to passages: which passages an answer leans on. Pure functions."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from contracts.errors import InvalidInput
from contracts.text import Span
from golden_lab.causal_attribution.base import Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class RankRule:
    """A passage is used if it is among the ``top`` by absolute relevance for at least ``share`` of the answer's tokens.

    Ranks, not amounts: the size of gradients differs between questions by orders of magnitude.
    Source: the study of refinement that the product builds on, section 4.3.2: top 3, 30 % of the first 10 tokens.
    """

    top: int = 3
    share: float = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcentrationRule:
    """An answer is concentrated on a passage that gets ``ratio`` times the uniform share of relevance, for at least
    ``share`` of the answer's tokens.

    A passage's amount is its absolute relevance a token, so that a long passage has no more than a short one; the
    uniform share is one in the number of passages.
    Source: the same, section 4.5.5: ratio 2; section 4.5.6: 1.5 for five passages.
    """

    ratio: float = 2.0
    share: float = 0.3


def passage_relevance(scores: Floats, passages: Sequence[Span]) -> Floats:
    """Sum the relevance over each passage's tokens.

    ``scores`` has the shape ``(answer tokens, prompt tokens)``, the result ``(answer tokens, passages)``; ``passages``
    are half-open ranges of prompt tokens.

    Raises:
        InvalidInput: a passage lies outside the prompt.
    """
    if any(not 0 <= span.start <= span.end <= scores.shape[1] for span in passages):
        raise InvalidInput(f"a passage lies outside the prompt's {scores.shape[1]} tokens: {list(passages)}")
    if not passages:
        return np.zeros((scores.shape[0], 0))
    return np.stack([scores[:, span.start : span.end].sum(axis=1) for span in passages], axis=1)


def used_passages(by_passage: Floats, rule: RankRule = RankRule()) -> tuple[int, ...]:
    """Return the indexes of the passages that the answer leans on, by their ranks.

    ``by_passage`` has the shape ``(answer tokens, passages)``. A passage without any relevance has no rank.
    """
    tokens, passages = by_passage.shape
    if not tokens:
        return ()
    amounts = np.abs(by_passage)
    # Of equal amounts the earlier passage goes first.
    places = np.argsort(np.argsort(-amounts, axis=1, kind="stable"), axis=1, kind="stable")
    often = ((places < rule.top) & (amounts > 0)).sum(axis=0)
    return tuple(index for index in range(passages) if often[index] >= rule.share * tokens)


def concentrated_passages(
    by_passage: Floats,
    lengths: Sequence[int],
    rule: ConcentrationRule = ConcentrationRule(),
) -> tuple[int, ...]:
    """Return the indexes of the passages on which the answer's relevance is concentrated.

    ``by_passage`` has the shape ``(answer tokens, passages)``; ``lengths`` are the passages' in tokens. One passage
    alone cannot have more than its share.
    """
    tokens, passages = by_passage.shape
    if not tokens or passages < 2:
        return ()
    density = np.abs(by_passage) / np.maximum(np.asarray(lengths, dtype=np.float64), 1)
    total = density.sum(axis=1, keepdims=True)
    shares = np.divide(density, total, out=np.zeros_like(density), where=total > 0)
    often = (shares >= rule.ratio / passages).sum(axis=0)
    return tuple(index for index in range(passages) if often[index] and often[index] >= rule.share * tokens)
