"""Keep where a chunk's text holds headings; those of older chunks count as text until their documents are read anew."""

from alembic import op
from sqlalchemy import JSON, Column

revision = "library_0010"
down_revision = "library_0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("chunks", Column("headings", JSON, nullable=False, server_default="[]"))
