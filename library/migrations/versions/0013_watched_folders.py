"""Let ingestions be repeated, for watched folders."""

from alembic import op
from sqlalchemy import Boolean, Column, false

revision = "library_0013"
down_revision = "library_0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("ingestion_jobs", Column("watch", Boolean, nullable=False, server_default=false()))
