"""Standard names for columns and a table."""

from alembic import op

revision = "library_0008"
down_revision = "library_0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE turns RENAME COLUMN face TO channel")
    op.execute("ALTER TABLE turns RENAME COLUMN reach TO asker_groups")
    op.execute("ALTER TABLE review_cases RENAME COLUMN reach TO asker_groups")
    op.execute('ALTER TABLE case_runs RENAME COLUMN reach TO "groups"')
    op.drop_index("ix_turns_reach", "turns")
    op.create_index("ix_turns_asker_groups", "turns", ["asker_groups"])
    op.execute("ALTER TABLE offered_questions RENAME TO suggested_questions")
