"""What every way to attribute has in common."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

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
