"""When a verdict on the context lies close to another one, and something hangs on it."""

from collections.abc import Sequence

from contracts.jargon import Context
from contracts.verdicts import ContextVerdict
from intrinsics.context_classification.terms import folded_terms, runs_of, terms_in
from tools.jargon import JargonDictionary

# Where the best lead by less, the embedded judge is wrong in one case of four and more.
# Source: ``python -m golden_lab.calibration.ties``, on titles of manuals, 3 to 9 manuals being the contexts.
CLOSE_LEAD = 0.5


def lead_of(verdict: ContextVerdict) -> float:
    """Return how far the most probable lies above the next one, "none of these" being one of them; in [0, 1]."""
    ranked = sorted((*(each.probability for each in verdict.contexts), verdict.none_of_these), reverse=True)
    return ranked[0] - ranked[1] if len(ranked) > 1 else 1.0


class ContestedContexts:
    """Says whether a verdict is worth a second opinion: it lies close, and the question's words hang on it.

    They do where ``dictionary`` has meanings in different contexts for one of them. Elsewhere the context is shown and
    searched with, and decides nothing: no call is made for that.
    """

    def __init__(self, dictionary: JargonDictionary) -> None:
        self._dictionary = dictionary

    async def is_close(
        self, verdict: ContextVerdict, question: str, contexts: Sequence[Context], **more: object
    ) -> bool:
        """Say whether the question might as well be asked in the context that comes next, or in none, and it matters.

        The arguments behind the verdict are those of the classification.
        """
        if not contexts or lead_of(verdict) >= CLOSE_LEAD:
            return False
        found = await self._dictionary.senses(runs_of(question))
        senses = [sense for several in found.values() for sense in several]
        used = terms_in(question, folded_terms({each: () for s in senses for each in (s.term, *s.aliases)}))
        for spelling in used:
            meant = {sense.context for sense in senses if spelling in (sense.term, *sense.aliases)}
            if len(meant) > 1:
                return True
        return False
