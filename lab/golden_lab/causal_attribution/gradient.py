"""Attribution by gradients: input x gradient, and integrated gradients."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from contracts.errors import InvalidInput
from golden_lab.causal_attribution.model import LocalCausalModel, as_floats
from golden_lab.causal_attribution.passages import AnswerRelevance, Floats


class InputGradientAttributor:
    """Input x gradient: the relevance of a token is its embedding times the gradient of the answer token's logit by it,
    summed over the embedding's width.

    One forward pass over prompt and answer, one backward pass for each token of the answer. For a model that is linear
    in its embeddings it is exact.
    Source: the study of refinement that the product builds on, section 4.3.1.
    """

    def __init__(self, model: LocalCausalModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """What it is called."""
        return "input-x-gradient"

    def attribute(self, prompt: Sequence[int], answer: Sequence[int]) -> AnswerRelevance:
        """Return the relevance of each token of ``prompt`` for each token of ``answer``.

        Raises:
            InvalidInput: as of ``TokenAttributor``.
        """
        self._model.check_lengths(prompt, answer)
        embedded = self._model.embed([*prompt, *answer[:-1]])
        gradients, logits = gradients_at(self._model, embedded, len(prompt), answer)
        return relevance_of(embedded, gradients, logits, len(prompt), answer)


class IntegratedGradientsAttributor:
    """Integrated gradients: the gradient averaged over ``steps`` points of the straight line from a reference to the
    input, times what lies between the two.

    The reference has the vocabulary's mean embedding at each place: a prompt that says nothing. (At embeddings of zeros
    the norms of today's models jump, and no number of steps follows them.) What is attributed is the logit less that of
    the reference; the relevance of all inputs adds up to it, up to the error of the sum (midpoints). Costs ``steps``
    times what input x gradient does.
    Source: Sundararajan, Taly and Yan, "Axiomatic Attribution for Deep Networks", ICML 2017; the reference is ours.
    """

    def __init__(self, model: LocalCausalModel, *, steps: int = 16) -> None:
        if steps < 1:
            raise InvalidInput(f"integrated gradients need at least one step, not {steps}")
        self._model = model
        self._steps = steps

    @property
    def name(self) -> str:
        """What it is called."""
        return f"integrated-gradients-{self._steps}"

    def attribute(self, prompt: Sequence[int], answer: Sequence[int]) -> AnswerRelevance:
        """Return the relevance of each token of ``prompt`` for each token of ``answer``.

        Raises:
            InvalidInput: as of ``TokenAttributor``.
        """
        self._model.check_lengths(prompt, answer)
        embedded = self._model.embed([*prompt, *answer[:-1]])
        reference = self._model.mean_embedding().expand_as(embedded)
        way = embedded - reference
        total: Any = 0
        for step in range(self._steps):
            place = reference + way * ((step + 0.5) / self._steps)
            gradients, _ = gradients_at(self._model, place, len(prompt), answer)
            total = total + gradients
        ends = [target_logits(self._model, each, len(prompt), answer) for each in (embedded, reference)]
        return relevance_of(way, total / self._steps, ends[0] - ends[1], len(prompt), answer)


def gradients_at(
    model: LocalCausalModel, embedded: Any, prompt_tokens: int, answer: Sequence[int]
) -> tuple[Any, Floats]:
    """Return the gradients ``(answer tokens, all tokens, width)`` of each answer token's logit, and the logits."""
    import torch

    inputs = embedded.detach().clone().requires_grad_(True)
    with torch.enable_grad():
        logits = model.logits(inputs)
        found = []
        for place, target in enumerate(answer):
            last = place == len(answer) - 1
            (gradient,) = torch.autograd.grad(logits[prompt_tokens - 1 + place, target], inputs, retain_graph=not last)
            found.append(gradient[0])
    rows = torch.arange(len(answer), device=logits.device)
    return torch.stack(found), as_floats(logits[prompt_tokens - 1 + rows, list(answer)])


def target_logits(model: LocalCausalModel, embedded: Any, prompt_tokens: int, answer: Sequence[int]) -> Floats:
    """Return the logit of each answer token at its place, ``(answer tokens,)``."""
    import torch

    with torch.no_grad():
        logits = model.logits(embedded)
    return as_floats(torch.stack([logits[prompt_tokens - 1 + place, target] for place, target in enumerate(answer)]))


def relevance_of(
    inputs: Any, gradients: Any, logits: Floats, prompt_tokens: int, answer: Sequence[int]
) -> AnswerRelevance:
    """Multiply gradients by their inputs and sum over the width.

    What stands behind a prediction has no part in it: its gradient is zero, and it is counted in no sum.
    """
    everything = as_floats((gradients * inputs).sum(dim=-1))
    if everything.shape != (len(answer), inputs.shape[1]):
        raise RuntimeError(f"relevance has the shape {everything.shape}, not {(len(answer), inputs.shape[1])}")
    return AnswerRelevance(
        scores=everything[:, :prompt_tokens],
        logits=logits,
        targets=tuple(int(each) for each in answer),
        whole=np.asarray(everything.sum(axis=1)),
    )
