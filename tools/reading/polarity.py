"""Polarity: whether a statement says yes or no to a question, where it clearly says either."""

import re
from typing import Literal

from tools.language import Quantity, find_quantities, fold
from tools.reading.concepts import Concept, read_words
from tools.reading.features import QuestionView, conflict
from tools.reading.statements import Statement, leads_in

Polarity = Literal["yes", "no"]

# The share of the question's weight that a statement must hold before it decides: below it, it is about something else.
_DECISIVE = 0.85
_ABOUT = 0.25
_NEGATION = re.compile(
    r"\b(?:not|no|never|cannot|neither|nor|none|prohibited|forbidden|disallowed|lacks?|without|fails? to)\b|n['’]t\b",
    re.I,
)
_OPEN = re.compile(
    r"\b(?:unless|except|only|if|may|might|depends?|depending|sometimes|usually|some|optional(?:ly)?|recommend\w*)\b",
    re.I,
)
_CLAUSE = re.compile(r"[;:—–]|,\s+(?:but|although|though|however|whereas|while|and|or|because|since)\b|\bbut\b")
_YES_CELL = frozenset({"yes", "y", "true", "supported", "available", "enabled", "x", "✓", "✔", "●", "ok"})
_NO_CELL = frozenset(
    {"no", "n", "false", "not supported", "unsupported", "not available", "disabled", "-", "–", "—", "✗", "✘", "n/a"}
)
# A cell that says yes or no says it of being supported, offered, allowed alike.
_SUPPORT_WORDS = (
    "support", "supported", "available", "offer", "have", "include", "provide", "allow", "possible", "enable", "use",
    "implement", "exist", "work", "able", "require", "need",
)  # fmt: skip
_OPPOSITES = ("un", "non", "in", "dis", "im", "non-")


def decide(view: QuestionView, statement: Statement) -> Polarity | None:
    """Say whether ``statement`` answers the yes-or-no question with yes or no; None where that is not clear.

    Clear means: it holds (nearly) all that the question mentions, attaches no condition that the question lacks, and
    any number of the question is either there or contradicted by another one of the same unit.
    """
    if view.shape.negated or conflict(view, statement):
        return None
    if statement.record is not None:
        cell = _decided_cell(view, statement)
        if cell is not None:
            return cell
    lead = statement.before if statement.kind == "item" and leads_in(statement.before) else ""
    text = f"{lead} {statement.text}" if lead else _clause(view, statement.text)
    covered, flipped = _coverage(view, f"{statement.place} {statement.before} {text}")
    numbers = _numbers_agree(view.shape.text, text)
    if covered < _DECISIVE or (numbers is None and _asked_quantities(view)):
        return None
    if len(view.words.order) < _ABOUT * len(read_words(text).order):
        # A long sentence that also holds the few words of a question is about something else.
        return None
    if _OPEN.search(statement.text if lead else text) and not _OPEN.search(view.shape.text):
        return None
    if numbers is False:
        return "no"
    return "no" if bool(_NEGATION.search(text)) != flipped else "yes"


def _clause(view: QuestionView, text: str) -> str:
    """Return the clause that holds most of the question, or the whole text where no clause holds nearly all of it."""
    clauses = [clause for clause in _CLAUSE.split(text) if clause.strip()]
    if len(clauses) < 2:
        return text
    whole = _coverage(view, text)[0]
    best = max(clauses, key=lambda clause: _coverage(view, clause)[0])
    return best if _coverage(view, best)[0] >= 0.95 * whole else text


def _coverage(view: QuestionView, text: str) -> tuple[float, bool]:
    """Return the share of the question in ``text``, opposites ("unsupported") counted in, and whether one was used.

    Quantities do not count here: they agree or contradict.
    """
    words = read_words(text)
    total = found = 0.0
    flipped = False
    asked = _asked_quantities(view)
    for concept in view.concepts:
        if any(each.span.start <= concept.span.start < each.span.end for each in asked):
            continue
        presence = concept.presence(words)
        if presence < 1.0 and _opposite(concept, words.stems):
            presence, flipped = 1.0, not flipped
        total += concept.weight
        found += concept.weight * presence
    return (found / total if total else 0.0), flipped


def _opposite(concept: Concept, stems: frozenset[str]) -> bool:
    return any(
        prefix + spelling[0] in stems for spelling in concept.spellings if len(spelling) == 1 for prefix in _OPPOSITES
    )


def _numbers_agree(question: str, text: str) -> bool | None:
    """True: every number of the question stands in the text; False: another of the same unit does; None: neither."""
    asked = _with_unit(question)
    if not asked:
        return None
    there = find_quantities(text)
    if all(any(each.number == other.number and each.unit == other.unit for other in there) for each in asked):
        return True
    clash = any(
        each.unit == other.unit and each.number != other.number for each in asked for other in there if other.unit
    )
    return False if clash else None


def _with_unit(text: str) -> list[Quantity]:
    return [each for each in find_quantities(text) if each.unit]


def _asked_quantities(view: QuestionView) -> list[Quantity]:
    return _with_unit(view.shape.text)


def _decided_cell(view: QuestionView, statement: Statement) -> Polarity | None:
    record = statement.record
    assert record is not None
    for column, cell in enumerate(record.cells):
        folded = fold(cell).rstrip(".")
        if folded not in _YES_CELL and folded not in _NO_CELL:
            continue
        name = record.name_of(column)
        there = f"{statement.place} {statement.before} {name} {record.key_text} {' '.join(_SUPPORT_WORDS)}"
        if name and _coverage(view, there)[0] >= _DECISIVE:
            return "yes" if folded in _YES_CELL else "no"
    return None
