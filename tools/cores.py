"""Determines the number of usable cores."""

import os


def usable_cores() -> int:
    """Return the number of cores that this process may use (at least 1), which may be fewer than the machine has.

    Only Linux reports which cores a process may use (because of ``taskset`` or a container's CPU set). On other
    systems, all cores count.
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
