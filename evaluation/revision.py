"""Describes the code and the machine of a measurement, as human-readable text."""

import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def revision() -> str:
    """Return git's description of the commit in a checkout, otherwise the version of the package."""
    if (ROOT / ".git").exists():
        command = ["git", "describe", "--tags", "--always", "--dirty"]
        try:
            result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=10, check=False)
        except (OSError, subprocess.TimeoutExpired):
            pass
        else:
            if result.returncode == 0:
                return result.stdout.strip()
    try:
        return version("golden-retriever-bot")
    except PackageNotFoundError:
        return "unversioned"


def machine() -> str:
    """Return one line that describes the machine."""
    return f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
