"""Measure retrieval: words, meanings and their fusion on the same public collections.

Run it with ``python -m evaluation.benchmarks.retrieval --data FOLDER --work FOLDER``. The embeddings and the libraries
are kept in the work folder: a second run takes seconds.
"""

import argparse
import asyncio
import hashlib
import sys
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from contracts.text import Chunk, Document
from database.connection import open_database
from database.migrating import migrate
from evaluation.benchmarks.corpora import Collection, CollectionPassage, load_awsdocs, load_eda, load_mtrag
from library.lexical import SqlLexicalSearch
from library.migrations import LIBRARY
from library.store import LibraryStore
from tools.embedding.base import Embedder, Matrix
from tools.search.exact import ExactVectorIndex
from tools.search.hybrid import HybridSearcher
from tools.search.lexical import StoredLexicalIndex

_SEED = 20_260
_RESAMPLES = 1_000
_DEPTH = 40
_SAMPLE_OF_CLOUD = 3_000
_SAMPLE_OF_AWSDOCS = 250

Search = Callable[[str], Awaitable[Sequence[str]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalScore:
    """Scores of one system on one collection: means over its questions, with the 95 % interval of ``ndcg_at_5``."""

    collection: str
    note: str
    system: str
    questions: int
    recall_at_1: float
    recall_at_5: float
    ndcg_at_5: float
    interval: tuple[float, float]


async def measure(collection: Collection, embedder: Embedder, work: Path) -> list[RetrievalScore]:
    """Score the lexical index, the exact vector index and the hybrid searcher on ``collection``."""
    vectors = await _embedded(collection, embedder, work)
    store = _library(collection, vectors, embedder.name, work)
    lexical = StoredLexicalIndex(SqlLexicalSearch(store.engine))
    dense = ExactVectorIndex(None, store, embedder.name)
    hybrid = HybridSearcher(store, embedder, dense, lexical)

    async def by_words(question: str) -> Sequence[str]:
        return [hit.chunk_id for hit in await lexical.search(question, _DEPTH)]

    async def by_meaning(question: str) -> Sequence[str]:
        (vector,) = await embedder.embed_queries([question])
        return [hit.chunk_id for hit in await dense.search(vector, _DEPTH)]

    async def by_both(question: str) -> Sequence[str]:
        return [passage.chunk.id for passage in await hybrid.search([question], _DEPTH)]

    systems: dict[str, Search] = {"BM25": by_words, "dense": by_meaning, "hybrid": by_both}
    unit_of = {_chunk_id(passage): passage.unit for passage in collection.passages}
    return [await _score(collection, name, search, unit_of) for name, search in systems.items()]


async def _score(collection: Collection, system: str, search: Search, unit_of: dict[str, str]) -> RetrievalScore:
    rows = []
    for question in collection.questions:
        ranked = list(dict.fromkeys(unit_of[chunk_id] for chunk_id in await search(question.text)))
        rows.append(
            (
                recall(ranked[:1], question.relevant),
                recall(ranked[:5], question.relevant),
                ndcg(ranked[:5], question.relevant, 5),
            )
        )
    table = np.asarray(rows)
    first, five, gain = table.mean(axis=0).tolist()
    return RetrievalScore(
        collection=collection.name,
        note=collection.note,
        system=system,
        questions=len(rows),
        recall_at_1=first,
        recall_at_5=five,
        ndcg_at_5=gain,
        interval=_interval(table[:, 2]),
    )


def recall(ranked: Sequence[str], relevant: frozenset[str]) -> float:
    """Return which share of ``relevant`` is in ``ranked``."""
    return len(relevant.intersection(ranked)) / len(relevant)


def ndcg(ranked: Sequence[str], relevant: frozenset[str], depth: int) -> float:
    """Return the normalised discounted cumulative gain of ``ranked`` (at most ``depth``), relevance being 0 or 1.

    Source: Järvelin and Kekäläinen 2002, "Cumulated gain-based evaluation of IR techniques".
    """
    gain = sum(1.0 / np.log2(place + 2) for place, unit in enumerate(ranked[:depth]) if unit in relevant)
    ideal = sum(1.0 / np.log2(place + 2) for place in range(min(depth, len(relevant))))
    return float(gain / ideal)


def _interval(values: NDArray[np.float64]) -> tuple[float, float]:
    random = np.random.default_rng(_SEED)
    means = values[random.integers(0, len(values), (_RESAMPLES, len(values)))].mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975]).tolist()
    return low, high


async def _embedded(collection: Collection, embedder: Embedder, work: Path) -> Matrix:
    texts = [_searchable(passage) for passage in collection.passages]
    key = hashlib.sha256("\0".join([embedder.name, *texts]).encode()).hexdigest()[:16]
    cached = work / f"{collection.name}-{key}.npy"
    if cached.is_file():
        kept: Matrix = np.load(cached)
        return kept
    vectors = await embedder.embed_documents(texts)
    np.save(cached, vectors)
    return vectors


def _library(collection: Collection, vectors: Matrix, embedder_name: str, work: Path) -> LibraryStore:
    key = hashlib.sha256(embedder_name.encode() + vectors.tobytes()).hexdigest()[:16]
    engine = open_database(f"sqlite:///{work / f'{collection.name}-{key}.db'}")
    migrate(engine, LIBRARY)
    store = LibraryStore(engine)
    rows = sorted(enumerate(collection.passages), key=lambda row: row[1].document)
    by_document = [(name, list(of_document)) for name, of_document in groupby(rows, key=lambda row: row[1].document)]
    if len(store.documents()) != len(by_document):
        for name, of_document in by_document:
            chunks = [_chunk(passage, ordinal) for ordinal, (_, passage) in enumerate(of_document)]
            store.replace_document(
                _document(name), chunks, vectors[[row for row, _ in of_document]], embedder=embedder_name
            )
    return store


def _document(name: str) -> Document:
    return Document(
        id=_short(name), name=name, path=name, media_type="text/plain", content_hash=_short(name), title="", pages=1
    )


def _chunk(passage: CollectionPassage, ordinal: int) -> Chunk:
    return Chunk(
        id=_chunk_id(passage),
        document_id=_short(passage.document),
        kind="passage",
        ordinal=ordinal,
        text=passage.text,
        page=1,
        last_page=1,
        document_title=passage.title,
    )


def _searchable(passage: CollectionPassage) -> str:
    return _chunk(passage, 0).searchable_text


def _chunk_id(passage: CollectionPassage) -> str:
    return _short(passage.id)


def _short(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:24]


def _loaders(data: Path) -> dict[str, Callable[[], Collection]]:
    return {
        "mtrag-govt": lambda: load_mtrag(data, "govt"),
        "mtrag-cloud": lambda: load_mtrag(data, "cloud", others=_SAMPLE_OF_CLOUD),
        "awsdocs": lambda: load_awsdocs(data, others=_SAMPLE_OF_AWSDOCS),
        "eda": lambda: load_eda(data),
    }


def _lines(scores: Iterable[RetrievalScore]) -> Iterable[str]:
    yield "| collection | system | questions | R@1 | R@5 | nDCG@5 | 95 % | note |"
    yield "|---|---|---|---|---|---|---|---|"
    for score in scores:
        low, high = score.interval
        yield (
            f"| {score.collection} | {score.system} | {score.questions} | {score.recall_at_1:.3f} | "
            f"{score.recall_at_5:.3f} | {score.ndcg_at_5:.3f} | {low:.3f} to {high:.3f} | {score.note} |"
        )


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the collections in ``--data`` and print a Markdown table."""
    parser = argparse.ArgumentParser(description="Measure retrieval on public collections.")
    parser.add_argument("--data", type=Path, required=True, help="the folder with the collections")
    parser.add_argument("--work", type=Path, required=True, help="a folder for embeddings and libraries")
    parser.add_argument("--only", nargs="*", help="names of collections: mtrag-govt mtrag-cloud awsdocs eda")
    chosen = parser.parse_args(arguments)
    from tools.embedding.onnx import OnnxEmbedder
    from tools.embedding.weights import find_default_model

    chosen.work.mkdir(parents=True, exist_ok=True)
    embedder = OnnxEmbedder(find_default_model(), chosen.work / "model")
    scores: list[RetrievalScore] = []
    for name, load in _loaders(chosen.data).items():
        if not chosen.only or name in chosen.only:
            scores += asyncio.run(measure(load(), embedder, chosen.work))
    sys.stdout.write("\n".join(_lines(scores)) + f"\n\nModel {embedder.name}, seed {_SEED}.\n")


if __name__ == "__main__":
    main()
