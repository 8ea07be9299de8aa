"""Contexts, terms, senses, aliases, evidence, and the queue of unknown terms."""

import sqlalchemy as sa
from alembic import op

revision = "jargon_0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Ordered by code point in every database, whatever its locale.
    key = sa.Text(collation="C") if op.get_bind().dialect.name == "postgresql" else sa.Text()
    contexts = op.create_table(
        "jargon_contexts",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("key", key, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("examples", sa.JSON(), nullable=False),
        sa.UniqueConstraint("key", name="uq_jargon_contexts_key"),
    )
    # The context of a sense that holds everywhere.
    op.bulk_insert(contexts, [{"key": "", "name": "", "description": "", "examples": []}])
    op.create_table(
        "jargon_terms",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("spelling", key, nullable=False),
        sa.Column("key", key, nullable=False),
        sa.Column("loose_key", key, nullable=False),
        sa.UniqueConstraint("spelling", name="uq_jargon_terms_spelling"),
    )
    op.create_index("ix_jargon_terms_key", "jargon_terms", ["key"])
    op.create_index("ix_jargon_terms_loose_key", "jargon_terms", ["loose_key"])
    _create_senses(key)
    op.create_table(
        "jargon_unknown_terms",
        sa.Column("key", key, primary_key=True),
        sa.Column("term", sa.Text(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("last_question", sa.Text(), nullable=False),
        sa.Column("context", sa.Text(), nullable=False),
        sa.Column("first_asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_asked_at", sa.DateTime(timezone=True), nullable=False),
    )
    state = op.create_table(
        "jargon_state",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("id = 1", name="ck_jargon_state_id"),
    )
    op.bulk_insert(state, [{"id": 1, "version": 0}])


def _create_senses(key: sa.Text) -> None:
    op.create_table(
        "jargon_senses",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("term_id", sa.Integer(), sa.ForeignKey("jargon_terms.id"), nullable=False),
        sa.Column("term_key", key, nullable=False),
        sa.Column("context_id", sa.Integer(), sa.ForeignKey("jargon_contexts.id"), nullable=False),
        sa.Column("extended_name", sa.Text(), nullable=False),
        sa.Column("extended_key", key, nullable=False),
        sa.Column("loose_name", key, nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("notes", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.UniqueConstraint("term_key", "context_id", "extended_key", name="uq_jargon_senses_meaning"),
        sa.CheckConstraint("state IN ('draft', 'published', 'rejected')", name="ck_jargon_senses_state"),
    )
    op.create_index("ix_jargon_senses_term_id", "jargon_senses", ["term_id"])
    op.create_index("ix_jargon_senses_state", "jargon_senses", ["state"])
    op.create_table(
        "jargon_aliases",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("sense_id", sa.Integer(), sa.ForeignKey("jargon_senses.id", ondelete="CASCADE"), nullable=False),
        sa.Column("spelling", sa.Text(), nullable=False),
        sa.Column("key", key, nullable=False),
        sa.UniqueConstraint("sense_id", "key", name="uq_jargon_aliases_key"),
    )
    op.create_index("ix_jargon_aliases_key", "jargon_aliases", ["key"])
    op.create_table(
        "jargon_evidence",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("sense_id", sa.Integer(), sa.ForeignKey("jargon_senses.id", ondelete="CASCADE"), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("page", sa.Integer(), nullable=False),
        sa.Column("sentence", sa.Text(), nullable=False),
        sa.Column("score", sa.Float(), nullable=False),
        sa.Column("digest", key, nullable=False),
        sa.UniqueConstraint("sense_id", "digest", name="uq_jargon_evidence_digest"),
    )


def downgrade() -> None:
    for table in ("state", "unknown_terms", "evidence", "aliases", "senses", "terms", "contexts"):
        op.drop_table(f"jargon_{table}")
