"""Letters: which of many words can be spelt nearly like one, told from how often each letter stands in them."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

# 26 letters, 10 digits, and 12 places that all other characters share.
_PLACES = 48
_OTHERS = 36
_MOST = 255
_WORDS_AT_ONCE = 8_192


class LetterIndex:
    """The letters of many words, for leaving out at once those that cannot be near to a given one.

    ``lengths`` has the length of each word; ``alphabet`` says among how many letters the words choose, as if all were
    equally frequent (the inverse of the chance that two letters are the same).

    Memory is 50 bytes a word; a look at 100 000 words costs about as much as a hundred comparisons of two words.
    """

    def __init__(self, words: Sequence[str]) -> None:
        """Count the letters of ``words``, which are folded."""
        self._set(*_laid_out(words))

    def extended(self, words: Sequence[str]) -> "LetterIndex":
        """Return the index of these words and then ``words``; this one stays as it is."""
        lengths, counts = _laid_out(words)
        index = LetterIndex(())
        index._set(np.concatenate((self.lengths, lengths)), np.concatenate((self._counts, counts), axis=1))
        return index

    def _set(self, lengths: NDArray[np.int32], counts: NDArray[np.uint8]) -> None:
        self.lengths: NDArray[np.int32] = lengths
        self._counts = counts
        sums = counts.sum(axis=1, dtype=np.int64)
        shares = sums / max(1, int(sums.sum()))
        self.alphabet: float = float(1.0 / max(float(np.square(shares).sum()), 1.0 / _PLACES))
        self._overlong = np.flatnonzero(lengths > _MOST)

    def shared(self, word: str) -> NDArray[np.integer[Any]]:
        """Return for each word how many letters it can have in common with folded ``word``: never too few.

        Letters count as often as they stand in both. Words that are at most n edits away, exchanges of neighbours
        included, share all letters of the longer one but n.
        """
        if len(word) > _MOST:
            return np.minimum(self.lengths, len(word))
        # No sum is above the length of the word: it fits into a byte, and bytes are added many at a time.
        total: NDArray[np.uint8] = np.zeros(len(self.lengths), dtype=np.uint8)
        for place, times in Counter(map(_place, word)).items():
            total += np.minimum(self._counts[place], np.uint8(times))
        total[self._overlong] = len(word)
        return total

    def within(self, word: str, edits: int) -> NDArray[np.intp]:
        """Return the indexes of all words that may be at most ``edits`` edits from folded ``word``, and few others."""
        length = len(word)
        shared = self.shared(word)
        places = np.flatnonzero(shared >= max(0, length - edits))
        lengths = self.lengths[places]
        enough = shared[places] >= np.maximum(lengths, length) - edits
        return places[enough & (np.abs(lengths - length) <= edits)]


def _laid_out(words: Sequence[str]) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Return the lengths of ``words``, and their letters by place: an array of shape (places, words)."""
    lengths = np.fromiter(map(len, words), dtype=np.int32, count=len(words))
    counts = np.zeros((_PLACES, len(words)), dtype=np.uint8)
    for start in range(0, len(words), _WORDS_AT_ONCE):
        some = words[start : start + _WORDS_AT_ONCE]
        counts[:, start : start + len(some)] = np.minimum(_counts(some), _MOST).T
    return lengths, counts


def _place(character: str) -> int:
    """Return the place in which ``character`` is counted."""
    code = ord(character)
    if ord("a") <= code <= ord("z"):
        return code - ord("a")
    return 26 + code - ord("0") if ord("0") <= code <= ord("9") else _OTHERS + code % (_PLACES - _OTHERS)


def _counts(words: Sequence[str]) -> NDArray[np.int64]:
    """Count the letters of each word by ``_place``: an array of shape (words, places)."""
    joined = "".join(words)
    codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    places = _OTHERS + codes % (_PLACES - _OTHERS)
    letter, digit = (codes >= ord("a")) & (codes <= ord("z")), (codes >= ord("0")) & (codes <= ord("9"))
    places[letter] = codes[letter] - ord("a")
    places[digit] = 26 + codes[digit] - ord("0")
    rows = np.repeat(np.arange(len(words)), np.fromiter(map(len, words), dtype=np.int64, count=len(words)))
    cells = np.bincount(rows * _PLACES + places, minlength=len(words) * _PLACES)
    return cells.reshape(len(words), _PLACES)
