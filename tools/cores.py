"""The number of usable cores."""

import os


def usable_cores() -> int:
    """Return how many cores this process may use: at least 1, and fewer than the machine has if the process is
    restricted.

    Only Linux reports which cores a process may use (``taskset``, a container's set of cores); elsewhere all cores
    count.
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
