"""What became of each file: its state, and the history of its ingestions."""

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

revision = "library_0002"
down_revision = "library_0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    identifier = sa.Text(collation="C") if op.get_bind().dialect.name == "postgresql" else sa.Text()
    op.create_index("ix_documents_content_hash", "documents", ["content_hash"])
    op.create_table(
        "files",
        sa.Column("document_id", identifier, primary_key=True),
        sa.Column("path", identifier, nullable=False),
        sa.Column("access_group", identifier, nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("content_hash", identifier, nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("modified_ns", sa.BigInteger(), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("mined", sa.JSON(), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("reading_at", sa.DateTime(timezone=True)),
        sa.CheckConstraint("state IN ('reading', 'ready', 'duplicate', 'failed', 'removed')", name="ck_files_state"),
    )
    op.create_index("ix_files_path", "files", ["path"], postgresql_using="hash")
    op.create_index("ix_files_content_hash", "files", ["content_hash"])
    op.create_table(
        "ingestions",
        sa.Column("number", sa.Integer(), primary_key=True),
        sa.Column("document_id", identifier, nullable=False),
        sa.Column("path", identifier, nullable=False),
        sa.Column("content_hash", identifier, nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("report", sa.JSON(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("phases", sa.JSON(), nullable=False),
    )
    op.create_index("ix_ingestions_document_id", "ingestions", ["document_id", "number"])
    # Documents of earlier versions have no recipe: the next ingestion reads them again.
    former = sa.text(
        "INSERT INTO files (document_id, path, access_group, state, reason, content_hash, size_bytes, modified_ns, "
        "recipe, mined, changed_at) SELECT id, path, access_group, 'ready', '', content_hash, size_bytes, 0, '', "
        "'[]', :now FROM documents"
    ).bindparams(sa.bindparam("now", datetime.now(UTC), sa.DateTime(timezone=True)))
    op.execute(former)


def downgrade() -> None:
    op.drop_table("ingestions")
    op.drop_table("files")
    op.drop_index("ix_documents_content_hash", "documents")
