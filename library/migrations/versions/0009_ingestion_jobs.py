"""The queue of ingestions that were asked for, and what was told of each."""

from alembic import op
from sqlalchemy import Boolean, Column, ForeignKey, Integer, UniqueConstraint

from database.columns import Key, StoredJson, StoredText, UtcTime

revision = "library_0009"
down_revision = "library_0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "ingestion_jobs",
        Column("number", Integer, primary_key=True),
        Column("id", Key, nullable=False),
        Column("paths", StoredJson, nullable=False),
        Column("access_group", Key, nullable=False),
        Column("prune", Boolean, nullable=False),
        Column("check_content", Boolean, nullable=False),
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
        UniqueConstraint("id", name="uq_ingestion_jobs_id"),
    )
    op.create_index("ix_ingestion_jobs_state", "ingestion_jobs", ["state", "number"])
    op.create_table(
        "ingestion_events",
        Column("job_id", Key, ForeignKey("ingestion_jobs.id", ondelete="CASCADE"), primary_key=True),
        Column("number", Integer, primary_key=True),
        Column("event", StoredJson, nullable=False),
    )
