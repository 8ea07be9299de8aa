"""Compares a question with passages once, and returns arrays from which all judges compute their features."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from contracts.text import Passage
from tools.embedding.base import Embedder, Matrix, TokenEmbeddings
from tools.evidence.matching import Scores
from tools.evidence.passages import ReadPassage, read_mentions, read_passages
from tools.evidence.question import QuestionTerm, question_terms
from tools.reading.statements import Statement, read_statements


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The comparison of a question with the units of passages.

    ``weights`` has the shape (terms,). ``literal`` and ``soft``, with the shape (terms, units), are how certainly a
    unit contains a term, in [0, 1], by its words and by its nearest tokens. ``headed`` (terms, passages) is the same
    for titles and headings. ``cosine`` has the shape (units,). ``owner`` (units,) is the passage of each unit.
    """

    terms: tuple[QuestionTerm, ...]
    passages: tuple[Passage, ...]
    units: tuple[Statement, ...]
    owner: NDArray[np.int64]
    weights: Scores
    literal: Scores
    soft: Scores
    headed: Scores
    cosine: Scores


async def read_evidence(question: str, passages: Sequence[Passage], embedder: Embedder) -> Evidence:
    """Compare ``question`` with ``passages``; the computation runs in a thread."""
    queries = await embedder.embed_queries([question] if question.strip() else [])
    (tokens,) = await embedder.embed_tokens([question])
    read = await asyncio.to_thread(read_passages, passages)
    units = await embedder.embed_documents([each for one in read for each in one.readings])
    windows = await embedder.embed_tokens([each for one in read for each in one.window_texts])
    return await asyncio.to_thread(_held, question_terms(question), queries, tokens, passages, read, units, windows)


def _held(
    terms: tuple[QuestionTerm, ...],
    queries: NDArray[np.float32],
    tokens: TokenEmbeddings,
    passages: Sequence[Passage],
    read: tuple[ReadPassage, ...],
    vectors: Matrix,
    windows: Sequence[TokenEmbeddings],
) -> Evidence:
    units = tuple(each for index, passage in enumerate(passages) for each in read_statements(passage, index))
    lengths = [len(passage.readings) for passage in read]
    owner = np.repeat(np.arange(len(read)), lengths)
    cosine = (vectors @ queries.T).max(axis=1, initial=-1.0) if len(queries) else np.zeros(len(units))
    literal, headed = read_mentions(terms, read)
    return Evidence(
        terms=terms,
        passages=tuple(passages),
        units=units,
        owner=owner,
        weights=np.array([term.weight for term in terms]),
        literal=literal,
        soft=_soft_matches(terms, tokens, read, windows),
        headed=headed,
        cosine=np.asarray(cosine, dtype=np.float64),
    )


def _soft_matches(
    terms: Sequence[QuestionTerm],
    asked: TokenEmbeddings,
    read: Sequence[ReadPassage],
    windows: Sequence[TokenEmbeddings],
) -> Scores:
    """Return how certainly each unit contains each term, by its nearest tokens: shape (terms, units)."""
    soft = np.zeros((len(terms), sum(len(passage.readings) for passage in read)))
    tokens_of = _soft_tokens(terms, asked)
    if not tokens_of:
        return soft
    # About half of the tokens in a question are not in such terms but in stop words, codes and punctuation.
    wanted = sorted({at for tokens in tokens_of.values() for at in tokens})
    asked_vectors = asked.vectors[wanted]
    columns: list[NDArray[np.int64]] = []
    nearest: list[NDArray[np.float32]] = []
    first = 0
    tokens_of_windows = iter(windows)
    for passage in read:
        for window in passage.windows:
            found = next(tokens_of_windows)
            units, bounds = _token_bounds(found, window, passage.readings)
            if units:
                # The last bound may be the end of the whole text, where no unit begins.
                ends = bounds[: len(bounds) - (bounds[-1] == len(found.vectors))]
                nearest.append(np.maximum.reduceat(asked_vectors @ found.vectors.T, ends, axis=1)[:, ::2])
                columns.append(np.array(units) + first)
        first += len(passage.readings)
    if not columns:
        return soft
    likeness, column = np.concatenate(nearest, axis=1).T, np.concatenate(columns)
    place = {at: index for index, at in enumerate(wanted)}
    for row, tokens in tokens_of.items():
        own_columns = [place[at] for at in tokens]
        # Most words have only one or two tokens.
        one = len(own_columns) == 1
        mean = likeness[:, own_columns[0]] if one else np.ascontiguousarray(likeness[:, own_columns]).mean(axis=1)
        soft[row, column] = np.maximum(0.0, mean)
    return soft


def _token_bounds(
    tokens: TokenEmbeddings, window: Sequence[int], readings: Sequence[str]
) -> tuple[list[int], list[int]]:
    """Return the units that have tokens in a window, and a flat list of the first token and the end of each unit.

    A unit beyond the model's limit has no tokens.
    """
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
    return units, bounds


def _soft_tokens(terms: Sequence[QuestionTerm], asked: TokenEmbeddings) -> dict[int, list[int]]:
    """Return the tokens in the question for each term (row) that different words may express.

    Codes, numbers and abbreviations must occur verbatim, because vectors hardly distinguish DDR4 from DDR5.
    """
    tokens_of = {
        row: [at for at, span in enumerate(asked.spans) if span.start < term.end and term.start < span.end]
        for row, term in enumerate(terms)
        if not term.literal
    }
    return {row: tokens for row, tokens in tokens_of.items() if tokens}
