"""Near words: which words of the documents are spelt nearly like one."""

from collections.abc import Mapping

from rapidfuzz.distance import OSA
from rapidfuzz.process import extract

from library.tokenization import STOP_WORDS

# So many words of a library are held against a term, the most frequent: the others of a very large one are mostly
# what a scanner misread.
MOST_WORDS = 500_000


def allowed_distance(length: int) -> int:
    """Return how many errors a word of ``length`` characters may hold and still be taken for another."""
    if length <= 4:
        return 1
    return 2 if length <= 8 else 3


def words_to_compare(frequencies: Mapping[str, int]) -> dict[str, int]:
    """Return the words that a term can be near to; stop words and what holds no letter are none."""
    return {
        word: count
        for word, count in frequencies.items()
        if len(word) > 1 and word not in STOP_WORDS and any(map(str.isalpha, word))
    }


def nearest_words(asked: str, frequencies: Mapping[str, int]) -> list[str]:
    """Return the words near to folded ``asked``, nearest first, itself not among them.

    Nearest by optimal string alignment (an exchange of neighbours is one error), then those of the same letters, then
    those with the same first letter, then the more frequent.
    """
    if len(asked) < 2:
        return []
    limit = allowed_distance(len(asked))
    found = extract(asked, frequencies.keys(), scorer=OSA.distance, score_cutoff=limit, limit=None)
    letters = sorted(asked)
    near = [
        (distance, sorted(word) != letters, word[0] != asked[0], -frequencies[word], word)
        for word, distance, _ in found
        # Two errors in a short word, or as many as it has letters, leave nothing of it.
        if word != asked and distance < min(len(word), len(asked))
    ]
    return [each[-1] for each in sorted(near)]
