"""What an example shows of a passage: an excerpt about something, or the passage without its answers."""

import random
import re

from contracts.text import Passage
from tools.language import fold

# In 90 of 100 pairs the passage is an excerpt of so many words, in the others up to the last number.
_FEWEST_WORDS, _MANY_WORDS, _MOST_WORDS = 20, 55, 130
_LONG_SHARE = 0.1
# The excerpts only want plausible ends of sentences, tens of thousands of times.
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\d\"'(\[])|\n+")
_WORD = re.compile(r"\w+")


def long_words(text: str) -> frozenset[str]:
    """Return the words of ``text`` with more than three letters, in lower case."""
    return frozenset(each for each in _WORD.findall(text.lower()) if len(each) > 3)


def joined(passages: tuple[Passage, ...]) -> str:
    """Return the texts of ``passages``, each from a line of its own on."""
    return "\n".join(each.text for each in passages)


def without_answers(text: str, answers: tuple[str, ...]) -> str:
    """Leave out of ``text`` the sentences that hold an answer; nothing where an answer stays or too little does."""
    kept = [piece for piece in _sentences(text) if not _says(piece, answers)]
    return " ".join(kept) if len(kept) > 1 else ""


def _says(text: str, answers: tuple[str, ...]) -> bool:
    folded = fold(text)
    return any(fold(answer) in folded for answer in answers)


def _sentences(text: str) -> list[str]:
    return _SENTENCE_END.split(text)


def excerpt_around(text: str, near: str, rng: random.Random, *, fewest: int = _FEWEST_WORDS) -> str:
    """Cut ``text`` to sentences in a row around the one that shares most words with ``near``, of a drawn length."""
    most = rng.randint(fewest, max(fewest, _MOST_WORDS if rng.random() < _LONG_SHARE else _MANY_WORDS))
    if len(text.split()) <= most:
        return text
    sentences = _sentences(text)
    wanted = long_words(near)
    best = max(range(len(sentences)), key=lambda at: len(wanted & long_words(sentences[at])))
    first = last = best
    words = len(sentences[best].split())
    while first > 0 or last < len(sentences) - 1:
        backwards = first > 0 and (last == len(sentences) - 1 or rng.random() < 0.5)
        added = sentences[first - 1 if backwards else last + 1]
        words += len(added.split())
        if words > most:
            break
        first, last = (first - 1, last) if backwards else (first, last + 1)
    return " ".join(sentences[first : last + 1])
