"""How much the whole machine computes: what is measured beside other work is told with it."""

import os
from pathlib import Path

_STAT = Path("/proc/stat")
# The fields of the line "cpu" that are no work of this machine: idle, and waiting for a disk.
_RESTING = (3, 4)
_COUNTED = 8


def busy_s() -> float | None:
    """Return how many seconds all cores together have computed since the machine was started, None if it does not say.

    Source: the line "cpu" of /proc/stat as of proc(5); the guests' time is part of the user's there.
    """
    try:
        with _STAT.open(encoding="ascii") as lines:
            fields = next(lines).split()[1 : 1 + _COUNTED]
    except (OSError, StopIteration):
        return None
    ticks = sum(int(value) for at, value in enumerate(fields) if at not in _RESTING)
    return ticks / os.sysconf("SC_CLK_TCK")
