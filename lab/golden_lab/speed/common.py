"""Shared code of the speed measurements: the conditions of a run, and memory use."""

import os
from pathlib import Path
from typing import Any

from evaluation.revision import machine, revision


def conditions(bench: str, **settings: Any) -> dict[str, Any]:
    """Return the conditions of a measurement (code, machine, load) and its ``settings``."""
    return {
        "bench": bench, "revision": revision(), "machine": machine(), "load_average": os.getloadavg()[0], **settings,
    }  # fmt: skip


def heading(result: dict[str, Any]) -> str:
    """Return a line with the name of the measurement and its conditions."""
    return (
        f"{result['bench']} at revision {result['revision']}; {result['machine']}, load {result['load_average']:.1f}, "
        f"{result['rounds']} rounds after a warm-up, seed {result['seed']}"
    )


def resident_mb(field: str = "VmRSS") -> float:
    """Return the memory of this process in MB (1,000,000 bytes): "VmRSS" now, "VmHWM" at its peak; 0 without /proc."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return 0.0
    line = next((each for each in lines if each.startswith(f"{field}:")), None)
    return int(line.split()[1]) * 1024 / 1e6 if line else 0.0
