"""The questions that the bot can answer from each document."""

from alembic import op
from sqlalchemy import Column, ForeignKey

from database.columns import Key, StoredJson

revision = "library_0007"
down_revision = "library_0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "offered_questions",
        Column("document_id", Key, ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True),
        Column("questions", StoredJson, nullable=False),
    )
