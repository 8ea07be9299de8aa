"""The vectors of passages as they are held against any question: put together once, and kept."""

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from tools.embedding.base import Embedder, Matrix, TokenEmbeddings
from tools.evidence.passages import ReadPassage

# As many token vectors as a cache of the embedder keeps; they are the same arrays as there, as long as it has them.
_KEPT_TOKENS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowVectors:
    """The tokens of one window, shape ``(tokens, dimensions)``, and where those of each of its units begin.

    ``units`` are the indexes of the units that have tokens there; ``bounds`` beginning and end of each in turn.
    """

    tokens: Matrix
    units: NDArray[np.int64]
    bounds: NDArray[np.int64]

    def nearest(self, likeness: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return for each unit (column) the greatest of its tokens' columns of ``likeness``."""
        # An end may be that of the whole, which is no place to begin at.
        ends = self.bounds[: len(self.bounds) - (self.bounds[-1] == likeness.shape[1])]
        return np.asarray(np.maximum.reduceat(likeness, ends, axis=1)[:, ::2])


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageVectors:
    """The vectors of a passage: of its units, shape ``(units, dimensions)``, of its windows, and the mean of these."""

    units: Matrix
    windows: tuple[WindowVectors, ...]
    whole: Matrix


class KeptVectors:
    """The vectors of the passages used last, all of one embedder; put together in threads. Thread-safe."""

    def __init__(self) -> None:
        self._kept: OrderedDict[ReadPassage, PassageVectors] = OrderedDict()
        self._tokens = 0
        self._lock = threading.Lock()

    def known(self, passages: Sequence[ReadPassage]) -> tuple[PassageVectors, ...] | None:
        """Return the vectors of each of ``passages`` where all are kept, else None."""
        found = self._recall(passages)
        return tuple(found[passage] for passage in passages) if found.keys() >= set(passages) else None

    async def of(self, passages: Sequence[ReadPassage], embedder: Embedder) -> tuple[PassageVectors, ...]:
        """Return the vectors of each of ``passages`` by ``embedder``."""
        found = self._recall(passages)
        lacking = [passage for passage in dict.fromkeys(passages) if passage not in found]
        if lacking:
            vectors = await embedder.embed_documents([each for one in lacking for each in one.readings])
            tokens = await embedder.embed_tokens([each for one in lacking for each in one.window_texts])
            made = await asyncio.to_thread(_put_together, lacking, vectors, tokens, embedder.dimensions)
            self._keep(made)
            found |= made
        return tuple(found[passage] for passage in passages)

    def _recall(self, passages: Sequence[ReadPassage]) -> dict[ReadPassage, PassageVectors]:
        found: dict[ReadPassage, PassageVectors] = {}
        with self._lock:
            for passage in passages:
                if passage in self._kept:
                    self._kept.move_to_end(passage)
                    found[passage] = self._kept[passage]
        return found

    def _keep(self, made: dict[ReadPassage, PassageVectors]) -> None:
        with self._lock:
            for passage, vectors in made.items():
                if passage not in self._kept:
                    self._kept[passage] = vectors
                    self._tokens += _cost(vectors)
            while self._tokens > _KEPT_TOKENS and self._kept:
                _, oldest = self._kept.popitem(last=False)
                self._tokens -= _cost(oldest)


_KEPT: WeakKeyDictionary[Embedder, KeptVectors] = WeakKeyDictionary()


def kept_vectors(embedder: Embedder) -> KeptVectors:
    """Return those that all judgements with ``embedder`` share: they look at the same passages."""
    return _KEPT.setdefault(embedder, KeptVectors())


def _put_together(
    passages: Sequence[ReadPassage], vectors: Matrix, tokens: Sequence[TokenEmbeddings], dimensions: int
) -> dict[ReadPassage, PassageVectors]:
    made: dict[ReadPassage, PassageVectors] = {}
    windows = iter(tokens)
    start = 0
    for passage in passages:
        end = start + len(passage.readings)
        whole = np.zeros(dimensions, dtype=np.float32)
        own: list[WindowVectors] = []
        for window in passage.windows:
            of_window = next(windows)
            if len(of_window.vectors):
                whole += of_window.vectors.sum(axis=0)
                own.extend(_window(of_window, window, passage.readings))
        whole /= np.maximum(np.linalg.norm(whole), 1e-9)
        # A part of the matrix would keep the whole of it in memory.
        made[passage] = PassageVectors(units=vectors[start:end].copy(), windows=tuple(own), whole=whole)
        start = end
    return made


def _window(tokens: TokenEmbeddings, window: Sequence[int], readings: Sequence[str]) -> Iterator[WindowVectors]:
    """Yield the window's tokens by unit, if there is a unit with tokens: one may lie behind the model's limit."""
    starts = np.array([span.start for span in tokens.spans])
    units: list[int] = []
    bounds: list[int] = []
    position = 0
    for index in window:
        end = position + len(readings[index])
        first, last = np.searchsorted(starts, [position, end]).tolist()
        if first < last:
            units.append(index)
            bounds += [first, last]
        position = end + 1
    if units:
        yield WindowVectors(tokens=tokens.vectors, units=np.array(units), bounds=np.array(bounds))


def _cost(vectors: PassageVectors) -> int:
    return 1 + sum(len(window.tokens) for window in vectors.windows)
