"""The trail of changes, and a version for each sense and context."""

import sqlalchemy as sa
from alembic import op

revision = "jargon_0002"
down_revision = "jargon_0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    key = sa.Text(collation="C") if op.get_bind().dialect.name == "postgresql" else sa.Text()
    for table in ("jargon_contexts", "jargon_senses"):
        op.add_column(table, sa.Column("version", sa.Integer(), nullable=False, server_default="1"))
    op.create_table(
        "jargon_changes",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("entry", sa.Integer(), nullable=False),
        sa.Column("key", key, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("before", sa.JSON(), nullable=True),
        sa.Column("after", sa.JSON(), nullable=True),
        sa.Column("undoes", sa.Integer(), nullable=True),
        sa.CheckConstraint("kind IN ('sense', 'context')", name="ck_jargon_changes_kind"),
    )
    op.create_index("ix_jargon_changes_entry", "jargon_changes", ["kind", "entry"])
    op.create_index("ix_jargon_changes_key", "jargon_changes", ["key"])


def downgrade() -> None:
    op.drop_table("jargon_changes")
    for table in ("jargon_contexts", "jargon_senses"):
        op.drop_column(table, "version")
