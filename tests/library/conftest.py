import pytest
from sqlalchemy import Engine

from contracts.text import Document
from database.migrations import MigrationScope
from library.keys import KeyStore
from library.migrations import LIBRARY
from library.records.conversations import ConversationStore
from library.records.feedback import FeedbackStore
from library.records.reviews import ReviewStore
from library.records.turns import TurnStore
from library.store import LibraryStore
from tests.library.samples import Put, chunk_of, document_of, unit_vectors


@pytest.fixture
def tables() -> tuple[MigrationScope, ...]:
    return (LIBRARY,)


@pytest.fixture
def store(engine: Engine) -> LibraryStore:
    return LibraryStore(engine)


@pytest.fixture
def keys(engine: Engine) -> KeyStore:
    return KeyStore(engine)


@pytest.fixture
def put(store: LibraryStore) -> Put:
    """Put a document of these passages in; `version` makes another content of the same document."""

    def put_document(name: str, *passages: str, group: str = "everyone", version: str = "1") -> Document:
        document = document_of(name, group=group, version=version)
        chunks = [chunk_of(document, "passage", number, text) for number, text in enumerate(passages)]
        store.replace_document(document, chunks, unit_vectors(len(chunks)), embedder="test-model")
        return document

    return put_document


@pytest.fixture
def conversations(engine: Engine) -> ConversationStore:
    return ConversationStore(engine)


@pytest.fixture
def turns(engine: Engine) -> TurnStore:
    return TurnStore(engine, engine_name="balanced")


@pytest.fixture
def reviews(engine: Engine) -> ReviewStore:
    return ReviewStore(engine)


@pytest.fixture
def feedback(engine: Engine) -> FeedbackStore:
    return FeedbackStore(engine)
