"""The changes of one transaction under one number, with the file or document that they came from."""

import sqlalchemy as sa
from alembic import op

revision = "jargon_0004"
down_revision = "jargon_0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("jargon_changes", sa.Column("batch", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("jargon_changes", sa.Column("origin", sa.Text(), nullable=False, server_default=""))
    # All changes of a transaction bear the moment at which it began.
    op.execute(
        "UPDATE jargon_changes SET batch = made.batch FROM "
        "(SELECT id, min(id) OVER (PARTITION BY at, who, action) AS batch FROM jargon_changes) AS made "
        "WHERE made.id = jargon_changes.id"
    )
    op.create_index("ix_jargon_changes_batch", "jargon_changes", ["batch"])


def downgrade() -> None:
    op.drop_index("ix_jargon_changes_batch", "jargon_changes")
    for column in ("batch", "origin"):
        op.drop_column("jargon_changes", column)
