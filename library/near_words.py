"""Near words: which words of the documents are spelt nearly like one."""

from collections.abc import Mapping, Sequence

from rapidfuzz.distance import OSA
from rapidfuzz.process import cdist

from library.words import STOP_WORDS

# So many words of a library are held against a term, the most frequent: the others of a very large one are mostly
# what a scanner misread. Memory is about 100 bytes a word.
MOST_WORDS = 500_000


def allowed_distance(length: int) -> int:
    """Return how many errors a word of ``length`` characters may hold and still be taken for another."""
    if length <= 4:
        return 1
    return 2 if length <= 8 else 3


class NearWords:
    """The words of the documents by their lengths, so that a term is compared with those that can be near alone."""

    def __init__(self, frequencies: Mapping[str, int]) -> None:
        """Lay out words with the number of their chunks; stop words and what holds no letter are left out."""
        self._frequencies = frequencies
        self._of_length: dict[int, list[str]] = {}
        for word in frequencies:
            if len(word) > 1 and word not in STOP_WORDS and (word.isalpha() or any(map(str.isalpha, word))):
                self._of_length.setdefault(len(word), []).append(word)

    def nearest(self, asked: str) -> list[str]:
        """Return the words near to folded ``asked``, nearest first, itself not among them.

        Nearest by optimal string alignment (an exchange of neighbours is one error), then those of the same letters,
        then those with the same first letter, then the more frequent.
        """
        if len(asked) < 2:
            return []
        limit = allowed_distance(len(asked))
        near = [
            (distance, word)
            for length in range(len(asked) - limit, len(asked) + limit + 1)
            for distance, word in _within(asked, self._of_length.get(length, ()), limit)
            # Two errors in a short word, or as many as it has letters, leave nothing of it.
            if word != asked and distance < min(length, len(asked))
        ]
        letters, first = sorted(asked), asked[0]
        near.sort(
            key=lambda each: (
                each[0],
                sorted(each[1]) != letters,
                each[1][0] != first,
                -self._frequencies[each[1]],
                each[1],
            )
        )
        return [word for _, word in near]


def _within(asked: str, words: Sequence[str], limit: int) -> list[tuple[int, str]]:
    if not words:
        return []
    distances = cdist([asked], words, scorer=OSA.distance, score_cutoff=limit)[0]
    return [(int(distances[at]), words[at]) for at in (distances <= limit).nonzero()[0]]
