"""A small library about a plant, and the systems to compare on it, for tests."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from contracts.jargon import Context, Sense
from evaluation.quiz import QuizQuestion
from golden_lab.engine import Engine
from golden_lab.memory_dictionary import InMemoryJargonDictionary
from golden_lab.systems.examples import ComparedSystems
from golden_lab.systems.golden import SearchParts
from library.lexical_search import SqlLexicalSearch
from library.migrations import LIBRARY
from library.store import LibraryStore
from tests.databases import open_new_sqlite
from tests.library.samples import chunk_of, document_of
from tools.search.exact import ExactVectorIndex
from tools.search.hybrid import HybridSearcher

PAGES = (
    "A new colleague gets a locker key from the front desk on the first day. Lost keys cost 40 euros.",
    "The EBR dries vaccine at minus 50 degrees Celsius. One EBR cycle takes 36 hours.",
    "The canteen of the Leiden plant opens at 7:30 and closes at 14:00. On Fridays it serves fish.",
)
SUMMARY = "Drying vaccine in the evaporation bed reactor: temperature and time of a cycle."
SENSES = (Sense(id=1, term="EBR", extended_name="Evaporation Bed Reactor", context="Process"),)
CONTEXTS = (Context(name="Process", description="Drying of vaccines: reactors, temperatures, cycles, times"),)

KEYS = QuizQuestion(
    id="keys", question="What does a lost key cost?", kind="open", expect="answered", answer="40 euros",
    document="plant.txt", page=1,
)  # fmt: skip
CYCLE = QuizQuestion(
    id="cycle", question="How long does one EBR cycle take?", kind="open", expect="answered", answer="36 hours",
    document="plant.txt", page=2, term="EBR", sense="Evaporation Bed Reactor",
)  # fmt: skip
UNKNOWN = QuizQuestion(id="unknown", question="What is the ZQX of the plant?", kind="unknown", expect="unknown_term")


@asynccontextmanager
async def open_plant(folder: Path, engine: Engine) -> AsyncIterator[ComparedSystems]:
    database = open_new_sqlite(folder / "plant.db", LIBRARY)
    store, embedder = LibraryStore(database), engine.embedder
    document = replace(document_of("plant.txt"), title="Plant handbook", pages=len(PAGES))
    section = chunk_of(document, "section", 0, "\n".join(PAGES))
    passages = [
        replace(chunk_of(document, "passage", page, text, section.id), id=f"plant-{page}", page=page, last_page=page)
        for page, text in enumerate(PAGES, start=1)
    ]
    summary = replace(chunk_of(document, "summary", 0, SUMMARY, section.id), id="summary")
    searched = [replace(each, document_title=document.title) for each in (*passages, summary)]
    vectors = await embedder.embed_documents([each.searchable_text for each in searched])
    store.replace_document(document, [section, *searched], vectors, embedder=embedder.name)
    dense, lexical = ExactVectorIndex(store, embedder.name), SqlLexicalSearch(database)
    services = engine.services_over(
        HybridSearcher(store, embedder, dense, lexical), lexical, InMemoryJargonDictionary(SENSES, CONTEXTS)
    )
    yield ComparedSystems(services=services, parts=SearchParts(store=store, vector_index=dense))
    database.dispose()
