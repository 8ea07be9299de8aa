"""An answer refiner that fires where a draft leans on passages that do not bear on the question."""

import time
from collections.abc import Sequence

from contracts.provenance import Provenance
from contracts.text import Passage
from contracts.verdicts import RefinementVerdict
from intrinsics.refinement.base import PassageUseSignal
from intrinsics.refinement.templates import CritiqueTemplate, stored_template

_ANY = 1.0


class FlaggedAnswerRefiner:
    """Asks for a rewrite where ``signal`` flags a passage; the critique names it only where the template does.

    What a signal of attribution is worth is when it fires: with passages named, the critique did worse.
    Source: the comparison of wordings of the report on refinement policies for retrieval-augmented answers, sections
    4.3.3 and 4.3.4.
    """

    def __init__(self, signal: PassageUseSignal, template: CritiqueTemplate | None = None) -> None:
        self._signal = signal
        self._template = template or stored_template()

    async def review(self, question: str, draft: str, passages: Sequence[Passage]) -> RefinementVerdict:
        """Decide whether ``draft`` is written again, and under which critique; an empty draft is kept.

        The signal of the verdict is the share of the used passages that are not flagged: below 1 it fires.

        Raises:
            Unavailable: a model that the signal needs is not there.
        """
        started = time.perf_counter()
        flagged: tuple[int, ...] = ()
        share, reason = 1.0, ""
        if draft.strip() and passages:
            use = await self._signal.flag(question, draft, passages)
            flagged, share, reason = use.flagged, use.sound_share, use.reason
        return RefinementVerdict(
            rewrite=bool(flagged),
            critique=self._template.naming(flagged) if flagged else "",
            policy=self._signal.name,
            signal_name="share of used passages that are not flagged",
            signal=round(share, 4),
            threshold=_ANY,
            reasons=(reason,) if reason else (),
            provenance=Provenance(
                implementation="embedded",
                prompt_version=self._template.version,
                milliseconds=(time.perf_counter() - started) * 1_000,
            ),
        )
