"""Excerpts: of each passage the few sentences that speak to a question most, for judges that read little at a time."""

import numpy as np

from tools.evidence.features import unit_scores
from tools.evidence.matching import Scores
from tools.evidence.reading import Evidence

# The encoder learnt from excerpts of 20 to 55 words, as a rule.
_MOST_WORDS = 55


def best_excerpts(evidence: Evidence, *, most_words: int = _MOST_WORDS) -> tuple[str, ...]:
    """Return for each passage its best sentence with as many around it as ``most_words`` take; "" without any text."""
    return _excerpts(evidence, unit_scores(evidence) if evidence.units else np.zeros(0), most_words)


def _excerpts(evidence: Evidence, scores: Scores, most_words: int) -> tuple[str, ...]:
    found = []
    for passage in range(len(evidence.passages)):
        units = evidence.units_of(passage).tolist()
        if not units:
            found.append("")
            continue
        texts = [evidence.units[at].reading for at in units]
        found.append(_around(texts, int(np.argmax(scores[units])), most_words))
    return tuple(found)


def nearest_excerpts(evidence: Evidence, first: int | None = None) -> tuple[str, ...]:
    """Return the best excerpts of all passages with any text, the nearest one first.

    ``first`` is the passage that comes before all others, whatever the scores say.
    """
    scores = unit_scores(evidence)
    best = {
        at: float(scores[units].max()) for at in range(len(evidence.passages)) if len(units := evidence.units_of(at))
    }
    excerpts = _excerpts(evidence, scores, _MOST_WORDS)
    return tuple(excerpts[at] for at in sorted(best, key=lambda at: (at != first, -best[at])))


def _around(texts: list[str], best: int, most_words: int) -> str:
    lengths = [len(text.split()) for text in texts]
    first = last = best
    words = lengths[best]
    while True:
        # What stands before a sentence says what it is about; what follows goes on from it.
        sides = [at for at in (first - 1, last + 1) if 0 <= at < len(texts) and words + lengths[at] <= most_words]
        if not sides:
            return "\n".join(texts[first : last + 1])
        at = min(sides, key=lambda side: (abs(side - best), side))
        words += lengths[at]
        first, last = min(first, at), max(last, at)
