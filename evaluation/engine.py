"""What a run measures."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from agent.services import Services
from evaluation.splits import SplitUse


@dataclass(frozen=True, kw_only=True)
class MeasuredEngine:
    """The judgements under measurement.

    ``name`` is "embedded" or "llm"; ``model`` the chat model's or the embedding model's name. ``fitted_on`` names, for
    each intrinsic, the parts of data sets that its thresholds and coefficients were fitted on.
    """

    name: str
    model: str
    judges: Services
    fitted_on: Mapping[str, tuple[SplitUse, ...]] = field(default_factory=dict)
