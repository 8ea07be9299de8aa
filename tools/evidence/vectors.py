"""The vectors of passages as they are held against any question."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tools.embedding.base import Embedder, Matrix, TokenEmbeddings
from tools.evidence.passages import ReadPassage


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


async def passage_vectors(passages: Sequence[ReadPassage], embedder: Embedder) -> tuple[PassageVectors, ...]:
    """Return the vectors of each of ``passages`` by ``embedder``."""
    vectors = await embedder.embed_documents([each for one in passages for each in one.readings])
    tokens = await embedder.embed_tokens([each for one in passages for each in one.window_texts])
    return await asyncio.to_thread(_put_together, passages, vectors, tokens, embedder.dimensions)


def _put_together(
    passages: Sequence[ReadPassage], vectors: Matrix, tokens: Sequence[TokenEmbeddings], dimensions: int
) -> tuple[PassageVectors, ...]:
    made: list[PassageVectors] = []
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
        made.append(PassageVectors(units=vectors[start:end], windows=tuple(own), whole=whole))
        start = end
    return tuple(made)


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
