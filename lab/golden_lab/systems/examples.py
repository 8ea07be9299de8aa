"""The product's own examples, or any folder, as a library: ingested like anyone's documents."""

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from contracts.errors import InvalidInput
from database.connection import open_database
from database.migrating import migrate
from golden_lab.engine import Engine
from golden_lab.run import Run
from golden_lab.systems.golden import SearchParts
from golden_lab.systems.library import Bench
from ingestion.limits import IngestionLimits
from ingestion.pipeline import IngestionPipeline
from jargon_db.importing import import_files
from jargon_db.migrations import DICTIONARY
from jargon_db.store import JargonStore
from library.lexical import SqlLexicalSearch
from library.migrations import LIBRARY
from library.store import LibraryStore
from tools.jargon.sql import SqlJargonDictionary
from tools.search.exact import ExactVectorIndex
from tools.search.hybrid import HybridSearcher
from tools.search.lexical import StoredLexicalIndex


def find_examples(beside: Path | None = None) -> Path:
    """Return the folder of the examples, which lies beside this package in a checkout (``beside``: its parent).

    Raises:
        InvalidInput: it is not there, as in an installed wheel.
    """
    folder = (beside or Path(__file__).resolve().parents[3]) / "examples"
    needed = ("documents", "dictionary.csv", "contexts.csv", "quiz.jsonl")
    missing = [name for name in needed if not (folder / name).exists()]
    if missing:
        raise InvalidInput(
            f"{folder} lacks {', '.join(missing)}: the examples come with the project's source, not with the installed "
            "package; run this from a checkout",
            field="examples",
        )
    return folder


@asynccontextmanager
async def open_examples(engine: Engine, run: Run, folder: Path) -> AsyncIterator[Bench]:
    """Ingest the examples in ``folder`` into a library below ``run.work`` and open it.

    A library that is there already is brought up to date: documents that did not change are not read again.

    Raises:
        InvalidInput: a document could not be ingested, or the dictionary not imported; the text names it.
        Unavailable: the library cannot be written or read just now.
    """
    named = f"{engine.embedder.name}\0{engine.name}\0{engine.model}\0{folder}"
    file = run.work / "libraries" / f"examples-{hashlib.sha256(named.encode()).hexdigest()[:16]}.db"
    async with open_folder(engine, folder / "documents", file, dictionary=folder) as bench:
        yield bench


@asynccontextmanager
async def open_folder(
    engine: Engine, documents: Path, file: Path, *, dictionary: Path | None = None
) -> AsyncIterator[Bench]:
    """Ingest the files below ``documents`` into the library in ``file`` and open it.

    ``dictionary`` is a folder with ``contexts.csv`` and ``dictionary.csv``; None leaves the dictionary empty.

    Raises:
        InvalidInput: a document could not be ingested, or the dictionary not imported; the text names it.
        Unavailable: the library cannot be written or read just now.
    """
    embedder = engine.embedder
    file.parent.mkdir(parents=True, exist_ok=True)
    database = open_database(f"sqlite:///{file}")
    try:
        for schema in (LIBRARY, DICTIONARY):
            await asyncio.to_thread(migrate, database, schema)
        store, jargon = LibraryStore(database), JargonStore(database)
        if dictionary is not None:
            files = dictionary / "dictionary.csv", dictionary / "contexts.csv"
            await asyncio.to_thread(import_files, jargon, *files)
        await _ingest(engine, store, jargon, documents)
        dense = ExactVectorIndex(None, store, embedder.name)
        lexical = StoredLexicalIndex(SqlLexicalSearch(database))
        searcher = HybridSearcher(store, embedder, dense, lexical)
        services = engine.services_over(searcher, lexical, SqlJargonDictionary(jargon))
        yield Bench(services=services, parts=SearchParts(store=store, vector_index=dense), chat=engine.chat)
    finally:
        database.dispose()


async def _ingest(engine: Engine, store: LibraryStore, jargon: JargonStore, documents: Path) -> None:
    pipeline = IngestionPipeline(
        store=store,
        embedder=engine.embedder,
        summariser=engine.summariser,
        miner=engine.term_miner,
        ocr=engine.ocr,
        candidates=jargon.add_candidates,
        limits=IngestionLimits(),
        workers=min(2, os.cpu_count() or 1),
    )
    report = await pipeline.ingest([documents], prune=True)
    failed = [file for file in report.files if file.status == "failed"]
    if failed:
        listed = "; ".join(f"{Path(file.path).name}: {file.reason}" for file in failed)
        raise InvalidInput(f"the documents in {documents} could not all be ingested: {listed}", field="documents")
