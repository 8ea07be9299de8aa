"""The tables of the library."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import TSVECTOR

from database.columns import Key, StoredJson, StoredText, UtcTime

NAMES = {"ix": "ix_%(table_name)s_%(column_0_N_name)s", "uq": "uq_%(table_name)s_%(column_0_N_name)s"}


metadata = MetaData(naming_convention=NAMES)

documents = Table(
    "documents",
    metadata,
    Column("id", Key, primary_key=True),
    Column("name", Key, nullable=False),
    Column("path", Key, nullable=False),
    Column("media_type", StoredText, nullable=False),
    Column("content_hash", Key, nullable=False),
    Column("title", StoredText, nullable=False),
    Column("pages", Integer, nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Column("access_group", Key, nullable=False),
    # A path may be too long for a B-tree index in PostgreSQL.
    Index("ix_documents_path", "path", postgresql_using="hash"),
    Index("ix_documents_content_hash", "content_hash"),
)

# `number` is the number of the row in the lexical index. `words` are the indexed words of title, headings and text;
# NULL for sections, which are not searched.
chunks = Table(
    "chunks",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("id", Key, nullable=False, unique=True),
    Column("document_id", Key, ForeignKey("documents.id", ondelete="CASCADE"), nullable=False),
    Column("kind", StoredText, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("text", StoredText, nullable=False),
    Column("page", Integer, nullable=False),
    Column("last_page", Integer, nullable=False),
    Column("heading_path", StoredJson, nullable=False),
    Column("headings", StoredJson, nullable=False, server_default="[]"),
    Column("code", StoredJson, nullable=False, server_default="[]"),
    Column("section_id", Key),
    Column("block_kind", StoredText, nullable=False),
    Column("boxes", StoredJson, nullable=False),
    Column("document_title", StoredText, nullable=False),
    Column("words", StoredText),
    CheckConstraint("kind IN ('passage', 'section', 'summary')", name="ck_chunks_kind"),
    # The kind and the id are included so that counting passages and listing chunks by document do not read texts.
    Index("ix_chunks_document_id", "document_id", "kind", "id"),
    Index("ix_chunks_section_id", "section_id"),
)

# Vectors are separate from the chunks, so that a scan of the texts does not read vectors, and vice versa. They are
# stored as float32, little-endian.
vectors = Table(
    "vectors",
    metadata,
    Column("chunk_id", Key, ForeignKey("chunks.id", ondelete="CASCADE"), primary_key=True),
    Column("embedder", Key, nullable=False),
    Column("vector", LargeBinary, nullable=False),
    Index("ix_vectors_embedder", "embedder", "chunk_id"),
)

# Checked questions that the bot can answer from each document. A document without a row is still unchecked.
suggested_questions = Table(
    "suggested_questions",
    metadata,
    Column("document_id", Key, ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True),
    Column("questions", StoredJson, nullable=False),
)

# A table with one row, whose version increases with each transaction that changes the library.
library_state = Table(
    "library_state",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("version", BigInteger, nullable=False),
    CheckConstraint("id = 1", name="ck_library_state_id"),
)

# The state of each file, including unreadable and removed files. `content_hash` belongs to the content last tried;
# `reading_at` is set while the file is being read. `mined` contains the terms found in it, to store them again under a
# different document name, or after the evidence from another document with the same name was deleted.
files = Table(
    "files",
    metadata,
    Column("document_id", Key, primary_key=True),
    Column("path", Key, nullable=False),
    Column("access_group", Key, nullable=False),
    Column("state", StoredText, nullable=False),
    Column("reason", StoredText, nullable=False),
    Column("content_hash", Key, nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Column("modified_ns", BigInteger, nullable=False),
    Column("recipe", StoredText, nullable=False),
    Column("mined", StoredJson, nullable=False),
    Column("changed_at", UtcTime, nullable=False),
    Column("reading_at", UtcTime),
    CheckConstraint("state IN ('reading', 'ready', 'duplicate', 'failed', 'removed')", name="ck_files_state"),
    Index("ix_files_path", "path", postgresql_using="hash"),
    Index("ix_files_content_hash", "content_hash"),
)

# One row for each ingestion of a document, oldest first by `number`.
ingestions = Table(
    "ingestions",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("document_id", Key, nullable=False),
    Column("path", Key, nullable=False),
    Column("content_hash", Key, nullable=False),
    Column("outcome", StoredText, nullable=False),
    Column("reason", StoredText, nullable=False),
    Column("started_at", UtcTime, nullable=False),
    Column("finished_at", UtcTime, nullable=False),
    Column("report", StoredJson, nullable=False),
    Index("ix_ingestions_document_id", "document_id", "number"),
)

# The queue of ingestion jobs, oldest first by `number`. `seen_at` is when the server that runs the job last reported.
ingestion_jobs = Table(
    "ingestion_jobs",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("id", Key, nullable=False, unique=True),
    Column("paths", StoredJson, nullable=False),
    Column("access_group", Key, nullable=False),
    Column("prune", Boolean, nullable=False),
    Column("watch", Boolean, nullable=False),
    Column("who", StoredText, nullable=False),
    Column("state", Key, nullable=False),
    Column("reason", StoredText, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("cancel_asked", Boolean, nullable=False),
    Column("queued_at", UtcTime, nullable=False),
    Column("next_try_at", UtcTime, nullable=False),
    Column("started_at", UtcTime),
    Column("finished_at", UtcTime),
    Column("seen_at", UtcTime),
    Column("progress", StoredJson(none_as_null=True)),
    Column("counts", StoredJson, nullable=False),
    Column("failed", StoredJson, nullable=False),
    Index("ix_ingestion_jobs_state", "state", "number"),
)

# Only the `digest` (SHA-256) of a key is stored. `groups` is NULL if the key may read all documents. A name can be
# reused after its key is revoked.
_IN_FORCE = text("revoked_at IS NULL")
api_keys = Table(
    "api_keys",
    metadata,
    Column("id", Key, primary_key=True),
    Column("name", StoredText, nullable=False),
    Column("name_key", Key, nullable=False),
    Column("digest", Key, nullable=False),
    Column("scopes", StoredJson, nullable=False),
    Column("groups", StoredJson(none_as_null=True)),
    Column("department", StoredText, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("created_by", StoredText, nullable=False),
    Column("expires_at", UtcTime),
    Column("last_used_at", UtcTime),
    Column("revoked_at", UtcTime),
    Column("revoked_by", StoredText, nullable=False),
    UniqueConstraint("digest", name="uq_api_keys_digest"),
    Index("ix_api_keys_name_key", "name_key", unique=True, sqlite_where=_IN_FORCE, postgresql_where=_IN_FORCE),
)

# Browser sessions. Only the `digest` (SHA-256) of the token is stored. If a session has a `key_id`, the scopes and
# groups of the key apply; otherwise, those of the row apply (`groups` NULL: all).
sessions = Table(
    "sessions",
    metadata,
    Column("digest", Key, primary_key=True),
    Column("key_id", Key, ForeignKey(api_keys.c.id, ondelete="CASCADE")),
    Column("account", Key, nullable=False),
    Column("name", StoredText, nullable=False),
    Column("scopes", StoredJson, nullable=False),
    Column("groups", StoredJson(none_as_null=True)),
    Column("began_at", UtcTime, nullable=False),
    Column("seen_at", UtcTime, nullable=False),
    Column("expires_at", UtcTime, nullable=False),
    Index("ix_sessions_key_id", "key_id"),
    Index("ix_sessions_seen_at", "seen_at"),
    Index("ix_sessions_expires_at", "expires_at"),
)

# The lexical index on PostgreSQL; SQLite has FTS5 tables instead.
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
