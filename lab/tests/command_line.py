"""Runs the command line of the laboratory in a separate process."""

import sys
from functools import partial

from tests.golden_retriever.served import golden

golden_lab = partial(golden, program=(sys.executable, "-m", "golden_lab"))
