"""The faithfulness of an attribution: the area between perturbation curves (ABPC) on a causal language model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# The number of steps in which the passages' tokens are removed: half as many as in the study of refinement that the
# product builds on (section 4.2.5), because each needs a forward pass.
_STEPS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class CausalModel:
    """A transformers model with its tokenizer; ``most_tokens`` is the maximum input length (0: no limit).

    The module takes ``inputs_embeds`` of shape ``(1, tokens, width)`` and returns an object with ``logits`` of shape
    ``(1, tokens, vocabulary)``.
    """

    module: Any
    tokenizer: Any
    most_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Faithfulness:
    """The ABPC of an attribution, and the ABPC of a random order of tokens, each in [-1, 1]."""

    abpc: float
    random_abpc: float


def measure_faithfulness(
    model: CausalModel,
    prompt: Sequence[int],
    answer: Sequence[int],
    places: NDArray[np.int64],
    relevance: NDArray[np.float64],
) -> Faithfulness | None:
    """Measure whether ``relevance`` identifies the ``places`` in the prompt on which the answer depends. Blocking.

    The embeddings of the places are set to zero step by step, once starting with the most relevant and once with the
    least relevant. ABPC is the area between the two curves of the mean probability of the answer's tokens. It is
    positive for a faithful attribution, and near 0 for a random one. The sign matters: tokens that count against the
    answer are removed last. Returns None if there are no places.
    Source: the study of refinement that the product builds on, section 4.2.1. The study uses the probability of the
    next token; this function uses the answer's first tokens, from which the flags are computed.
    """
    if not places.size:
        return None
    order = places[np.argsort(-relevance, kind="stable")]
    shuffled = np.random.default_rng(0).permutation(places)
    return Faithfulness(abpc=_area(model, prompt, answer, order), random_abpc=_area(model, prompt, answer, shuffled))


def _area(model: CausalModel, prompt: Sequence[int], answer: Sequence[int], order: NDArray[np.int64]) -> float:
    counts = np.linspace(0, order.size, _STEPS + 1).round().astype(int)
    # The two curves coincide when no tokens or all tokens are removed.
    gaps = [
        _probability(model, prompt, answer, order[order.size - count :])
        - _probability(model, prompt, answer, order[:count])
        for count in counts[1:-1]
    ]
    return float(np.sum(gaps) / _STEPS)


def _probability(model: CausalModel, prompt: Sequence[int], answer: Sequence[int], taken: NDArray[np.int64]) -> float:
    """Return the mean probability of the tokens of ``answer`` with the embeddings at ``taken`` set to zero."""
    import torch

    device = next(model.module.parameters()).device
    with torch.no_grad():
        ids = torch.tensor([[*prompt, *answer[:-1]]], device=device)
        embedded = model.module.get_input_embeddings()(ids).clone()
        embedded[0, torch.as_tensor(taken, device=device)] = 0
        logits = model.module(inputs_embeds=embedded).logits[0, len(prompt) - 1 :]
        wanted = torch.tensor(answer, device=device)[:, None]
        return float(logits.float().softmax(dim=-1).gather(1, wanted).mean())
