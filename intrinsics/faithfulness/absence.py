"""Absence: numbers and codes of a claim that no passage holds, whatever anyone says of the claim."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from contracts.text import Passage
from contracts.verdicts import SentenceFaithfulness
from intrinsics.faithfulness.claims import CONTRADICTED_PROBABILITY
from intrinsics.faithfulness.numbers import Figure, figures, rival_figure, source_figures, unsupported_figures
from tools.evidence.matching import text_stems
from tools.evidence.passages import find_unmentioned
from tools.evidence.question import QuestionTerm, is_code, term_stem
from tools.evidence.units import evidence_units
from tools.language import fold, rarity

# Where an answer says on which page something stands, the number is none of the passage's.
_PLACE = re.compile(r"\b(?:pages?|slides?|passages?)\s+\d+(?:(?:\s*[,–-]\s*|\s+and\s+)\d+)*", re.IGNORECASE)
# Capitals on words more common than about seven in a million (WARNING, NOTE) are there for emphasis.
_CAPITALS_RARITY = 0.52
# A sentence is no more probably faithful than not.
_UNDECIDED = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Absence:
    """What of a claim stands in no passage, heading or title, and a ``reason`` in words for people ("" where all does).

    ``figures`` are numbers with their units, ``codes`` names of digits and letters or of capitals. ``of_question`` says
    that the question brought all of them up itself, the numbers without a unit.
    """

    figures: tuple[Figure, ...]
    codes: tuple[str, ...]
    of_question: bool
    reason: str

    def __bool__(self) -> bool:
        """Say whether anything is absent."""
        return bool(self.figures or self.codes)


def find_absent(claim: str, question: str, passages: Sequence[Passage]) -> Absence:
    """Say which numbers and codes of ``claim`` stand in none of ``passages``.

    A number agrees with one of the same value and a unit of the same size, or where either has no unit; one in words
    ("two") is the same. An abbreviation is held where its words are spelt out, a code by near spellings too.
    """
    said = _PLACE.sub(" ", claim)
    units = evidence_units(passages)
    headings = [" \n".join((each.document_title, *each.chunk.heading_path)) for each in passages]
    held = [figure for text in (*(unit.reading for unit in units), *headings) for figure in source_figures(text)]
    missing = unsupported_figures(figures(said), held)
    absent = [term for term in find_unmentioned(said, passages) if _is_code(term)]
    codes = tuple(said[term.start : term.end] for term in absent)
    asked_figures = {figure.value for figure in figures(question) if not figure.unit}
    asked_stems = text_stems(question)
    # The number of "P-900" is no figure to be told of beside the code.
    alone = [each for each in missing if not any(each.value in code for code in codes)]
    reason = f"No passage mentions {' or '.join(codes)}." if codes else ""
    return Absence(
        figures=missing,
        codes=codes,
        of_question=all(not each.unit and each.value in asked_figures for each in missing)
        and all(term_stem(each.text) in asked_stems for each in absent),
        reason=_figure_reason(said, alone[0], [unit.reading for unit in units]) if alone else reason,
    )


def overrule(verdict: SentenceFaithfulness, absence: Absence) -> SentenceFaithfulness:
    """Return a model's verdict on a claim, or what code makes of it where something of the claim is absent.

    Then the claim is unfaithful whatever its label; where the question brought up all that is absent, at most partial.
    """
    if absence and not absence.of_question:
        probability = min(verdict.probability, CONTRADICTED_PROBABILITY)
        return SentenceFaithfulness(label="unfaithful", probability=probability, reason=absence.reason)
    if absence and verdict.label == "faithful":
        probability = min(verdict.probability, _UNDECIDED)
        return SentenceFaithfulness(label="partial", probability=probability, reason=absence.reason)
    return verdict


def _is_code(term: QuestionTerm) -> bool:
    named = term.literal and any(letter.isalpha() for letter in term.text)
    return named and (is_code(term.text) or rarity(fold(term.text)) >= _CAPITALS_RARITY)


def _figure_reason(claim: str, figure: Figure, sources: Sequence[str]) -> str:
    """Say what the source nearest to ``claim`` has in the place of ``figure``, where it is about the same."""
    wanted = text_stems(claim)
    nearest = max(sources, key=lambda text: len(wanted & text_stems(text)), default="")
    if 2 * len(wanted & text_stems(nearest)) >= len(wanted):
        rival = rival_figure(figure, source_figures(nearest), figures(claim))
        if rival is not None:
            return f"The passages say {rival.text}, not {figure.text}."
    return f"No passage mentions {figure.text}."
