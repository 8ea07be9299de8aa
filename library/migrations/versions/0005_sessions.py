"""Sessions: who is logged in with a browser."""

import sqlalchemy as sa
from alembic import op

revision = "library_0005"
down_revision = "library_0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    identifier = sa.Text(collation="C") if op.get_bind().dialect.name == "postgresql" else sa.Text()
    moment = sa.DateTime(timezone=True)
    op.create_table(
        "sessions",
        sa.Column("digest", identifier, primary_key=True),
        sa.Column("key_id", identifier, sa.ForeignKey("api_keys.id", ondelete="CASCADE")),
        sa.Column("account", identifier, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("scopes", sa.JSON(), nullable=False),
        sa.Column("groups", sa.JSON()),
        sa.Column("began_at", moment, nullable=False),
        sa.Column("seen_at", moment, nullable=False),
        sa.Column("expires_at", moment, nullable=False),
    )
    op.create_index("ix_sessions_key_id", "sessions", ["key_id"])
    op.create_index("ix_sessions_seen_at", "sessions", ["seen_at"])
    op.create_index("ix_sessions_expires_at", "sessions", ["expires_at"])


def downgrade() -> None:
    op.drop_table("sessions")
