"""Documents, chunks, vectors and the lexical index."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TSVECTOR

revision = "library_0001"
down_revision = None
branch_labels = None
depends_on = None

# Two indexes over the same column: stems for searching, words as they stand for counting and for spellings. Both read
# their text from `chunks`, and triggers keep them in step with it whatever statement changes it. `_` and `#` belong to
# a technical name (place_pin, WE#).
_FTS5_TABLES = (
    """CREATE VIRTUAL TABLE chunk_stems USING fts5(
        words, content='chunks', content_rowid='number',
        tokenize="porter unicode61 remove_diacritics 2 tokenchars '_#'")""",
    """CREATE VIRTUAL TABLE chunk_terms USING fts5(
        words, content='chunks', content_rowid='number',
        tokenize="unicode61 remove_diacritics 2 tokenchars '_#'")""",
    "CREATE VIRTUAL TABLE chunk_vocabulary USING fts5vocab('chunk_terms', 'row')",
)
_ADD = """
    INSERT INTO chunk_stems(rowid, words) VALUES (new.number, new.words);
    INSERT INTO chunk_terms(rowid, words) VALUES (new.number, new.words);"""
_REMOVE = """
    INSERT INTO chunk_stems(chunk_stems, rowid, words) VALUES ('delete', old.number, old.words);
    INSERT INTO chunk_terms(chunk_terms, rowid, words) VALUES ('delete', old.number, old.words);"""
_FTS5_TRIGGERS = (
    f"CREATE TRIGGER chunks_inserted AFTER INSERT ON chunks WHEN new.words IS NOT NULL BEGIN {_ADD} END",
    f"CREATE TRIGGER chunks_deleted AFTER DELETE ON chunks WHEN old.words IS NOT NULL BEGIN {_REMOVE} END",
    f"""CREATE TRIGGER chunks_words_removed BEFORE UPDATE OF number, words ON chunks
        WHEN old.words IS NOT NULL BEGIN {_REMOVE} END""",
    f"""CREATE TRIGGER chunks_words_added AFTER UPDATE OF number, words ON chunks
        WHEN new.words IS NOT NULL BEGIN {_ADD} END""",
)


def upgrade() -> None:
    # Ordered by code point in every database, whatever its locale.
    identifier = sa.Text(collation="C") if op.get_bind().dialect.name == "postgresql" else sa.Text()
    op.create_table(
        "documents",
        sa.Column("id", identifier, primary_key=True),
        sa.Column("name", identifier, nullable=False),
        sa.Column("path", identifier, nullable=False),
        sa.Column("media_type", sa.Text(), nullable=False),
        sa.Column("content_hash", identifier, nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("pages", sa.Integer(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("access_group", identifier, nullable=False),
    )
    op.create_index("ix_documents_path", "documents", ["path"], postgresql_using="hash")
    op.create_table(
        "chunks",
        sa.Column("number", sa.Integer(), primary_key=True),
        sa.Column("id", identifier, nullable=False),
        sa.Column("document_id", identifier, sa.ForeignKey("documents.id", ondelete="CASCADE"), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("page", sa.Integer(), nullable=False),
        sa.Column("last_page", sa.Integer(), nullable=False),
        sa.Column("heading_path", sa.JSON(), nullable=False),
        sa.Column("section_id", identifier),
        sa.Column("block_kind", sa.Text(), nullable=False),
        sa.Column("boxes", sa.JSON(), nullable=False),
        sa.Column("document_title", sa.Text(), nullable=False),
        sa.Column("words", sa.Text()),
        sa.CheckConstraint("kind IN ('passage', 'section', 'summary')", name="ck_chunks_kind"),
        sa.UniqueConstraint("id", name="uq_chunks_id"),
    )
    op.create_index("ix_chunks_document_id", "chunks", ["document_id"])
    op.create_index("ix_chunks_section_id", "chunks", ["section_id"])
    op.create_table(
        "vectors",
        sa.Column("chunk_id", identifier, sa.ForeignKey("chunks.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("embedder", identifier, nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
    )
    op.create_index("ix_vectors_embedder", "vectors", ["embedder", "chunk_id"])
    state = op.create_table(
        "library_state",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("id = 1", name="ck_library_state_id"),
    )
    op.bulk_insert(state, [{"id": 1, "version": 0}])
    _create_lexical_index()


def _create_lexical_index() -> None:
    if op.get_bind().dialect.name == "sqlite":
        for statement in (*_FTS5_TABLES, *_FTS5_TRIGGERS):
            op.execute(sa.text(statement.replace(":", r"\:")))
        return
    op.create_table(
        "chunk_lexemes",
        sa.Column("number", sa.Integer(), sa.ForeignKey("chunks.number", ondelete="CASCADE"), primary_key=True),
        sa.Column("length", sa.Integer(), nullable=False),
        sa.Column("stems", TSVECTOR(), nullable=False),
        sa.Column("terms", TSVECTOR(), nullable=False),
    )
    op.create_index("ix_chunk_lexemes_stems", "chunk_lexemes", ["stems"], postgresql_using="gin")
    op.create_index("ix_chunk_lexemes_terms", "chunk_lexemes", ["terms"], postgresql_using="gin")


def downgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        for trigger in ("chunks_inserted", "chunks_deleted", "chunks_words_removed", "chunks_words_added"):
            op.execute(sa.text(f"DROP TRIGGER {trigger}"))
        for table in ("chunk_vocabulary", "chunk_terms", "chunk_stems"):
            op.drop_table(table)
    else:
        op.drop_table("chunk_lexemes")
    for table in ("library_state", "vectors", "chunks", "documents"):
        op.drop_table(table)
