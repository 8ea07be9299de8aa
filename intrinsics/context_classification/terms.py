"""The dictionary's terms that a question uses."""

from collections.abc import Mapping

from tools.language import STOP_WORDS, find_words, fold, rarity

_MAX_TERM_WORDS = 4
# A word this common (Zipf 4) names a term only where it is spelt with the term's own capitals.
_COMMON_RARITY = 0.5


def folded_terms(terms: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Return the spellings of ``terms`` by their folded forms, hyphens as spaces."""
    result: dict[str, tuple[str, ...]] = {}
    for spelling in terms:
        key = fold(spelling.replace("-", " "))
        result[key] = (*result.get(key, ()), spelling)
    return result


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
