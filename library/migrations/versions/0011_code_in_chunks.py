"""Keep where a chunk's text holds preformatted text; older chunks do not say it until their documents are read anew."""

from alembic import op
from sqlalchemy import JSON, Column

revision = "library_0011"
down_revision = "library_0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("chunks", Column("code", JSON, nullable=False, server_default="[]"))
