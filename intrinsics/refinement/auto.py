"""An answer refiner that first asks whether retrieval was noisy: a clean draft is left alone."""

import asyncio
import time
from collections.abc import Sequence

from contracts.provenance import Provenance
from contracts.text import Passage
from contracts.verdicts import RefinementVerdict
from intrinsics.refinement.difficulty import Difficulty, DifficultyScale, gauge_difficulty, stored_scale
from intrinsics.refinement.overlap import S3, passage_overlap
from intrinsics.refinement.templates import CritiqueTemplate, stored_template


class AutoAnswerRefiner:
    """Keeps the draft where retrieval looks clean; where it looks noisy, follows the overlap (signal S3).

    A draft of very low overlap is itself a sign of noise, and weighs double (``difficulty.toml`` says why).

    Source: the decision tree of the report on refinement policies for retrieval-augmented answers, appendix B.1: over
    clean passages a rewrite gained +2.08 points of citation precision (interval with 0), over noisy ones +7.09.
    """

    def __init__(self, template: CritiqueTemplate | None = None, scale: DifficultyScale | None = None) -> None:
        self._template = template or stored_template()
        self._scale = scale or stored_scale()

    async def review(self, question: str, draft: str, passages: Sequence[Passage]) -> RefinementVerdict:
        """Decide whether ``draft`` is written again, and under which critique; an empty draft is kept."""
        started = time.perf_counter()
        signal, difficulty = await asyncio.to_thread(self._look, question, draft, passages)
        below = signal < self._template.threshold and bool(passages) and bool(draft.strip())
        rewrite = below and difficulty.noisy
        return RefinementVerdict(
            rewrite=rewrite,
            critique=self._template.text if rewrite else "",
            policy="auto",
            signal_name=S3,
            signal=round(signal, 4),
            threshold=self._template.threshold,
            reasons=(difficulty.reason,),
            provenance=Provenance(
                implementation="embedded",
                prompt_version=f"{self._template.version}, difficulty {self._scale.version}",
                milliseconds=(time.perf_counter() - started) * 1_000,
            ),
        )

    def _look(self, question: str, draft: str, passages: Sequence[Passage]) -> tuple[float, Difficulty]:
        signal = passage_overlap(draft, passages)
        return signal, gauge_difficulty(question, passages, overlap=signal, scale=self._scale)
