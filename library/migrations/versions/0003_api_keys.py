"""API keys: what is known of each that was given out."""

import sqlalchemy as sa
from alembic import op

revision = "library_0003"
down_revision = "library_0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    identifier = sa.Text(collation="C") if op.get_bind().dialect.name == "postgresql" else sa.Text()
    op.create_table(
        "api_keys",
        sa.Column("id", identifier, primary_key=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", identifier, nullable=False),
        sa.Column("digest", identifier, nullable=False),
        sa.Column("scopes", sa.JSON(), nullable=False),
        sa.Column("groups", sa.JSON()),
        sa.Column("department", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True)),
        sa.Column("last_used_at", sa.DateTime(timezone=True)),
        sa.Column("revoked_at", sa.DateTime(timezone=True)),
        sa.Column("revoked_by", sa.Text(), nullable=False),
        sa.UniqueConstraint("digest", name="uq_api_keys_digest"),
    )
    in_force = sa.text("revoked_at IS NULL")
    op.create_index(
        "ix_api_keys_name_key",
        "api_keys",
        ["name_key"],
        unique=True,
        sqlite_where=in_force,
        postgresql_where=in_force,
    )


def downgrade() -> None:
    op.drop_table("api_keys")
