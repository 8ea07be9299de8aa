"""Let chunks be counted and listed by document without reading their texts."""

from alembic import op

revision = "library_0014"
down_revision = "library_0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_index("ix_chunks_document_id", "chunks")
    op.create_index("ix_chunks_document_id", "chunks", ["document_id", "kind", "id"])
