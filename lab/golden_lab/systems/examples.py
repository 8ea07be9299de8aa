"""Libraries that systems answer from: the product's examples, ingested like any other documents."""

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from agent.services import Services
from contracts.errors import InvalidInput
from contracts.jargon import Sense
from database.connection import open_database
from database.migrations import migrate
from golden_lab.datasets.corpora import CollectionPassage
from golden_lab.engine import Engine
from golden_lab.memory_dictionary import InMemoryJargonDictionary
from golden_lab.run import Run
from golden_lab.systems.golden import GoldenSystem, SearchParts, without_parts
from golden_lab.systems.measures import System
from golden_lab.systems.simple import PlainRagSystem
from ingestion.limits import IngestionLimits
from ingestion.pipeline import IngestionPipeline
from intrinsics.term_mining.base import TermMiner
from jargon_db.import_export import import_files
from jargon_db.migrations import DICTIONARY
from jargon_db.store import JargonStore
from library.lexical_search import SqlLexicalSearch
from library.migrations import LIBRARY
from library.store import LibraryStore
from tools.jargon.sql import SqlJargonDictionary
from tools.search.exact import ExactVectorIndex
from tools.search.hybrid import HybridSearcher


@dataclass(frozen=True, kw_only=True)
class ComparedSystems:
    """The systems of a comparison, built from the bot's services and the parts of its search."""

    services: Services
    parts: SearchParts

    def systems(self) -> tuple[System, ...]:
        """Return plain RAG, the whole bot, and the bot without each of its parts."""
        return (PlainRagSystem(self.services), GoldenSystem(self.services), *without_parts(self.services, self.parts))


async def mine_dictionary(passages: Sequence[CollectionPassage], miner: TermMiner) -> InMemoryJargonDictionary:
    """Mine abbreviations and their meanings from ``passages``, as ingestion does; all are unpublished drafts."""
    meanings: dict[tuple[str, str], Sense] = {}
    for passage in passages:
        for mined in (await miner.mine(passage.text)).terms:
            key = (mined.term, mined.extended_name.casefold())
            sense = Sense(
                id=len(meanings) + 1,
                term=mined.term,
                extended_name=mined.extended_name,
                description=mined.description,
                source=passage.document,
                state="draft",
            )
            meanings.setdefault(key, sense)
    return InMemoryJargonDictionary(tuple(meanings.values()))


def find_examples() -> Path:
    """Return the folder of the examples, which is part of a source checkout.

    Raises:
        InvalidInput: it does not exist, as in an installed wheel.
    """
    folder = Path(__file__).resolve().parents[3] / "examples"
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
async def open_examples(engine: Engine, run: Run, folder: Path) -> AsyncIterator[ComparedSystems]:
    """Ingest the examples in ``folder`` into a library in ``run.work`` and open it.

    An existing library is updated: unchanged documents are not read again.

    Raises:
        InvalidInput: a document could not be ingested, or the dictionary could not be imported; the message names it.
        Unavailable: the library cannot be written or read at the moment.
    """
    named = f"{engine.embedder.name}\0{engine.name}\0{engine.model}\0{folder}"
    file = run.work / "libraries" / f"examples-{hashlib.sha256(named.encode()).hexdigest()[:16]}.db"
    embedder = engine.embedder
    file.parent.mkdir(parents=True, exist_ok=True)
    database = open_database(f"sqlite:///{file}")
    try:
        for schema in (LIBRARY, DICTIONARY):
            await asyncio.to_thread(migrate, database, schema)
        store, jargon = LibraryStore(database), JargonStore(database)
        await asyncio.to_thread(import_files, jargon, folder / "dictionary.csv", folder / "contexts.csv")
        await _ingest(engine, store, jargon, folder / "documents")
        dense = ExactVectorIndex(store, embedder.name)
        lexical = SqlLexicalSearch(database)
        searcher = HybridSearcher(store, embedder, dense, lexical)
        services = engine.services_over(searcher, lexical, SqlJargonDictionary(jargon))
        yield ComparedSystems(services=services, parts=SearchParts(store=store, vector_index=dense))
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
