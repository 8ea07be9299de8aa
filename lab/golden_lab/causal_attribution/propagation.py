"""Attribution by layer-wise relevance propagation through attention (AttnLRP), where the library lxt is installed."""

import importlib
from typing import Any

from contracts.errors import ConfigurationError
from golden_lab.causal_attribution.gradient import InputGradientAttributor
from golden_lab.causal_attribution.model import LocalCausalModel

_PATCHED: set[str] = set()


class PropagationAttributor(InputGradientAttributor):
    """AttnLRP: relevance passes through attention, norms and gates by rules that keep its sum.

    lxt builds the rules into the backward pass of the model's classes, so that input x gradient is then AttnLRP. That
    holds for every model of the same architecture in this process, for good: plain gradients of them are no longer to
    be had here.
    Source: Achtibat et al., "AttnLRP: Attention-Aware Layer-Wise Relevance Propagation for Transformers", ICML 2024.
    The study of refinement that the product builds on found it usable on Llama, and on Qwen3 a third of the relevance
    on the first token (section 4.5.9): look at ``first_token_share`` before trusting it.
    """

    def __init__(self, model: LocalCausalModel) -> None:
        """Put the rules into the model's architecture.

        Raises:
            ConfigurationError: lxt is not installed, or has no rules for this architecture.
        """
        super().__init__(model)
        put_rules_into(model.module)

    @property
    def name(self) -> str:
        """What it is called."""
        return "attnlrp"


def put_rules_into(module: Any) -> None:
    """Replace the backward rules of the module's architecture by AttnLRP's, once in this process.

    Raises:
        ConfigurationError: lxt is not installed, or has no rules for this architecture.
    """
    source = type(module).__module__
    if source in _PATCHED:
        return
    try:
        patching = importlib.import_module("lxt.efficient")
    except ImportError as error:
        raise ConfigurationError(
            f"attribution by AttnLRP needs the library lxt, which cannot be imported ({error}): install it, or "
            "use input x gradient"
        ) from error
    try:
        patching.monkey_patch(importlib.import_module(source))
    except (ValueError, AttributeError, TypeError) as error:
        raise ConfigurationError(
            f"lxt has no rules that fit {type(module).__name__} in the installed transformers ({error}): use input x "
            "gradient"
        ) from error
    _PATCHED.add(source)
