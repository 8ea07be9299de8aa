"""The command line of the laboratory in a process of its own."""

import subprocess
import sys
from pathlib import Path

from tests.golden_retriever.served import golden

LAB = (sys.executable, "-m", "golden_lab")


def golden_lab(*arguments: str | Path, environment: dict[str, str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run one command to its end; it never shows a traceback."""
    return golden(*arguments, environment=environment, folder=folder, program=LAB)
