"""The dictionary's terms that a question uses, as evidence for the contexts of their senses."""

from collections.abc import Iterable, Mapping

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


def refolded(
    folded: Mapping[str, tuple[str, ...]], terms: Mapping[str, tuple[str, ...]], changed: Iterable[str]
) -> dict[str, tuple[str, ...]]:
    """Return ``folded_terms(terms)``, of which ``folded`` was right but for the spellings ``changed``."""
    result = dict(folded)
    for spelling in changed:
        key = fold(spelling.replace("-", " "))
        result[key] = tuple(each for each in result.get(key, ()) if each != spelling)
        if spelling in terms:
            result[key] = (*result[key], spelling)
        if not result[key]:
            del result[key]
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
