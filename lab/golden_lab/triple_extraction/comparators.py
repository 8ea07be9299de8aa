"""Comparators: "at least", "up to", ">=" as one sign each, and numbers set apart from their units."""

import re

# Longest wordings first. "more than" and "over" are strict, "up to" and "at most" are not.
# Source: predicate rules of TRIFEX, appendix C.1, figure 9 (comparators belong to the predicate).
_WORDINGS: tuple[tuple[str, str], ...] = (
    (
        r"greater than or equal to|no(?:t)? less than|no(?:t)? lower than|no(?:t)? fewer than",
        "≥",
    ),
    (r"less than or equal to|no more than|not more than|no greater than|not greater than|no higher than", "≤"),
    (r"not below|not under", "≥"),
    (r"not above|not over|not exceeding", "≤"),
    (r"at least|at minimum|(?:a )?minimum of|not under|>=|=>|≥", "≥"),
    (r"at most|at maximum|up to|(?:a )?maximum of|as (?:high|much|many|long) as|<=|=<|≤", "≤"),
    (r"greater than|more than|higher than|larger than|longer than|in excess of|above|over|exceeding|>", ">"),
    (r"less than|lower than|fewer than|smaller than|shorter than|below|under|<", "<"),
    (r"equal to|exactly|=", "="),
)
_NUMBER = r"(?:[-+±~$€£]?\s?\d|(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|half)\b)"
_PLACES = tuple(
    (re.compile(rf"(?<![\w≥≤<>=])(?:{words})\s*(?=(?:the |an? )?{_NUMBER})", re.IGNORECASE), sign)
    for words, sign in _WORDINGS
)
_TAILS = tuple((re.compile(rf"(?:^|\s)(?:{words})\s*$", re.IGNORECASE), sign) for words, sign in _WORDINGS)
_BEHIND = re.compile(
    rf"^(?P<value>{_NUMBER}[^,;]*?)\s+or\s+(?P<word>more|above|higher|longer|less|fewer|below|lower)\b", re.I
)
_UNITS = (
    r"[kKMGTPµμnpfm]?(?:V(?:DC|AC|pp|rms)?|A(?:h)?|W(?:h)?|Hz|Ω|F|J|H|s|m|g|b|B|T|bit|bits|byte|bytes|bps|SPS|Pa|Ohm|ohm)"
    r"(?:ps|/s)?|[kMGT]i?B(?:/s)?|[MG]T/s|°\s?[CF]|K|dB(?:m|c|i|FS)?|ppm|rpm|min|h|hours?|days?|inch|in|dpi|px|bar|psi|lm|lx|kgf?|Nm|VA|kVA"
)
_JOINED = re.compile(rf"(?<![\w.,-])(?P<number>[-+±]?\d+(?:[.,]\d+)*)(?P<unit>{_UNITS})(?![\w])(?<!\d0s)")
_DASH_RANGE = re.compile(r"(?<![\w.-])(?P<low>\d+(?:\.\d+)?)\s?[–—]\s?(?P<high>\d+(?:\.\d+)?)")
_HYPHEN_RANGE = re.compile(
    rf"(?<![\w.-])(?P<low>\d+(?:\.\d+)?)\s?-\s?(?P<high>\d+(?:\.\d+)?)(?=\s?(?:{_UNITS}|%)(?!\w))"
)
SIGNS = ("≥", "≤", ">", "<", "=")


def comparator_of(predicate: str) -> str:
    """Return the sign that a predicate in normal form ends with, "" for none."""
    return predicate[-1] if predicate.endswith(SIGNS) else ""


def take_comparator(text: str) -> tuple[str, str]:
    """Take the first comparator that stands before a number out of ``text``: the sign ("" for none) and the rest."""
    behind = _BEHIND.match(text)
    if behind:
        sign = "≥" if behind["word"].casefold() in {"more", "above", "higher", "longer"} else "≤"
        return sign, f"{behind['value']}{text[behind.end() :]}".strip()
    found = [(match, sign, order) for order, (form, sign) in enumerate(_PLACES) for match in form.finditer(text)]
    if not found:
        return "", text
    match, sign, _ = min(found, key=lambda each: (each[0].start(), each[2]))
    return sign, " ".join(f"{text[: match.start()]} {text[match.end() :]}".split())


def take_tail_comparator(text: str) -> tuple[str, str]:
    """Take a comparator off the end of a predicate: the sign ("" for none) and the rest."""
    for form, sign in _TAILS:
        match = form.search(text)
        if match:
            return sign, text[: match.start()].strip()
    return "", text


def space_units(text: str) -> str:
    """Write number, space, unit ("4.72V" makes "4.72 V"), "%" joined to its number, and a range of numbers with "to".

    The digits stay as they were written.
    """
    text = _HYPHEN_RANGE.sub(r"\g<low> to \g<high>", _DASH_RANGE.sub(r"\g<low> to \g<high>", text))
    text = _JOINED.sub(r"\g<number> \g<unit>", text)
    return re.sub(r"(?<=\d)\s+%", "%", text)
