"""Similar words: words of the documents with a spelling close to a given one."""

from collections.abc import Mapping

from rapidfuzz.distance import OSA
from rapidfuzz.process import extract

from library.tokenization import STOP_WORDS

# The number of words that are compared with a term, the most frequent ones: the rest of a very large library is mostly
# OCR errors.
MOST_WORDS = 500_000


def allowed_distance(length: int) -> int:
    """Return the maximum edit distance for a word of ``length`` characters."""
    if length <= 4:
        return 1
    return 2 if length <= 8 else 3


def words_to_compare(frequencies: Mapping[str, int]) -> dict[str, int]:
    """Return the words to compare with a term, without stop words and words without letters."""
    return {
        word: count
        for word, count in frequencies.items()
        if len(word) > 1 and word not in STOP_WORDS and any(map(str.isalpha, word))
    }


def nearest_words(asked: str, frequencies: Mapping[str, int]) -> list[str]:
    """Return the words similar to folded ``asked``, nearest first, without itself.

    Sorted by optimal string alignment distance (swapped neighbours are one error), then same letters, then same first
    letter, then frequency.
    """
    if len(asked) < 2:
        return []
    limit = allowed_distance(len(asked))
    found = extract(asked, frequencies.keys(), scorer=OSA.distance, score_cutoff=limit, limit=None)
    letters = sorted(asked)
    near = [
        (distance, sorted(word) != letters, word[0] != asked[0], -frequencies[word], word)
        for word, distance, _ in found
        # As many errors as letters would leave nothing of the word.
        if word != asked and distance < min(len(word), len(asked))
    ]
    return [each[-1] for each in sorted(near)]
