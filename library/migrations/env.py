"""Run the library's migrations on the connection of ``migrate``."""

from database.migrations import run_revisions
from library.migrations import LIBRARY

run_revisions(LIBRARY)
