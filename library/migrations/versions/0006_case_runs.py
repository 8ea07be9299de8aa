"""Runs of test cases: what was measured, and how each case went."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "library_0006"
down_revision = "library_0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    identifier: Any = sa.Text(collation="C") if op.get_bind().dialect.name == "postgresql" else sa.Text()
    moment = sa.DateTime(timezone=True)
    op.add_column("review_cases", sa.Column("version", sa.Integer(), nullable=False, server_default="1"))
    op.create_table(
        "case_runs",
        sa.Column("id", identifier, primary_key=True),
        sa.Column("slot", sa.Integer(), unique=True),
        sa.Column("state", identifier, nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("stopping", sa.Boolean(), nullable=False),
        sa.Column("started_at", moment, nullable=False),
        sa.Column("seen_at", moment, nullable=False),
        sa.Column("finished_at", moment),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("reach", identifier, nullable=False),
        sa.Column("made_of", sa.JSON(), nullable=False),
        sa.Column("cases", sa.Integer(), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("passed", sa.Integer(), nullable=False),
        sa.CheckConstraint("state IN ('running', 'done', 'cancelled', 'failed')", name="ck_case_runs_state"),
    )
    op.create_index("ix_case_runs_started_at", "case_runs", ["started_at", "id"])
    op.create_table(
        "case_results",
        sa.Column("run_id", identifier, sa.ForeignKey("case_runs.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("case_id", identifier, primary_key=True),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("passed", sa.Boolean(), nullable=False),
        sa.Column("withdrawn", sa.Boolean(), nullable=False),
        sa.Column("result", sa.JSON(), nullable=False),
    )
    op.create_table(
        "case_result_documents",
        sa.Column("run_id", identifier, primary_key=True),
        sa.Column("case_id", identifier, primary_key=True),
        sa.Column("document_id", identifier, primary_key=True),
        sa.Column("access_group", identifier),
        sa.Column("cited", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id", "case_id"], ["case_results.run_id", "case_results.case_id"], ondelete="CASCADE"
        ),
    )
    op.create_index("ix_case_result_documents_document_id", "case_result_documents", ["document_id"])


def downgrade() -> None:
    for table in ("case_result_documents", "case_results", "case_runs"):
        op.drop_table(table)
    op.drop_column("review_cases", "version")
