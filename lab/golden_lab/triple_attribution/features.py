"""The evidence for and against a candidate as the source of a claim."""

import re
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from golden_lab.triples.triple import Triple
from tools.language import content_stems, find_quantities, fold, rarity

FEATURES = (
    "cosine",
    "subject_cosine",
    "object_cosine",
    "object_covered",
    "claim_covered",
    "number_missing",
    "number_conflict",
    "negation_differs",
    "weaker_modality",
)
# The allowed sign of each weight: more of the feature supports a candidate (1) or contradicts it (-1).
SIGNS = {
    "cosine": 1, "subject_cosine": 1, "object_cosine": 1, "object_covered": 1, "claim_covered": 1,
    "number_missing": -1, "number_conflict": -1, "negation_differs": -1, "weaker_modality": -1,
}  # fmt: skip
# A claim is denied if all of its numbers differ, or if only one side is negated while most words are the same.
_DENIED_NUMBERS, _DENIED_WORDS = 0.99, 0.6
_SIGN = re.compile(r"[≥≤<>=](?=\s|$)")
_NEGATIVE = re.compile(
    r"\b(?:not|no|never|cannot|neither|nor|none|without|prohibited|forbidden|disallowed|banned|refused|rejects?|lacks?)\b|"
    r"n['’]t\b",
    re.IGNORECASE,
)
_WITHIN = re.compile(r"\bwithin\s+\d", re.IGNORECASE)
_MAYBE = re.compile(r"^(?:may|might|can|could|should|optionally)\b", re.IGNORECASE)
_SURE = re.compile(r"^(?:shall|must|will|is|has|does)\b", re.IGNORECASE)
_SPELLED = {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905
    )
}
_SPELLED_FORM = re.compile(rf"\b({'|'.join(_SPELLED)})(?=\s+[a-z])", re.IGNORECASE)
# Different spellings of the same unit.
_UNITS = {
    "second": "s", "seconds": "s", "minute": "min", "minutes": "min", "hour": "h", "hours": "h", "days": "day",
    "weeks": "week", "months": "month", "years": "year", "volts": "V", "volt": "V",
}  # fmt: skip
_SECONDS = {"ms": 0.001, "s": 1.0, "min": 60.0, "h": 3_600.0, "day": 86_400.0, "week": 604_800.0}


@dataclass(frozen=True, slots=True)
class _Amount:
    value: float
    unit: str
    sign: str


def feature_row(claim: Triple, candidate: Triple, cosines: tuple[float, float, float]) -> NDArray[np.float64]:
    """Return the features of a candidate for a claim in the order of ``FEATURES``.

    ``cosines`` are those of the whole triples, of their subjects and of their objects.
    """
    missing, conflicting = _numbers(claim, candidate)
    negation = bool(_NEGATIVE.search(_relation(claim))) != bool(_NEGATIVE.search(_relation(candidate)))
    weaker = bool(_MAYBE.match(candidate.predicate)) and bool(_SURE.match(claim.predicate))
    return np.array(
        [
            *cosines,
            _covered(claim.object, candidate.text),
            _covered(claim.text, candidate.text),
            missing,
            conflicting,
            float(negation) * _covered(claim.text, candidate.text),
            float(weaker),
        ]
    )


def contradicts(row: NDArray[np.float64]) -> bool:
    """Return whether a candidate with these features denies the claim: different numbers, or "not" on one side only."""
    named = dict(zip(FEATURES, row.tolist(), strict=True))
    return bool(named["number_conflict"] >= _DENIED_NUMBERS or named["negation_differs"] >= _DENIED_WORDS)


def _relation(triple: Triple) -> str:
    return f"{triple.predicate} {triple.object}"


def _covered(text: str, other: str) -> float:
    """Return the share of the words of ``text`` that occur in ``other``; rare words count more."""
    weights = {stem: 0.2 + rarity(stem) for stem in _stems(text)}
    total = sum(weights.values())
    there = frozenset(_stems(other))
    return sum(weight for stem, weight in weights.items() if stem in there) / total if total else 0.0


@lru_cache(maxsize=16_384)
def _stems(text: str) -> tuple[str, ...]:
    return content_stems(_spelled_out(_SIGN.sub(" ", text)))


def _spelled_out(text: str) -> str:
    return _SPELLED_FORM.sub(lambda match: _SPELLED[match.group().casefold()], text)


@lru_cache(maxsize=16_384)
def _amounts(predicate: str, text: str) -> tuple[_Amount, ...]:
    sign = _SIGN.search(predicate)
    within = bool(_WITHIN.search(f"{predicate} {text}"))
    spelled = _spelled_out(text)
    found = []
    for each in find_quantities(spelled):
        try:
            value = float(each.number.lstrip("±"))
        except ValueError:
            continue
        unit = _UNITS.get(each.unit, each.unit) or _word_behind(spelled, each.span.end)
        unit = _UNITS.get(unit, unit)
        limit = "≤" if within and unit in _SECONDS else "="
        found.append(_Amount(value, unit, sign.group() if sign else limit))
    return tuple(found)


def _word_behind(text: str, at: int) -> str:
    match = re.match(r"\s+([^\W\d_]+)", text[at:])
    return fold(match.group(1)) if match else ""


def _numbers(claim: Triple, candidate: Triple) -> tuple[float, float]:
    """Return the share of the claim's numbers that the candidate does not mention, and the share it contradicts."""
    asked = _amounts(claim.predicate, claim.object)
    if not asked:
        return 0.0, 0.0
    there = _amounts(candidate.predicate, candidate.object)
    met = [any(_entails(other, each) for other in there) for each in asked]
    against = [
        not hit and any(_same_unit(other, each) for other in there) for hit, each in zip(met, asked, strict=True)
    ]
    open_ = [not hit and not clash for hit, clash in zip(met, against, strict=True)]
    return sum(open_) / len(asked), sum(against) / len(asked)


def _same_unit(first: _Amount, second: _Amount) -> bool:
    return first.unit == second.unit or (first.unit in _SECONDS and second.unit in _SECONDS) or not second.unit


def _entails(known: _Amount, claimed: _Amount) -> bool:
    """Return whether the known amount makes the claimed one true: 42 min makes "≥ 40 min" true, but not vice versa."""
    if not _same_unit(known, claimed):
        return False
    factor = _SECONDS.get(known.unit, 1.0) / _SECONDS.get(claimed.unit, 1.0) if known.unit in _SECONDS else 1.0
    value = known.value * factor
    if known.sign == claimed.sign and known.sign in {"≥", "≤"}:
        # Both state the limit itself: "up to 50 Nm" is not "up to 100 Nm", although it is within that.
        return value == claimed.value
    if claimed.sign in {"≥", ">"}:
        strict = claimed.sign == ">" and known.sign != ">"
        return known.sign in {"=", "≥", ">"} and (value > claimed.value or (value == claimed.value and not strict))
    if claimed.sign in {"≤", "<"}:
        strict = claimed.sign == "<" and known.sign != "<"
        return known.sign in {"=", "≤", "<"} and (value < claimed.value or (value == claimed.value and not strict))
    # "delivers up to 3 A" is often paraphrased as "delivers 3 A".
    return value == claimed.value
