"""The tables of the library."""

from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    Column,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    TypeDecorator,
)
from sqlalchemy.dialects.postgresql import TSVECTOR
from sqlalchemy.types import TypeEngine

from library.words import storable

NAMES = {"ix": "ix_%(table_name)s_%(column_0_N_name)s", "uq": "uq_%(table_name)s_%(column_0_N_name)s"}


class StoredText(TypeDecorator[str]):
    """Text of any origin: what no database takes (NUL, lone surrogates) becomes U+FFFD, length unchanged."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Replace each character that cannot be stored."""
        return None if value is None else storable(value)


class Identifier(StoredText):
    """An id or a name that code compares: ordered by code point in every database, whatever its locale."""

    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Return text in the collation "C" for PostgreSQL, and as it is elsewhere."""
        return Text(collation="C") if dialect.name == "postgresql" else Text()


class StoredJson(TypeDecorator[Any]):
    """JSON whose strings keep to what ``StoredText`` takes."""

    impl = JSON
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        """Replace each character that cannot be stored, in lists too."""
        return _storable_json(value)


def _storable_json(value: Any) -> Any:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list | tuple):
        return [_storable_json(each) for each in value]
    return value


metadata = MetaData(naming_convention=NAMES)

documents = Table(
    "documents",
    metadata,
    Column("id", Identifier, primary_key=True),
    Column("name", Identifier, nullable=False),
    Column("path", Identifier, nullable=False),
    Column("media_type", StoredText, nullable=False),
    Column("content_hash", Identifier, nullable=False),
    Column("title", StoredText, nullable=False),
    Column("pages", Integer, nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Column("access_group", Identifier, nullable=False),
    # A path may be longer than what a B-tree page of PostgreSQL takes.
    Index("ix_documents_path", "path", postgresql_using="hash"),
)

# `number` is the row's number in the lexical index. `words` are those of title, headings and text, as they are indexed
# there: NULL for sections, which are not searched.
chunks = Table(
    "chunks",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("id", Identifier, nullable=False, unique=True),
    Column("document_id", Identifier, ForeignKey("documents.id", ondelete="CASCADE"), nullable=False),
    Column("kind", StoredText, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("text", StoredText, nullable=False),
    Column("page", Integer, nullable=False),
    Column("last_page", Integer, nullable=False),
    Column("heading_path", StoredJson, nullable=False),
    Column("section_id", Identifier),
    Column("block_kind", StoredText, nullable=False),
    Column("boxes", StoredJson, nullable=False),
    Column("document_title", StoredText, nullable=False),
    Column("words", StoredText),
    CheckConstraint("kind IN ('passage', 'section', 'summary')", name="ck_chunks_kind"),
    Index("ix_chunks_document_id", "document_id"),
    Index("ix_chunks_section_id", "section_id"),
)

# Apart from the chunks, so that a walk over the chunks' texts does not read their vectors, nor the other way round.
# A vector is float32, little-endian.
vectors = Table(
    "vectors",
    metadata,
    Column("chunk_id", Identifier, ForeignKey("chunks.id", ondelete="CASCADE"), primary_key=True),
    Column("embedder", Identifier, nullable=False),
    Column("vector", LargeBinary, nullable=False),
    Index("ix_vectors_embedder", "embedder", "chunk_id"),
)

# One row, whose version grows in each transaction that changes the library.
library_state = Table(
    "library_state",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("version", BigInteger, nullable=False),
    CheckConstraint("id = 1", name="ck_library_state_id"),
)

# The lexical index of PostgreSQL; SQLite has the FTS5 tables of the first migration instead.
chunk_lexemes = Table(
    "chunk_lexemes",
    metadata,
    Column("number", Integer, ForeignKey(chunks.c.number, ondelete="CASCADE"), primary_key=True),
    Column("length", Integer, nullable=False),
    Column("stems", TSVECTOR, nullable=False),
    Column("terms", TSVECTOR, nullable=False),
    Index("ix_chunk_lexemes_stems", "stems", postgresql_using="gin"),
    Index("ix_chunk_lexemes_terms", "terms", postgresql_using="gin"),
)
