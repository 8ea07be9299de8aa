"""People's records: conversations, turns, feedback, reviews, cases."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "library_0004"
down_revision = "library_0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    identifier: Any = sa.Text(collation="C") if op.get_bind().dialect.name == "postgresql" else sa.Text()
    moment = sa.DateTime(timezone=True)
    _conversations(identifier, moment)
    _turns(identifier, moment)
    _decisions(identifier, moment)


def _conversations(identifier: Any, moment: Any) -> None:
    op.create_table(
        "conversations",
        sa.Column("account", identifier, primary_key=True),
        sa.Column("id", identifier, primary_key=True),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("folded", sa.Text(), nullable=False),
        sa.Column("started_at", moment, nullable=False),
        sa.Column("changed_at", moment, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
    )
    op.create_index("ix_conversations_account", "conversations", ["account", "changed_at", "id"])
    op.create_index("ix_conversations_changed_at", "conversations", ["changed_at"])
    op.create_table(
        "forgotten_conversations",
        sa.Column("account", identifier, primary_key=True),
        sa.Column("conversation_id", identifier, primary_key=True),
        sa.Column("forgotten_at", moment, nullable=False),
    )


def _turns(identifier: Any, moment: Any) -> None:
    op.create_table(
        "turns",
        sa.Column("id", identifier, primary_key=True),
        sa.Column("account", identifier, nullable=False),
        sa.Column("conversation_id", identifier, nullable=False),
        sa.Column("asked_at", moment, nullable=False),
        sa.Column("day", identifier, nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("folded", sa.Text(), nullable=False),
        sa.Column("outcome", identifier, nullable=False),
        sa.Column("certainty", sa.Float()),
        sa.Column("degraded", sa.Boolean(), nullable=False),
        sa.Column("withdrawn", sa.Boolean(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("face", identifier, nullable=False),
        sa.Column("department", sa.Text(), nullable=False),
        sa.Column("engine", sa.Text(), nullable=False),
        sa.Column("reach", identifier, nullable=False),
        sa.Column("answer", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account", "conversation_id"], ["conversations.account", "conversations.id"], ondelete="CASCADE"
        ),
    )
    op.create_index("ix_turns_conversation", "turns", ["account", "conversation_id", "asked_at"])
    op.create_index("ix_turns_asked_at", "turns", ["asked_at", "id"])
    op.create_index("ix_turns_day", "turns", ["day"])
    op.create_index("ix_turns_reach", "turns", ["reach"])
    op.create_table(
        "turn_documents",
        sa.Column("turn_id", identifier, sa.ForeignKey("turns.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("document_id", identifier, primary_key=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("access_group", identifier),
        sa.Column("cited", sa.Boolean(), nullable=False),
    )
    op.create_index("ix_turn_documents_document_id", "turn_documents", ["document_id"])
    op.create_table(
        "turn_steps",
        sa.Column("turn_id", identifier, sa.ForeignKey("turns.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("position", sa.Integer(), primary_key=True),
        sa.Column("node", identifier, nullable=False),
        sa.Column("duration", sa.Integer(), nullable=False),
    )


def _decisions(identifier: Any, moment: Any) -> None:
    op.create_table(
        "feedback",
        sa.Column("turn_id", identifier, sa.ForeignKey("turns.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("verdict", identifier, nullable=False),
        sa.Column("reason", identifier, nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("changed_at", moment, nullable=False),
        sa.CheckConstraint("verdict IN ('up', 'down')", name="ck_feedback_verdict"),
    )
    op.create_index("ix_feedback_changed_at", "feedback", ["changed_at"])
    op.create_table(
        "reviews",
        sa.Column("turn_id", identifier, sa.ForeignKey("turns.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("state", identifier, nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("changed_at", moment, nullable=False),
        sa.CheckConstraint("state IN ('open', 'resolved', 'ignored')", name="ck_reviews_state"),
    )
    op.create_table(
        "review_cases",
        sa.Column("id", identifier, primary_key=True),
        sa.Column("turn_id", identifier),
        sa.Column("fields", sa.JSON(), nullable=False),
        sa.Column("reach", identifier, nullable=False),
        sa.Column("documents", sa.JSON(), nullable=False),
        sa.Column("made_by", sa.Text(), nullable=False),
        sa.Column("made_at", moment, nullable=False),
    )
    op.create_index("ix_review_cases_made_at", "review_cases", ["made_at", "id"])


def downgrade() -> None:
    for table in (
        "review_cases",
        "reviews",
        "feedback",
        "turn_steps",
        "turn_documents",
        "turns",
        "forgotten_conversations",
        "conversations",
    ):
        op.drop_table(table)
