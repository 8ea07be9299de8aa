"""What finds by attribution which passages a draft leans on."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from contracts.text import Passage

if TYPE_CHECKING:
    from golden_lab.causal_attribution import TokenAttributor
    from golden_lab.causal_attribution.model import LocalCausalModel
    from golden_lab.causal_attribution.passages import PassageUseSignal
    from intrinsics.context_relevance.base import RelevanceJudge

_BESIDE = ("irrelevant", "misleading")


def build_attribution_signal(folder: str, relevance: "RelevanceJudge") -> "PassageUseSignal":
    """Return what flags passages by attribution on the causal language model in ``folder``.

    Raises:
        ConfigurationError: the model or what runs it is not there.
    """
    from golden_lab.causal_attribution.gradient import InputGradientAttributor
    from golden_lab.causal_attribution.model import LocalCausalModel
    from golden_lab.causal_attribution.refiner import AttributionSignal

    async def irrelevant(question: str, passages: Sequence[Passage]) -> list[bool]:
        verdict = await relevance.judge(question, passages)
        return [each.label in _BESIDE for each in verdict.passages]

    model = LocalCausalModel.load(folder)
    return AttributionSignal(model, InputGradientAttributor(model), irrelevant=irrelevant)


def attributor_named(name: str, model: "LocalCausalModel") -> "TokenAttributor":
    """Return the way to attribute that ``name`` names.

    Raises:
        ConfigurationError: what it needs is not installed, or does not fit the model.
    """
    if name == "attnlrp":
        from golden_lab.causal_attribution.propagation import PropagationAttributor

        return PropagationAttributor(model)
    from golden_lab.causal_attribution.gradient import InputGradientAttributor, IntegratedGradientsAttributor

    return IntegratedGradientsAttributor(model) if name == "integrated-gradients" else InputGradientAttributor(model)
