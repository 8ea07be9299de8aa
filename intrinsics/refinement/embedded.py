"""The answer refiner, which uses a measured signal and a fixed critique instead of self-critique."""

import asyncio
import time
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Literal

from contracts.text import Passage
from contracts.verdicts import RefinementVerdict
from intrinsics.refinement.difficulty import gauge_difficulty, stored_scale
from intrinsics.refinement.overlap import S3, passage_overlap
from tools.judges import provenance_since

RefinementPolicy = Literal["auto", "overlap", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CritiqueTemplate:
    """The critique that is sent to the writer; a rewrite is requested if S3 is below the ``threshold``."""

    version: str
    threshold: float
    text: str


@lru_cache(maxsize=1)
def stored_template() -> CritiqueTemplate:
    """Return the default critique, from ``critique.toml``."""
    stored = tomllib.loads(resources.files("intrinsics.refinement").joinpath("critique.toml").read_text("utf-8"))
    return CritiqueTemplate(
        version=str(stored["version"]), threshold=float(stored["threshold"]), text=" ".join(stored["text"].split())
    )


class OverlapAnswerRefiner:
    """Requests a rewrite if too few of the draft's content words are in the passages (signal S3).

    The policy ``overlap`` follows the signal alone, ``auto`` also requires that retrieval looks noisy, and ``none``
    keeps every draft; all of them report the signal. ``template`` replaces the default critique and threshold. The
    critique is fixed because a model that criticises itself asks for more text, which is less grounded.

    Source: the report on refinement policies for retrieval-augmented answers, for the signal S3, for the decision tree
    (appendix B.1: a rewrite gained 2.08 points of citation precision with clean passages, where the interval includes
    0, and 7.09 points with noisy passages), and for the finding that a fixed critique is better than self-critique. The
    threshold and the wording in ``critique.toml`` are ours.
    """

    def __init__(self, policy: RefinementPolicy = "overlap", template: CritiqueTemplate | None = None) -> None:
        self._policy: RefinementPolicy = policy
        self._template = template or stored_template()

    async def review(self, question: str, draft: str, passages: Sequence[Passage]) -> RefinementVerdict:
        return await asyncio.to_thread(self._review, question, draft, passages)

    def _review(self, question: str, draft: str, passages: Sequence[Passage]) -> RefinementVerdict:
        started = time.perf_counter()
        signal = passage_overlap(draft, passages)
        below = signal < self._template.threshold and bool(passages) and bool(draft.strip())
        rewrite = self._policy != "none" and below
        reasons: tuple[str, ...] = ()
        version = self._template.version
        if self._policy == "auto":
            difficulty = gauge_difficulty(question, passages, overlap=signal)
            rewrite, reasons = below and difficulty.noisy, (difficulty.reason,)
            version = f"{version}, difficulty {stored_scale().version}"
        return RefinementVerdict(
            rewrite=rewrite,
            critique=self._template.text if rewrite else "",
            policy=self._policy,
            signal_name=S3,
            signal=round(signal, 4),
            threshold=self._template.threshold,
            reasons=reasons,
            provenance=provenance_since(started, prompt_version=version),
        )
