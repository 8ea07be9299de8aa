"""Is an attribution faithful? Tokens are taken away in its order, and the model is asked what it still predicts.

Taking the most relevant first (MoRF) must hurt the prediction sooner than taking the least relevant first (LeRF); the
area between the two curves (ABPC) is positive where it does.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from contracts.errors import InvalidInput
from golden_lab.causal_attribution.model import LocalCausalModel
from golden_lab.causal_attribution.passages import Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class OcclusionCurves:
    """How confident the model is while tokens go, each of the shape ``(points,)``.

    ``shares`` of the prompt's tokens from 0 to 1, and the confidence with the most relevant (``morf``) and the least
    relevant (``lerf``) taken first.
    """

    shares: Floats
    morf: Floats
    lerf: Floats

    @property
    def abpc(self) -> float:
        """The area between the curves: that under LeRF less that under MoRF, by trapezoids.

        Source: the study of refinement that the product builds on, section 4.2.1.
        """
        return float(np.trapezoid(self.lerf - self.morf, self.shares))


def occlusion_curves(
    model: LocalCausalModel,
    prompt: Sequence[int],
    target: int,
    relevance: Floats,
    *,
    points: int = 10,
    as_logit: bool = False,
) -> OcclusionCurves:
    """Take the prompt's tokens away in ``points`` steps, in the order of signed ``relevance`` and against it. Blocking.

    A token that is taken away has an embedding of zeros; its place stays. The first token stays, too: much of a model's
    attention rests on it, whatever it says. Ties go in the order of the text. Costs ``2 x points`` forward passes.

    Raises:
        InvalidInput: the prompt has fewer than two tokens, or the relevance is not one number for each of them.
    """
    if len(prompt) < 2 or points < 1:
        raise InvalidInput("occlusion needs a prompt of two tokens or more, and a step or more")
    if relevance.shape != (len(prompt),):
        raise InvalidInput(f"relevance has the shape {relevance.shape}, and the prompt has {len(prompt)} tokens")
    embedded = model.embed(prompt)
    order = np.argsort(-relevance[1:], kind="stable") + 1
    counts = np.unique(np.round(np.linspace(0, len(order), min(points, len(order)) + 1)).astype(int))

    def confidence(taken: Any) -> float:
        left = embedded.clone()
        left[0, taken.tolist()] = 0
        return model.confidence(left, target, as_logit=as_logit)

    whole, nothing = confidence(order[:0]), confidence(order)
    inner = counts[1:-1]
    return OcclusionCurves(
        shares=counts / len(order),
        morf=np.array([whole, *(confidence(order[:count]) for count in inner), nothing]),
        lerf=np.array([whole, *(confidence(order[::-1][:count]) for count in inner), nothing]),
    )
