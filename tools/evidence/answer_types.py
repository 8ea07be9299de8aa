"""Answer types: what kind of thing a question asks for, and whether a text holds a candidate of that kind."""

import re
import tomllib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal

from tools.language import find_quantities, fold

AnswerType = Literal["quantity", "date", "person", "place", "reason", "procedure", "definition", "yes_no", "thing"]

_LEADING = re.compile(r"^(?:and|so|but|then|also|please|ok|okay|well|hi|hello|hey)[\s,]+", re.IGNORECASE)
_QUANTITY = re.compile(
    r"\bhow (?:many|much|long|fast|slow|large|big|high|low|far|deep|wide|tall|heavy|hot|cold|often|old|thick|small)\b|"
    r"\b(?:what|which)(?:'s| is| are| was| were)?(?: the| its| a| an)?(?: \w+){0,3}? "
    r"(?:voltages?|frequenc(?:y|ies)|speeds?|sizes?|capacit(?:y|ies)|temperatures?|rates?|lengths?|durations?|"
    r"prices?|costs?|numbers?|amounts?|percent(?:age)?s?|currents?|power|latenc(?:y|ies)|widths?|heights?|weights?|"
    r"times?|pitch|bandwidths?|throughput|limits?|maximum|minimum|quota|quotas|ratio|density|population|area|"
    r"distance|score|level|thickness|resolution|interval|timeout|period|count|total|value|range)\b",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"\bwhen\b|\b(?:what|which|in what|in which) (?:year|date|day|month|century|decade|quarter)\b", re.IGNORECASE
)
_PERSON = re.compile(r"\b(?:who|whom|whose)\b|\bwhich (?:person|engineer|manager|author|team)\b", re.IGNORECASE)
_PLACE = re.compile(r"\bwhere\b|\b(?:what|which) (?:city|country|place|location|site|state|region)\b", re.IGNORECASE)
_REASON = re.compile(r"\bwhy\b|\bwhat (?:is the |are the )?(?:reasons?|causes?|purpose)\b|\bhow come\b", re.IGNORECASE)
_PROCEDURE = re.compile(
    r"\bhow (?:do|does|did|can|could|should|would|to|is|are|will)\b|\bwhat (?:are the )?steps\b|\bwhat should\b",
    re.IGNORECASE,
)
_DEFINITION = re.compile(
    r"^what(?:'s| is| are)(?: a| an| the)? [\w#/.-]+(?: [\w#/.-]+){0,2}\s*\??$|\bstands? for\b|\bmeaning of\b|"
    r"\bdefin(?:e|ition)\b|\bwhat does\b.{1,60}\bmean\b",
    re.IGNORECASE,
)
_YES_NO = re.compile(
    r"^(?:is|are|was|were|do|does|did|can|could|should|would|will|has|have|had|may|must|am)\b", re.IGNORECASE
)

_DIMENSIONS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_ASKED = {name: re.compile(each["asked"], re.IGNORECASE) for name, each in _DIMENSIONS.items()}

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DATE_CANDIDATE = re.compile(
    rf"\b(?:1\d|20)\d\d\b|\b{_MONTH}\b\.? \d|\d{{1,2}}[./-]\d{{1,2}}[./-]\d{{2,4}}|\b\d\d(?:st|nd|rd|th) century\b|"
    r"\b(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b|\b(?:after|before|once|until|during|whenever)\b",
    re.IGNORECASE,
)
_NAME_CANDIDATE = re.compile(r"(?<![.!?:] )(?<!^)\b[A-Z][\w'’-]+")
_ROLE_CANDIDATE = re.compile(
    r"\b(?:engineer|manager|team|owner|lead|administrator|user|department|operator|director|author|vendor|host|"
    r"controller|customer|supplier|president|king|company|group)s?\b",
    re.IGNORECASE,
)
_PLACE_CANDIDATE = re.compile(
    r"\b(?:in|at|on|under|near|from|inside|above|below|behind|within|located)\b", re.IGNORECASE
)
_REASON_CANDIDATE = re.compile(
    r"\b(?:because|due to|since|so that|in order to|as a result|therefore|thus|caused?|reasons?|leads? to|prevents?|"
    r"avoids?|reduces?|to \w+|owing to|results? (?:in|from)|for this)\b",
    re.IGNORECASE,
)
_PROCEDURE_CANDIDATE = re.compile(
    r"\b(?:first|then|next|finally|step|by \w+ing|use|using|select|click|choose|run|set|open|enter|must|should|can|"
    r"follow|create|add|call|through|via|when)\b",
    re.IGNORECASE,
)
_DEFINITION_CANDIDATE = re.compile(
    r"\b(?:is|are|was|were) (?:a|an|the|one|used|called)\b|\b(?:stands?|short) for\b|\bmeans?\b|\brefers? to\b|"
    r"\bdefined as\b|\bknown as\b|\bdenotes?\b|\bis (?:when|where|how|what)\b|\([A-Z]{2,}[\w-]*\)|\s[–—:=]\s|\|",
)
_MONEY = re.compile(r"[$€£¥]\s?\d|\d\s?(?:[$€£¥]|USD|EUR|GBP|dollars?|euros?|cents?|pounds?)", re.IGNORECASE)
_NUMBER_WORD = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|million|billion|half|"
    r"single|double|twice|once)\b",
    re.IGNORECASE,
)


def answer_type(question: str) -> AnswerType:
    """Say what kind of thing ``question`` asks for; ``thing`` where its form does not tell."""
    text = _LEADING.sub("", question.strip().strip("\"'“”"))
    for kind, pattern in (
        ("date", _DATE), ("reason", _REASON), ("definition", _DEFINITION), ("quantity", _QUANTITY),
        ("person", _PERSON), ("place", _PLACE), ("procedure", _PROCEDURE), ("yes_no", _YES_NO),
    ):  # fmt: skip
        if pattern.search(text):
            return kind  # type: ignore[return-value]
    return "thing"


def asked_dimensions(question: str) -> frozenset[str]:
    """Name the physical dimensions that ``question`` asks for ("how long" asks for time); empty where it names none."""
    return frozenset(name for name, pattern in _ASKED.items() if pattern.search(question))


# There are few units, and every number of a passage has one.
@lru_cache(maxsize=1_024)
def unit_dimensions(unit: str) -> frozenset[str]:
    """Name the dimensions that ``unit`` ("ns", "MB/s") can measure; empty for a bare number."""
    return frozenset(name for name, each in _DIMENSIONS.items() if unit and re.search(each["units"], unit))


def candidate_strengths(
    kind: AnswerType, dimensions: frozenset[str], question: str, texts: Sequence[str]
) -> list[float]:
    """Say how well each of ``texts`` offers a candidate of ``kind`` that ``question`` does not itself hold, in [0, 1].

    0.5 where the kind leaves no trace in a text (``thing``, ``yes_no``).
    """
    asked = fold(question)
    if kind == "quantity":
        numbers = {quantity.number for quantity in find_quantities(question)}
        return [_quantity_strength(dimensions, numbers, text) for text in texts]
    if kind == "date":
        return [_new_match(_DATE_CANDIDATE, asked, text) for text in texts]
    if kind == "person":
        return [
            max(_new_match(_NAME_CANDIDATE, asked, text), 0.7 * bool(_ROLE_CANDIDATE.search(text))) for text in texts
        ]
    if kind == "place":
        return [
            max(_new_match(_NAME_CANDIDATE, asked, text), 0.6 * bool(_PLACE_CANDIDATE.search(text))) for text in texts
        ]
    patterns = {"reason": _REASON_CANDIDATE, "procedure": _PROCEDURE_CANDIDATE, "definition": _DEFINITION_CANDIDATE}
    if kind in patterns:
        return [float(bool(patterns[kind].search(text))) for text in texts]
    return [0.5] * len(texts)


def _quantity_strength(dimensions: frozenset[str], asked: set[str], text: str) -> float:
    found = [quantity for quantity in find_quantities(text) if quantity.number not in asked]
    if "money" in dimensions and _MONEY.search(text):
        return 1.0
    if not found:
        return 0.5 if _NUMBER_WORD.search(text) else 0.0
    if not dimensions:
        return 1.0
    if any(unit_dimensions(quantity.unit) & dimensions for quantity in found):
        return 1.0
    # A bare number may stand under a header that names the unit; a number with another unit is weaker evidence.
    return 0.7 if any(not quantity.unit for quantity in found) else 0.4


def _new_match(pattern: re.Pattern[str], asked: str, text: str) -> float:
    return 1.0 if any(fold(match.group()) not in asked for match in pattern.finditer(text)) else 0.0
