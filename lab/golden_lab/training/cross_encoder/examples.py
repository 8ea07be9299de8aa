"""Examples to train the cross-encoder on."""

import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from contracts.text import Span

_TYPO_SHARE = 0.08


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossEncoderExample:
    """A question and a text with its ``place`` (title and headings).

    ``answered`` says whether the text answers the question; ``span`` is the position of the answer in ``text``, None if
    unknown or if there is none. ``source`` names the data set and how the example was made.
    """

    question: str
    place: str
    text: str
    answered: bool
    source: str
    span: Span | None = None


def typed_by_people(question: str, rng: random.Random) -> str:
    """Return ``question`` as people in a hurry type it: about half in lower case, some without "?" or with a typo."""
    if rng.random() < 0.45:
        question = question.lower()
    if rng.random() < 0.35:
        question = question.rstrip(" ?.")
    words = question.split(" ")
    long = [at for at, word in enumerate(words) if len(word) > 5 and word.isalpha()]
    if long and rng.random() < _TYPO_SHARE:
        at = rng.choice(long)
        letter = rng.randrange(1, len(words[at]) - 2)
        word = words[at]
        words[at] = word[:letter] + word[letter + 1] + word[letter] + word[letter + 2 :]
    return " ".join(words)


def window_around(pieces: Sequence[str], at: int, most_words: int, rng: random.Random) -> tuple[int, int]:
    """Return the range [first, end) of ``pieces`` around ``at`` with at most ``most_words`` words if possible."""
    first, end = at, at + 1
    words = len(pieces[at].split())
    while first > 0 or end < len(pieces):
        before = first > 0 and (end == len(pieces) or rng.random() < 0.5)
        words += len(pieces[first - 1 if before else end].split())
        if words > most_words:
            break
        first, end = (first - 1, end) if before else (first, end + 1)
    return first, end


def long_words(text: str) -> frozenset[str]:
    """Return the words in ``text`` that have more than three letters, in lower case."""
    return frozenset(word for word in re.findall(r"\w+", text.lower()) if len(word) > 3)


def count_sources(examples: Iterable[CrossEncoderExample]) -> dict[str, dict[str, int]]:
    """Count the answered and the other examples of each source."""
    counts = Counter((each.source, "answered" if each.answered else "not") for each in examples)
    found: dict[str, dict[str, int]] = {}
    for (source, kind), number in sorted(counts.items()):
        found.setdefault(source, {"answered": 0, "not": 0})[kind] = number
    return found
