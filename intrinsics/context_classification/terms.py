"""The dictionary's terms that a question uses, and whether a verdict on the context hangs on them."""

from collections.abc import Mapping, Sequence

from contracts.jargon import Context
from contracts.verdicts import ContextVerdict
from tools.jargon import JargonDictionary
from tools.language import STOP_WORDS, find_words, fold, rarity

_MAX_TERM_WORDS = 4
_MOST_WORDS = 100
# A word this common (Zipf 4) names a term only where it is spelt with the term's own capitals.
_COMMON_RARITY = 0.5


def folded_terms(terms: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Return the spellings of ``terms`` by their folded forms, hyphens as spaces."""
    result: dict[str, tuple[str, ...]] = {}
    for spelling in terms:
        key = fold(spelling.replace("-", " "))
        result[key] = (*result.get(key, ()), spelling)
    return result


def runs_of(question: str) -> list[str]:
    """Return the runs of up to four words, of the question's first 100, that may be a term; plurals without their s."""
    words = find_words(question)[:_MOST_WORDS]
    runs = {
        question[words[start].span.start : words[start + size - 1].span.end]
        for start in range(len(words))
        for size in range(1, min(_MAX_TERM_WORDS, len(words) - start) + 1)
    }
    return sorted(runs | {run.removesuffix("s") for run in runs if len(run) > 1})


def terms_in(question: str, spellings: Mapping[str, tuple[str, ...]]) -> set[str]:
    """Return the dictionary's spellings that ``question`` uses; common words only in the term's own capitals."""
    words = find_words(question)
    found: set[str] = set()
    for start in range(len(words)):
        for size in range(min(_MAX_TERM_WORDS, len(words) - start), 0, -1):
            text = question[words[start].span.start : words[start + size - 1].span.end]
            key = fold(text.replace("-", " "))
            candidates = spellings.get(key) or spellings.get(key.removesuffix("s")) or ()
            common = size == 1 and (key in STOP_WORDS or rarity(key) < _COMMON_RARITY)
            found.update(each for each in candidates if not common or text.startswith(each))
    return found


# Where the best lead by less, the embedded judge is wrong in one case of four and more.
# Measured on titles of manuals, 3 to 9 manuals being the contexts.
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
