"""The contracts of attribution, and from the relevance of tokens to the passages that an answer leans on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from contracts.errors import InvalidInput
from contracts.text import Passage, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageUse:
    """Which passages a draft leans on, and which of these it should not have leaned on: indexes from 0, in order.

    ``reason`` says in words what made them flagged; "" where nothing is.

    Raises:
        ValueError: a flagged passage is not among the used ones.
    """

    used: tuple[int, ...]
    flagged: tuple[int, ...]
    reason: str = ""

    def __post_init__(self) -> None:
        if not set(self.flagged) <= set(self.used):
            raise ValueError(f"the flagged passages {self.flagged} are not all among the used ones {self.used}")


class PassageUseSignal(Protocol):
    """Finds the passages that a draft leans on although they do not bear on the question."""

    @property
    def name(self) -> str:
        """What it measures, in a word or two, for traces: "attribution"."""
        ...

    async def flag(self, question: str, draft: str, passages: Sequence[Passage]) -> PassageUse:
        """Say which of ``passages`` the draft leans on, and which of them are flagged: indexes into ``passages``.

        Raises:
            Unavailable: a model that it needs is not there.
        """
        ...


Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRelevance:
    """How much each token of a prompt contributed to each of the first tokens of an answer.

    ``scores`` has the shape ``(answer tokens, prompt tokens)``; positive relevance raised the logit of the answer's
    token. ``logits`` has the shape ``(answer tokens,)``: what was attributed, the token's logit or how
    far it lies above that of a reference. ``targets`` are the answer's token ids.
    ``whole`` is the sum of the relevance of *all* inputs of each prediction, ``(answer tokens,)``: those of the answer
    before it are inputs, too.
    """

    scores: Floats
    logits: Floats
    targets: tuple[int, ...]
    whole: Floats

    def conservation(self) -> Floats:
        """Return the share of each logit that the relevance of all inputs accounts for; 1 where nothing is lost.

        NaN where the logit is 0.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.where(self.logits == 0, np.nan, self.whole / self.logits))

    def first_token_share(self) -> Floats:
        """Return the share of the prompt's absolute relevance that lies on its first token, in [0, 1].

        A large one tells of relevance that drains into the attention sink instead of what the model reads. 0 where
        nothing in the prompt has any.
        """
        absolute = np.abs(self.scores)
        total = absolute.sum(axis=1)
        return np.asarray(np.divide(absolute[:, 0], total, out=np.zeros_like(total), where=total > 0))


class TokenAttributor(Protocol):
    """Attributes an answer's first tokens to a prompt's."""

    @property
    def name(self) -> str:
        """What it is called in traces and reports: "input-x-gradient"."""
        ...

    def attribute(self, prompt: Sequence[int], answer: Sequence[int]) -> AnswerRelevance:
        """Return the relevance of each token of ``prompt`` for each token of ``answer``. Blocking.

        Raises:
            InvalidInput: prompt or answer is empty, or both together are longer than the model reads.
        """
        ...


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
