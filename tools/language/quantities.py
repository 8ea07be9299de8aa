"""Quantities: numbers with their units, in a uniform notation."""

import re
from dataclasses import dataclass
from functools import lru_cache

from contracts.text import Span

_NUMBER = r"[-+±]?\d{1,3}(?:[,\u00a0\u202f ]\d{3})+(?:\.\d+)?|[-+±]?\d+(?:\.\d+)?"
_UNIT = (
    r"%|°\s?[CF]|[kKMGTPµμnpfm]?(?:V|A|W|Hz|Ω|F|J|s|m|b|B|T|bit|bits|byte|bytes)(?:ps|/s|/cell)?|[kMGT]?(?:i?B|bit)|"
    r"[GMk]?T/s|MBps|Mbps|Gbps|GBps|[GM]bit/s|min|minutes?|hours?|h|days?|weeks?|months?|years?|"
    r"volts?|cycles?|nm|um|µm|mm|cm|km|kg|g|ppm|dpi|pt|px"
)
# Small numbers in words.
NUMERALS = {
    "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
    "ten": "10", "eleven": "11", "twelve": "12", "thirteen": "13", "fourteen": "14", "fifteen": "15", "sixteen": "16",
    "seventeen": "17", "eighteen": "18", "nineteen": "19", "twenty": "20", "thirty": "30", "forty": "40",
    "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90", "hundred": "100",
    "thousand": "1000", "million": "1000000",
}  # fmt: skip
_QUANTITY = re.compile(rf"(?<![\w.])(?P<number>{_NUMBER})(?:\s?-?(?P<unit>{_UNIT})(?![A-Za-z0-9_]))?", re.UNICODE)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as text without separators ("1.8", "4000"), its unit ("V", or ""), and their span."""

    number: str
    unit: str
    span: Span


# The text of a passage is read several times for each question that finds it.
@lru_cache(maxsize=8_192)
def find_quantities(text: str) -> tuple[Quantity, ...]:
    """Find the numbers in ``text`` with their units; "1,000 MB/s" and "1000MB/s" give the same result."""
    found = []
    for match in _QUANTITY.finditer(text):
        number = re.sub(r"[,\s\u00a0\u202f]", "", match.group("number"))
        if "." in number:
            number = number.rstrip("0").rstrip(".")
        unit = re.sub(r"\s", "", match.group("unit") or "").replace("μ", "µ")
        found.append(Quantity(number, unit, Span(match.start(), match.end())))
    return tuple(found)
