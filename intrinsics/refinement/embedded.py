"""An answer refiner that follows a measured signal and a template critique, never the writer's view of itself."""

import asyncio
import time
from collections.abc import Sequence
from typing import Literal, get_args

from contracts.errors import ConfigurationError
from contracts.provenance import Provenance
from contracts.text import Passage
from contracts.verdicts import RefinementVerdict
from intrinsics.refinement.overlap import S3, passage_overlap
from intrinsics.refinement.templates import CritiqueTemplate, stored_template

RefinementPolicy = Literal["none", "overlap", "always", "generic"]

# The policies that write every draft again: the wording of their critique ("" for the product's), and what they say.
_EVERY_DRAFT: dict[RefinementPolicy, tuple[str, str]] = {
    "always": ("", "this policy writes every draft again"),
    "generic": ("generic", "this policy asks of every draft to look again; it is a baseline to compare with"),
}


class OverlapAnswerRefiner:
    """Asks for a rewrite when too few of the draft's content words stand in the passages (signal S3).

    Policy ``none`` keeps every draft, ``always`` and ``generic`` send every one back; all report the signal.
    ``template`` is the critique and the threshold; without one those that come with the product are taken. The critique
    is a template: a model that criticises itself asks for more, and what it adds is less grounded.
    Source: the signal S3 and the finding that a fixed critique beats self-critique are from the report on refinement
    policies for retrieval-augmented answers that the product builds on; threshold and words in ``wordings.toml`` are
    ours.
    """

    def __init__(self, policy: RefinementPolicy = "overlap", template: CritiqueTemplate | None = None) -> None:
        if policy not in get_args(RefinementPolicy):
            known = ", ".join(get_args(RefinementPolicy))
            raise ConfigurationError(f'refinement policy "{policy}" is not known: choose one of {known}')
        self._policy: RefinementPolicy = policy
        wording, reason = _EVERY_DRAFT.get(policy, ("", ""))
        self._reasons = (reason,) if reason else ()
        self._template = template or stored_template(wording)

    async def review(self, question: str, draft: str, passages: Sequence[Passage]) -> RefinementVerdict:
        """Decide whether ``draft`` is written again, and under which critique; an empty draft is kept."""
        started = time.perf_counter()
        signal = await asyncio.to_thread(passage_overlap, draft, passages)
        rewrite = self._wants(signal) and bool(passages) and bool(draft.strip())
        return RefinementVerdict(
            rewrite=rewrite,
            critique=self._template.text if rewrite else "",
            policy=self._policy,
            signal_name=S3,
            signal=round(signal, 4),
            threshold=self._template.threshold,
            reasons=self._reasons,
            provenance=Provenance(
                implementation="embedded",
                prompt_version=self._template.version,
                milliseconds=(time.perf_counter() - started) * 1_000,
            ),
        )

    def _wants(self, signal: float) -> bool:
        below = self._policy == "overlap" and signal < self._template.threshold
        return below or self._policy in _EVERY_DRAFT
