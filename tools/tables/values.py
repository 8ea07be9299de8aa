"""Values in cells: numbers, ranges, years and times of day, with their units, in a comparable form."""

import math
import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from tools.language import find_quantities, fold, stem

WORDS = tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))
# The texts of cells without a value.
NOTHING = frozenset(WORDS["words"]["nothing"].split())
_PREFIXES = {"": 1.0, "p": 1e-12, "n": 1e-9, "u": 1e-6, "µ": 1e-6, "m": 1e-3, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9,
             "T": 1e12, "P": 1e15, "Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40}  # fmt: skip
_PREFIX_NAMES = {"pico": 1e-12, "nano": 1e-9, "micro": 1e-6, "milli": 1e-3, "kilo": 1e3, "mega": 1e6, "giga": 1e9,
                 "tera": 1e12, "": 1.0}  # fmt: skip
_DATE = re.compile(r"(\d{4})-\d\d(?:-\d\d)?$")
_BEFORE = r"(?P<bound><=|>=|[≤≥<>]|up to|at most|at least|max\.?|min\.?|from)?\s*[~≈]?\s*[€$£]?\s*"
_AFTER = re.compile(r"\s?-?(?P<unit>[A-Za-zµμΩ°%€$£][A-Za-z°]*(?:/[A-Za-z]+)?)")
_ENDLESS = frozenset({"unlimited", "infinite", "no limit", "∞"})

Relation = Literal["above", "from", "below", "to", "at"]


@dataclass(frozen=True, slots=True)
class Value:
    """The range of values that a cell can mean, from ``low`` to ``high``, in the basic unit of ``dimension`` ("" for a
    number without a unit).

    ``factor`` is the size of the written unit in basic units.
    """

    low: float
    high: float
    dimension: str = ""
    factor: float = 1.0

    def stands(self, relation: Relation, other: "Value") -> bool:
        """Return whether the whole range is above, from, below, up to or at ``other``; the units must be compatible."""
        factor = self.factor if other.dimension == "" else 1.0
        if other.dimension not in (self.dimension, "") and self.low < math.inf:
            return False
        low, high = self.low / factor, self.high / factor
        slack = 1e-9 * max(abs(other.low), abs(other.high), 1e-12)
        within = other.low - slack <= low and high <= other.high + slack
        return {
            "above": low > other.high + slack,
            "from": low >= other.low - slack,
            "below": high < other.low - slack,
            "to": high <= other.high + slack,
            "at": within or (low <= other.low + slack and other.high - slack <= high),
        }[relation]


@lru_cache(maxsize=1_024)
def read_unit(text: str) -> tuple[str, float]:
    """Return the dimension and factor of a unit; an unknown unit is its own dimension; for "", return ("", 1)."""
    units: dict[str, tuple[str, float]] = WORDS["units"]
    name = re.sub(r"(?<=[bBT])ps$", "/s", text.strip().replace("μ", "µ"))
    base, per, below = name.partition("/")
    for prefix, factor in _PREFIXES.items():
        found = units.get(base.removeprefix(prefix)) if base.startswith(prefix) else None
        if found is not None and (not prefix or base.removeprefix(prefix) not in {"min", "h", "d", "%"}):
            return found[0] + per + below, found[1] * factor
    folded = fold(base).rstrip("s") if len(base) > 2 else fold(base)
    if folded in WORDS["long_units"]:
        return "time" + per + below, WORDS["long_units"][folded]
    for prefix, factor in _PREFIX_NAMES.items():
        symbol = WORDS["unit_names"].get(folded.removeprefix(prefix)) if folded.startswith(prefix) else None
        if symbol is not None:
            return units[symbol][0] + per + below, units[symbol][1] * factor
    return (stem(base) + per + below, 1.0) if base else ("", 1.0)


def is_unit(text: str) -> bool:
    """Return whether ``text`` is a unit with a known dimension."""
    dimension = read_unit(text)[0].partition("/")[0]
    return dimension == "T" or any(dimension == known for known, _ in WORDS["units"].values())


@lru_cache(maxsize=8_192)
def read_value(text: str, unit: str = "") -> Value | None:
    """Read a cell that begins with a number, range, date or time of day; ``unit`` applies if the cell has no unit."""
    text = text.strip()
    if fold(text) in _ENDLESS:
        return Value(math.inf, math.inf, *read_unit(unit))
    # Dates are compared by year.
    text = _DATE.sub(r"\1", text)
    if clock := re.fullmatch(r"(\d{1,2}):(\d\d)(?:\s?h)?", text):
        minutes = 60.0 * int(clock[1]) + int(clock[2])
        return Value(minutes, minutes, "clock")
    quantities = find_quantities(text)
    start = re.match(_BEFORE, text, re.IGNORECASE)
    if not quantities or start is None or quantities[0].span.start != start.end():
        return None
    numbers, units = [quantities[0].number], [written_unit(text, 0)]
    if len(quantities) > 1 and re.fullmatch(
        r"\s*(?:[-–—]|\.\.+|…|to)\s*", text[quantities[0].span.end : quantities[1].span.start]
    ):
        numbers.append(quantities[1].number)
        units.append(written_unit(text, 1))
    dimension, factor = read_unit(next((each for each in reversed(units) if each), "") or unit)
    first = read_unit(units[0])[1] if units[0] and len(units) > 1 else factor
    low, high = float(numbers[0].lstrip("±")) * first, float(numbers[-1].lstrip("±")) * factor
    bound = (start["bound"] or "").casefold()
    if text.startswith("±"):
        low = -high
    elif (bound and bound[0] in "<≤um" and bound not in {"min", "min."}) or bound == "at most":
        low = -math.inf
    elif bound or re.match(r"\+|\s*(?:or more|and more|and up)", text[quantities[0].span.end :]):
        high = math.inf
    return Value(min(low, high), max(low, high), dimension, factor)


def written_unit(text: str, number: int) -> str:
    """Return the unit, as written, of quantity ``number`` (counted from 0) in ``text``, even if it is unknown."""
    quantity = find_quantities(text)[number]
    after = _AFTER.match(text, quantity.span.end)
    before = text[: quantity.span.start].rstrip()[-1:]
    return quantity.unit or (before if before in ("€", "$", "£") else "") or (after["unit"] if after else "")


def end_of(value: Value, sign: int) -> float:
    """Return the largest (``sign`` 1) or smallest number in a cell; for "<= 5", both are 5."""
    upper = value.low == -math.inf or (sign > 0 and (value.high < math.inf or value.low == math.inf))
    return value.high if upper else value.low
