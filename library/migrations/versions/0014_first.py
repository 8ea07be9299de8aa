"""The first tables. ``migrate`` creates them from the models, so there is nothing to do here."""

revision = "library_0014"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    pass
