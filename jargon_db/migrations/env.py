"""Run the dictionary's migrations on the connection of ``migrate``."""

from database.migrations import run_revisions
from jargon_db.migrations import DICTIONARY

run_revisions(DICTIONARY)
