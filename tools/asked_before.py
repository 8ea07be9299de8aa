"""Questions that were asked before, and whether another is one of them in other words."""

from collections.abc import Sequence

import numpy as np

from tools.embedding.base import Embedder, Matrix
from tools.language import find_words, fold
from tools.reading.concepts import is_code

# As near as two wordings of one question come with all-MiniLM-L6-v2; questions of two figures come nearer, so that
# their numbers and codes must agree as well.
_SAME_QUESTION_COSINE = 0.92
_FIRST_ROOM = 256


class AskedBefore:
    """Knows the questions that there are already, and says whether another is one of them in other words."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._folded: set[str] = set()
        self._codes: list[frozenset[str]] = []
        # Grows by doubling: a question in thousands is compared without copying them.
        self._vectors: Matrix = np.empty((0, embedder.dimensions), dtype=np.float32)

    async def add(self, questions: Sequence[str]) -> None:
        """Remember ``questions``."""
        if not questions:
            return
        vectors = await self._embedder.embed_queries(questions)
        start, end = len(self._codes), len(self._codes) + len(questions)
        if end > len(self._vectors):
            room = np.empty((max(end, 2 * start, _FIRST_ROOM), self._vectors.shape[1]), dtype=np.float32)
            room[:start] = self._vectors[:start]
            self._vectors = room
        self._vectors[start:end] = vectors
        self._codes += [_codes(each) for each in questions]
        self._folded |= {_bare(each) for each in questions}

    async def knows(self, question: str) -> bool:
        """Say whether ``question`` was asked before, or nearly the same with the same codes and numbers."""
        if _bare(question) in self._folded:
            return True
        codes = _codes(question)
        alike = [at for at, other in enumerate(self._codes) if other == codes]
        if not alike:
            return False
        vector = (await self._embedder.embed_queries([question]))[0]
        return bool((self._vectors[alike] @ vector).max() >= _SAME_QUESTION_COSINE)


def _bare(question: str) -> str:
    return fold(question).rstrip(" ?.!")


def _codes(question: str) -> frozenset[str]:
    """Return the names and numbers of a question: what tells apart two that are worded alike."""
    words = [word.text for word in find_words(question)][1:]
    return frozenset(fold(word) for word in words if is_code(word) or not word.islower())
