"""Numbers and dates of workbooks, written as their number format shows them."""

import datetime
import re
from dataclasses import dataclass
from functools import lru_cache

# Excel shows these in the order of the reader's country: written the one way that nobody misreads.
_LOCAL_FORMATS = frozenset(("mm-dd-yy", "m/d/yy", "m/d/yy h:mm", "m/d/yyyy", "m/d/yyyy h:mm", "general", "@", ""))
_LOCAL_CODES = re.compile(r"\[\$-(?:[fF](?:800|400)|x-sys\w+)\]")
_TOKENS = re.compile(r'"([^"]*)"|\\(.)|_.|\*.|\[\$([^\]-]*)[^\]]*\]|\[[^\]]*\]|([0#?][0#?,.]*|\.[0#?]+)|(.)', re.DOTALL)
_DATE_TOKENS = re.compile(
    r'"([^"]*)"|\\(.)|_.|\*.|\[(h+|m+|s+)\]|\[[^\]]*\]|(AM/PM|am/pm|A/P)|(y+|m+|d+|h+|s+)(?:\.0+)?|(.)',
    re.IGNORECASE | re.DOTALL,
)
_SECTIONS = re.compile(r'(?:"[^"]*"|\\.|\[[^\]]*\]|[^;])+|(?<=;)(?=;|$)')
_MONTHS = "January February March April May June July August September October November December".split()  # noqa: SIM905
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()  # noqa: SIM905


@dataclass(frozen=True, slots=True)
class _Pattern:
    """One section of a number format: what stands before and after the digits, and how they are written."""

    before: str
    after: str
    least_digits: int
    least_decimals: int
    most_decimals: int
    grouped: bool
    thousands: int
    percents: int


def shown_number(value: float, code: str) -> str:
    """Write a number as a workbook shows it under the format ``code``, with a point for decimals."""
    if code.strip().lower() in ("general", "@", ""):
        return _general(value)
    sections = _SECTIONS.findall(code)[:3]
    section, written = sections[0] if sections else "", value
    if value < 0 and len(sections) > 1:
        section, written = sections[1], -value
    elif value == 0 and len(sections) > 2:
        section = sections[2]
    pattern = _pattern_of(section)
    if pattern is None:
        return _general(value)
    scaled = written * 100**pattern.percents / 1000**pattern.thousands
    if abs(scaled) >= 1e15:
        return _general(value)
    text = f"{abs(scaled):{',' if pattern.grouped else ''}.{pattern.most_decimals}f}"
    whole, point, decimals = text.partition(".")
    while len(decimals) > pattern.least_decimals and decimals.endswith("0"):
        decimals = decimals[:-1]
    if scaled == 0 and pattern.least_digits == 0 and not decimals:
        # "-"?? is how accounts write nothing.
        return f"{pattern.before}{pattern.after}".strip() or "0"
    whole = whole.rjust(pattern.least_digits, "0")
    digits = whole + (point + decimals if decimals else "")
    sign = "-" if scaled < 0 and any(each in "123456789" for each in digits) else ""
    return f"{sign}{pattern.before}{digits}{pattern.after}".strip()


def shown_date(value: datetime.datetime | datetime.date | datetime.time, code: str) -> str:
    """Write a date or time as a workbook shows it; where that depends on the reader's country, in ISO's order."""
    if code.lower() in _LOCAL_FORMATS or _LOCAL_CODES.search(code):
        return _iso(value)
    moment = value
    if isinstance(value, datetime.time):
        moment = datetime.datetime.combine(datetime.date(1900, 1, 1), value)
    elif not isinstance(value, datetime.datetime):
        moment = datetime.datetime.combine(value, datetime.time())
    assert isinstance(moment, datetime.datetime)
    sections = _SECTIONS.findall(code)
    tokens = [each.groups() for each in _DATE_TOKENS.finditer(sections[0])] if sections else []
    if not any(token[4] or token[2] for token in tokens):
        return _iso(value)
    twelve = any(token[3] for token in tokens)
    units = [(token[4] or token[2] or "").lower() for token in tokens]
    parts = []
    for index, (quoted, escaped, _elapsed, half, _unit, other) in enumerate(tokens):
        if units[index]:
            parts.append(_unit_text(moment, units, index, twelve))
        elif half:
            parts.append("AM" if moment.hour < 12 else "PM")
        else:
            parts.append(quoted or escaped or other or "")
    return " ".join("".join(parts).split())


def shown_span(value: datetime.timedelta) -> str:
    """Write a span of time as hours, minutes and seconds."""
    seconds = round(abs(value.total_seconds()))
    sign = "-" if value.total_seconds() < 0 else ""
    text = f"{sign}{seconds // 3600}:{seconds // 60 % 60:02d}"
    return f"{text}:{seconds % 60:02d}" if seconds % 60 else text


def _iso(value: datetime.datetime | datetime.date | datetime.time) -> str:
    if isinstance(value, datetime.datetime):
        return value.date().isoformat() if value.time() == datetime.time() else value.isoformat(sep=" ")
    return value.isoformat()


def _general(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.12g}"


@lru_cache(maxsize=512)
def _pattern_of(section: str) -> _Pattern | None:
    """Read a section of a format; None for those that are not a plain number (fractions, powers, words alone)."""
    before, after, digits, percents = "", "", "", 0
    for quoted, escaped, currency, places, other in _TOKENS.findall(section):
        text = quoted or escaped or currency or other
        if places:
            if digits:
                return None
            digits = places
            continue
        if other in ("/", "E", "e", "@"):
            return None
        percents += other == "%"
        if digits:
            after += text
        else:
            before += text
    if not digits:
        return None
    stripped = digits.rstrip(",")
    whole, _, decimals = stripped.partition(".")
    return _Pattern(
        before=before,
        after=after,
        least_digits=whole.count("0"),
        least_decimals=decimals.count("0"),
        most_decimals=len(decimals.replace(",", "")),
        grouped="," in whole,
        thousands=len(digits) - len(stripped),
        percents=percents,
    )


def _unit_text(moment: datetime.datetime, units: list[str], index: int, twelve: bool) -> str:
    unit = units[index]
    letter, width = unit[0], len(unit)
    if letter == "m":
        before = next((each for each in reversed(units[:index]) if each), "")
        after = next((each for each in units[index + 1 :] if each), "")
        # The letter is shared: beside hours or seconds it counts minutes.
        if width <= 2 and (before.startswith("h") or after.startswith("s")):
            return str(moment.minute).rjust(width, "0")
        if width >= 3:
            name = _MONTHS[moment.month - 1]
            return name[:3] if width == 3 else name[:1] if width == 5 else name
        return str(moment.month).rjust(width, "0")
    if letter == "y":
        return str(moment.year) if width > 2 else f"{moment.year % 100:02d}"
    if letter == "d":
        if width >= 3:
            name = _DAYS[moment.weekday()]
            return name[:3] if width == 3 else name
        return str(moment.day).rjust(width, "0")
    number = moment.second if letter == "s" else ((moment.hour + 11) % 12 + 1 if twelve else moment.hour)
    return str(number).rjust(width, "0")
