"""What tells by attribution which passages a draft leans on."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from contracts.text import Passage
from golden_retriever.settings import Settings

if TYPE_CHECKING:
    from intrinsics.context_relevance import RelevanceJudge
    from intrinsics.refinement import PassageUseSignal
    from tools.attribution import TokenAttributor
    from tools.attribution.model import LocalCausalModel

_BESIDE = ("irrelevant", "misleading")


def build_attribution_signal(settings: Settings, relevance: "RelevanceJudge") -> "PassageUseSignal":
    """Return the signal of the policy "attribution"; its model is loaded here, so that a start fails and no question.

    Raises:
        ConfigurationError: the model or what runs it is not there.
    """
    from intrinsics.refinement.attribution import AttributionSignal
    from tools.attribution.model import LocalCausalModel

    async def irrelevant(question: str, passages: Sequence[Passage]) -> list[bool]:
        verdict = await relevance.judge(question, passages)
        return [each.label in _BESIDE for each in verdict.passages]

    model = LocalCausalModel.load(settings.attribution_model, device=settings.attribution_device)
    return AttributionSignal(model, attributor_named(settings.attribution_method, model), irrelevant=irrelevant)


def attributor_named(name: str, model: "LocalCausalModel") -> "TokenAttributor":
    """Return the way to attribute that ``name`` names in the settings.

    Raises:
        ConfigurationError: what it needs is not installed, or does not fit the model.
    """
    if name == "attnlrp":
        from tools.attribution.propagation import PropagationAttributor

        return PropagationAttributor(model)
    from tools.attribution.gradient import InputGradientAttributor, IntegratedGradientsAttributor

    return IntegratedGradientsAttributor(model) if name == "integrated-gradients" else InputGradientAttributor(model)
