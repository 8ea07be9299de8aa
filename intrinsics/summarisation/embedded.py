"""A summariser without a language model, which selects the sentences that an expert would underline."""

import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from contracts.text import Chunk, Passage
from contracts.verdicts import Summary
from tools.embedding.base import Embedder
from tools.judges import provenance_since
from tools.language import fold, split_sentences
from tools.reading.concepts import read_words, word_weight
from tools.reading.statements import Statement, read_statements

_FEWEST, _MOST = 4, 8
# The summary has one sentence for this many sentences in the section, within the two limits above.
_SENTENCES_PER_PICK = 12
# Only this many sentences in a section, those with the most frequent words, are embedded. Embedding all sentences took
# two thirds longer during ingestion, but summaries were hardly more similar to their sections.
_MAX_CANDIDATES = 16
_MAX_CHARACTERS = 60_000
# The weight of centrality relative to repetition. Source: maximal marginal relevance (Carbonell and Goldstein 1998).
_RELEVANCE = 0.7
_MIN_WORDS, _MAX_WORDS = 5, 60
_MAX_ROWS = 2
# A table row contains one of many values; a sentence about the contents of the table is more useful.
_ROW_MERIT = 0.75


class EmbeddedSummariser:
    """Selects four to eight sentences that are central, early, rich in jargon and not repetitive."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    async def summarise(self, text: str, *, title: str = "") -> Summary:
        started = time.perf_counter()
        statements = read_statements(_as_passage(text[:_MAX_CHARACTERS], title), 0)
        candidates = _candidates(statements)
        if len(candidates) > _FEWEST:
            candidates = await self._pick(candidates)
        summary = " ".join(_closed(each.text) for each in candidates)
        return Summary(
            text=summary or " ".join(text.split()[:_MAX_WORDS]),
            provenance=provenance_since(started, self._embedder.name),
        )

    async def _pick(self, candidates: list[Statement]) -> list[Statement]:
        count = min(max(len(candidates) // _SENTENCES_PER_PICK, _FEWEST), _MOST)
        candidates = _strongest(candidates)
        vectors = await self._embedder.embed_documents([each.text for each in candidates])
        centre = vectors.mean(axis=0)
        centrality = vectors @ (centre / (float(np.linalg.norm(centre)) or 1.0))
        density = np.array([_jargon_density(each.text) for each in candidates])
        position = 1.0 / np.sqrt(1.0 + np.arange(len(candidates)))
        prose = np.array([_ROW_MERIT if each.kind == "row" else 1.0 for each in candidates])
        merit = prose * (_unit(centrality) * (0.6 + 0.4 * _unit(density)) + 0.25 * position)
        chosen = _diverse(merit, vectors, candidates, count)
        return [candidates[n] for n in sorted(chosen)]


def _diverse(
    merit: NDArray[np.float64], vectors: NDArray[np.float32], candidates: Sequence[Statement], count: int
) -> list[int]:
    """Select sentences by maximal marginal relevance, with at most two rows per table."""
    chosen: list[int] = []
    likeness = np.zeros(len(candidates))
    rows = 0
    while len(chosen) < min(count, len(candidates)):
        value = _RELEVANCE * merit - (1.0 - _RELEVANCE) * likeness
        value[chosen] = -np.inf
        if rows >= _MAX_ROWS:
            value[[n for n, each in enumerate(candidates) if each.kind == "row"]] = -np.inf
        best = int(np.argmax(value))
        if not np.isfinite(value[best]):
            break
        chosen.append(best)
        rows += candidates[best].kind == "row"
        likeness = np.maximum(likeness, vectors @ vectors[best])
    return chosen


def _candidates(statements: Sequence[Statement]) -> list[Statement]:
    distinct = {fold(each.text): each for each in reversed(statements)}
    return [
        each
        for each in statements
        if distinct[fold(each.text)] is each
        and each.kind != "heading"
        and not each.text.endswith(("?", ":"))
        and (each.kind == "row" or _MIN_WORDS <= len(each.text.split()) <= _MAX_WORDS)
    ]


def _strongest(usable: list[Statement]) -> list[Statement]:
    counts: dict[str, int] = {}
    for each in usable:
        for word in set(read_words(each.text).order):
            counts[word] = counts.get(word, 0) + 1
    strength = [
        sum(np.log1p(counts[word]) for word in read_words(each.text).stems) / (5 + len(read_words(each.text).stems))
        for each in usable
    ]
    best = sorted(range(len(usable)), key=lambda n: -strength[n])[:_MAX_CANDIDATES]
    return [usable[n] for n in sorted(best)]


def _jargon_density(text: str) -> float:
    """Return the mean weight of the words in a text; rare words, codes and abbreviations increase it."""
    words = [word for word in text.split() if len(word) > 2]
    return sum(word_weight(word.strip(".,;:()")) for word in words) / len(words) if words else 0.0


def _unit(values: NDArray[np.floating]) -> NDArray[np.float64]:
    low, high = float(values.min()), float(values.max())
    return np.asarray((values - low) / (high - low) if high > low else np.ones_like(values), dtype=np.float64)


def _closed(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else text.rstrip(";,") + "."


def _as_passage(text: str, title: str) -> Passage:
    chunk = Chunk(id="", document_id="", kind="section", ordinal=0, text=text, page=1, last_page=1)
    return Passage(chunk=chunk, document_name="", document_title=title, score=0.0, sentences=split_sentences(text))
