"""Numbers and dates of workbooks as text, with the signs and decimals that their number format shows."""

import datetime
import re

_IN_COLOUR_OR_PADDING = re.compile(r"\[\$([^\]-]*)[^\]]*\]|\[[^\]]*\]|[_*].")
_QUOTED = re.compile(r'"([^"]*)"|\\(.)')
_DIGITS = re.compile(r"([^0#?]*)([0#?][0#?,.]*|\.[0#?]+)([^0#?]*)")


def shown_number(value: float, code: str) -> str:
    """Write a number with the decimals, thousands, percent sign, currency or unit of the format ``code``.

    Other formats (powers, fractions, words alone) leave the number as it is.
    """
    section = _IN_COLOUR_OR_PADDING.sub(r"\1", code.split(";")[0])
    parts = _DIGITS.fullmatch(_QUOTED.sub(r"\1\2", section))
    if parts is None or "/" in parts[3] or re.search(r"E[+-]|[eE]$", section) or parts[2].endswith(","):
        return str(value) if isinstance(value, int) else f"{value:.12g}"
    whole, _, decimals = parts[2].partition(".")
    scaled = value * 100 ** section.count("%")
    text = f"{abs(scaled):{',' if ',' in whole else ''}.{len(decimals)}f}"
    optional = len(decimals) - decimals.count("0")
    while optional and text.endswith("0"):
        text, optional = text[:-1], optional - 1
    text = text.removesuffix(".").rjust(whole.count("0"), "0")
    sign = "-" if scaled < 0 and text.strip("0,.") else ""
    return f"{sign}{parts[1]}{text}{parts[3]}".strip()


def shown_date(value: datetime.datetime | datetime.date | datetime.time) -> str:
    """Write a date or time in ISO's order, which nobody misreads; a date at midnight has no time."""
    if isinstance(value, datetime.datetime):
        return value.date().isoformat() if value.time() == datetime.time() else value.isoformat(sep=" ")
    return value.isoformat()
