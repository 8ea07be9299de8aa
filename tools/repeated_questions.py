"""Recognises earlier questions that are repeated in different words."""

from collections.abc import Sequence

import numpy as np

from tools.embedding.base import Embedder, Matrix
from tools.language import find_words, fold
from tools.reading.concepts import is_code

# The minimum similarity of two wordings of the same question, with all-MiniLM-L6-v2. Questions that differ only in a
# number are more similar than this, so numbers and codes must agree as well.
_SAME_QUESTION_COSINE = 0.92


class AskedBefore:
    """Stores questions, and checks whether a new question repeats one of them in different words."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._folded: set[str] = set()
        self._codes: list[frozenset[str]] = []
        self._vectors: list[Matrix] = []

    async def add(self, questions: Sequence[str]) -> None:
        if not questions:
            return
        self._vectors += list(await self._embedder.embed_queries(questions))
        self._codes += [_codes(each) for each in questions]
        self._folded |= {_bare(each) for each in questions}

    async def knows(self, question: str) -> bool:
        """Return whether ``question``, or a similar question with the same codes and numbers, was asked before."""
        if _bare(question) in self._folded:
            return True
        codes = _codes(question)
        alike = [vector for vector, other in zip(self._vectors, self._codes, strict=True) if other == codes]
        if not alike:
            return False
        vector = (await self._embedder.embed_queries([question]))[0]
        return bool((np.stack(alike) @ vector).max() >= _SAME_QUESTION_COSINE)


def _bare(question: str) -> str:
    return fold(question).rstrip(" ?.!")


def _codes(question: str) -> frozenset[str]:
    """Return the names and numbers in a question, which distinguish similar wordings."""
    words = [word.text for word in find_words(question)][1:]
    return frozenset(fold(word) for word in words if is_code(word) or not word.islower())
