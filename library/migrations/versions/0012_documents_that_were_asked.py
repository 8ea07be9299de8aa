"""Keep which documents a question was asked of; older questions count as asked of all."""

from alembic import op
from sqlalchemy import JSON, Column

revision = "library_0012"
down_revision = "library_0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("turns", Column("asked_documents", JSON))
