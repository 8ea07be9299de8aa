"""The whole way with the embedded engine: real judgements, a real dictionary and real search over SQLite."""

from collections.abc import AsyncIterator

import pytest

from agent.chatbot import Chatbot
from contracts.jargon import Context, Sense
from contracts.question import Turn
from contracts.text import Chunk, Document
from golden_retriever.settings import Settings
from golden_retriever.wiring.judgements import build_services
from library.lexical_search import SqlLexicalSearch
from library.migrations import LIBRARY
from library.store import LibraryStore
from tests.databases import open_new_sqlite
from tools.embedding.cached import CachedEmbedder
from tools.embedding.onnx import OnnxEmbedder
from tools.embedding.weights import find_default_model
from tools.jargon.memory import InMemoryJargonDictionary
from tools.search.exact import ExactVectorIndex
from tools.search.hybrid import HybridSearcher
from tools.search.lexical import StoredLexicalIndex

pytestmark = pytest.mark.asyncio(loop_scope="module")
SENSES = (
    Sense(id=1, term="EBR", extended_name="Electronic Batch Record", context="Quality", description="Log of a batch."),
    Sense(id=2, term="EBR", extended_name="Evaporation Bed Reactor", context="Process", description="Dries a product."),
    Sense(id=3, term="QP", extended_name="Qualified Person", description="Certifies every batch before its release."),
)
CONTEXTS = (
    Context(
        name="Quality",
        description="Release of batches, records, signatures, audits",
        examples=("Who signs the batch record?", "How long are records kept?"),
    ),
    Context(
        name="Process",
        description="Drying, mixing and filling of vaccines; reactors, temperatures, times",
        examples=("At what temperature is the vaccine dried?", "How long does one cycle take?"),
    ),
)  # fmt: skip


PAGES = (
    "A new colleague gets a locker key from the front desk on the first day. Lost keys cost 40 euros.",
    "The EBR dries vaccine at minus 50 degrees Celsius. One EBR cycle takes 36 hours.",
    "An EBR is signed by two operators before a batch is released. It is kept for 11 years.",
    "The canteen of the Leiden plant opens at 7:30 and closes at 14:00. On Fridays it serves fish.",
)


@pytest.fixture(scope="module")
async def chatbot(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Chatbot]:
    """The bot over a library of one document, the guide of a plant."""
    folder = tmp_path_factory.mktemp("plant")
    engine = open_new_sqlite(folder / "golden.db", LIBRARY)
    store, embedder = LibraryStore(engine), CachedEmbedder(OnnxEmbedder(find_default_model(), folder / "models"))
    document = Document(id="plant", name="plant.pdf", path="/plant.pdf", media_type="application/pdf", content_hash="1",
                        title="Plant guide", pages=len(PAGES))  # fmt: skip
    chunks = [
        Chunk(id=f"plant-{page}", document_id="plant", kind="passage", ordinal=page, text=text, page=page,
              last_page=page, document_title="Plant guide")
        for page, text in enumerate(PAGES, start=1)
    ]  # fmt: skip
    vectors = await embedder.embed_documents([chunk.searchable_text for chunk in chunks])
    store.replace_document(document, chunks, vectors, embedder=embedder.name)
    index = ExactVectorIndex(folder / "vectors", store, embedder.name)
    lexical = StoredLexicalIndex(SqlLexicalSearch(engine))
    searcher, dictionary = HybridSearcher(store, embedder, index, lexical), InMemoryJargonDictionary(SENSES, CONTEXTS)
    yield Chatbot(build_services(Settings(profile="embedded"), embedder, searcher, lexical, dictionary, None))
    await index.close()
    engine.dispose()


async def test_one_abbreviation_is_answered_in_two_contexts(chatbot: Chatbot) -> None:
    for question, sense, words, page in [
        ("At how many degrees does the EBR dry vaccine?", "Evaporation Bed Reactor", "minus 50", 2),
        ("How many operators sign the EBR of a batch?", "Electronic Batch Record", "two operators", 3),
    ]:
        answer = await chatbot.ask(question)
        assert answer.outcome == "answered", answer.text
        assert [reading.sense.extended_name for reading in answer.readings if reading.sense] == [sense]
        assert words in answer.text
        assert answer.citations[0].page == page
        assert answer.certainty is not None
        assert answer.certainty > 0.5


async def test_a_bare_abbreviation_is_asked_back_and_the_reply_understood(chatbot: Chatbot) -> None:
    question = "What is an EBR?"
    back = await chatbot.ask(question)
    assert back.outcome == "clarify"
    history = (Turn(role="user", text=question), Turn(role="assistant", text=back.text))
    answer = await chatbot.ask("the batch record", history=history)
    assert answer.outcome == "answered"
    assert "Electronic Batch Record" in answer.text


async def test_the_dictionary_defines_an_unknown_term_is_refused_and_options_are_chosen_from(chatbot: Chatbot) -> None:
    answer = await chatbot.ask("What does QP stand for?")
    assert "Qualified Person" in answer.text
    assert answer.citations[0].document_name == "dictionary"
    answer = await chatbot.ask("What is the XQWZ of a batch?")
    assert answer.outcome == "unknown_term"
    assert [reading.mention.text for reading in answer.unknown_terms] == ["XQWZ"]
    answer = await chatbot.ask("Which team won the football world cup in 1998?")
    assert answer.outcome == "closest_passages"
    assert answer.closest[0].document_name == "plant.pdf"
    answer = await chatbot.ask("When does the canteen of the Leiden plant open? a) 7:30 b) 8:30 c) 14:00")
    assert answer.outcome == "answered"
    assert answer.text.startswith("a)")
