"""Corrections: what an asker's choice of a meaning says about reading, kept for the questions that come."""

import logging
from collections.abc import Sequence

from contracts.jargon import Correction, Reading
from contracts.question import SensePick
from tools.jargon import JargonDictionary
from tools.language import fold

_LOG = logging.getLogger(__name__)


def corrections_of(
    question: str, picks: Sequence[SensePick], read: Sequence[Reading], unaided: Sequence[Reading]
) -> tuple[Correction, ...]:
    """Return what ``picks`` changed: a correction for each term of ``question`` that is read otherwise without them.

    ``read`` are the readings with the picks, ``unaided`` those of the same terms without, in the same order. A term
    with one meaning was never in doubt, and a pick kept from an earlier question proves nothing about this one.
    """
    fresh = {(fold(pick.term), fold(pick.extended_name)) for pick in picks if not pick.kept}
    found = []
    for reading, before in zip(read, unaided, strict=True):
        sense = reading.sense
        if sense is None or not reading.alternatives or sense == before.sense:
            continue
        spellings = {fold(reading.mention.term), fold(reading.mention.text)}
        if any((spelling, fold(sense.extended_name)) in fresh for spelling in spellings):
            found.append(
                Correction(
                    term=sense.term,
                    extended_name=sense.extended_name,
                    context=sense.context,
                    question=question,
                )
            )
    return tuple(found)


async def record_corrections(corrections: Sequence[Correction], dictionary: JargonDictionary) -> None:
    """Keep ``corrections``; where that fails, the log says so and the answer goes on."""
    try:
        for correction in corrections:
            await dictionary.record_correction(correction)
    except Exception:
        # The asker gets the reading that they chose, whether or not it can be kept for others.
        _LOG.warning("a correction of a reading could not be stored", exc_info=True)
