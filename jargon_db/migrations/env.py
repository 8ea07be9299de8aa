"""Run the dictionary's migrations on the connection of ``migrate``."""

from database.migrations import run_revisions

run_revisions()
