"""The tables as they were at first: ``migrate`` makes them from the models, so that nothing is left to do here."""

revision = "library_0006"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    pass
