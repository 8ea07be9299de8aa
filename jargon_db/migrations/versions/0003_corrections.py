"""The meanings that askers chose for terms in their questions."""

import sqlalchemy as sa
from alembic import op

revision = "jargon_0003"
down_revision = "jargon_0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    key = sa.Text(collation="C") if op.get_bind().dialect.name == "postgresql" else sa.Text()
    op.create_table(
        "jargon_corrections",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("sense_id", sa.Integer(), sa.ForeignKey("jargon_senses.id", ondelete="CASCADE"), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("question_key", key, nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("first_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_at", sa.DateTime(timezone=True), nullable=False),
        sa.UniqueConstraint("sense_id", "question_key", name="uq_jargon_corrections_question"),
    )
    op.create_index("ix_jargon_corrections_last_at", "jargon_corrections", ["last_at"])
    state = op.create_table(
        "jargon_corrections_state",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("id = 1", name="ck_jargon_corrections_state_id"),
    )
    op.bulk_insert(state, [{"id": 1, "version": 0}])


def downgrade() -> None:
    op.drop_table("jargon_corrections_state")
    op.drop_table("jargon_corrections")
