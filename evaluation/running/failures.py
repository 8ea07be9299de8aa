"""What broke, in one line."""

import traceback
from pathlib import Path

from contracts.errors import GoldenError


def one_line(error: Exception) -> str:
    """Say what ``error`` is: an expected one in its own words, any other with its class and the line it came from."""
    if isinstance(error, GoldenError):
        return str(error)
    frames = [each for each in traceback.extract_tb(error.__traceback__) if Path(each.filename).is_file()]
    where = f" ({'/'.join(Path(frames[-1].filename).parts[-3:])}, line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {' '.join(str(error).split())}{where}"
