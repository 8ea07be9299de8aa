"""Dimensions: what a unit measures."""

import re
import tomllib
from functools import lru_cache
from pathlib import Path

_LIST = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_UNITS: dict[str, re.Pattern[str]] = {name: re.compile(units) for name, units in _LIST.items()}


# There are few units, and every number of a passage has one.
@lru_cache(maxsize=1_024)
def unit_dimensions(unit: str) -> frozenset[str]:
    """Name the dimensions that ``unit`` ("ns", "MB/s") can measure; empty for a bare number."""
    return frozenset(name for name, units in _UNITS.items() if unit and units.search(unit))
