"""The resident memory of this process, now and at its peak."""

import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")


def resident_mb() -> float:
    """Return how much memory of this process is resident now, in MB (1 000 000 bytes); where the system does not say
    so, what was resident at the peak.
    """
    return _from_status("VmRSS") or peak_resident_mb()


def peak_resident_mb() -> float:
    """Return how much memory of this process was ever resident at once, in MB (1 000 000 bytes)."""
    # Not getrusage where it can be helped: on Linux its maximum is inherited from the process that started this one.
    found = _from_status("VmHWM")
    if found is not None:
        return found
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6


def _from_status(name: str) -> float | None:
    try:
        lines = _STATUS.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return None
    line = next((each for each in lines if each.startswith(f"{name}:")), None)
    return int(line.split()[1]) * 1024 / 1e6 if line else None
