"""What the measurements of speed share: what they were made on, plain tables, times, memory."""

import os
import statistics
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from evaluation.revision import machine, revision

_Argument = TypeVar("_Argument")


def conditions(bench: str, **settings: Any) -> dict[str, Any]:
    """Return what a measurement was made on, with its ``settings``."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return {"bench": bench, "revision": revision(), "machine": machine(), "load_average": load, **settings}


def heading(result: dict[str, Any]) -> str:
    """Return a line that names what was measured on what."""
    load = "" if result["load_average"] is None else f", load {result['load_average']:.1f}"
    return f"{result['bench']} at revision {result['revision']}; {result['machine']}{load}"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a table's lines, each column as wide as its widest cell, the first to the left, the others right."""
    widths = [max(len(row[at]) for row in (heads, *rows)) for at in range(len(heads))]
    return [
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in (heads, *rows)
    ]


async def time_calls(
    call: Callable[[_Argument], Awaitable[object]], arguments: Iterable[_Argument], rounds: int
) -> list[float]:
    """Return the milliseconds of ``call`` on every argument in each of ``rounds``, after a warm-up."""
    arguments = list(arguments)
    taken = []
    for number in range(rounds + 1):
        for argument in arguments:
            started = time.perf_counter()
            await call(argument)
            if number:
                taken.append((time.perf_counter() - started) * 1_000)
    return taken


def times(milliseconds: Sequence[float]) -> dict[str, float]:
    """Return the number of calls, the median and the 95th percentile."""
    return {
        "calls": len(milliseconds),
        "median_ms": statistics.median(milliseconds),
        "p95_ms": float(np.percentile(milliseconds, 95)),
    }


def resident_mb(field: str = "VmRSS") -> float:
    """Return the memory of this process in MB (1 000 000 bytes): "VmRSS" now, "VmHWM" at its peak; 0 without /proc."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return 0.0
    line = next((each for each in lines if each.startswith(f"{field}:")), None)
    return int(line.split()[1]) * 1024 / 1e6 if line else 0.0
