"""Mentions: which of a question's terms passages say by their words. It takes no embedding model."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from contracts.jargon import Reading
from contracts.text import Passage
from tools.evidence.matching import Scores, TermMatcher, spelt_out, text_stems
from tools.evidence.question import QuestionProfile, QuestionTerm, is_code, profile_question
from tools.evidence.units import EvidenceUnit, evidence_units

# The most that a question may get which names a code that no passage mentions. The texts of the fits hold too few codes
# to weigh them: a question about DDR5 is not answered by passages that never name it, however near they come, and
# whoever judges. Such a question is declined.
_CODE_ABSENT = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class Mentions:
    """A question's terms in the words of its passages.

    Shapes: ``literal`` (terms, units) and ``headed`` (terms, passages) in [0, 1]: how surely a unit, and a passage's
    title and headings, say a term. ``bags`` (units) and ``heads`` (passages) are the stems that stand there.
    """

    literal: Scores
    headed: Scores
    bags: tuple[frozenset[str], ...]
    heads: tuple[frozenset[str], ...]


def read_mentions(profile: QuestionProfile, passages: Sequence[Passage], units: Sequence[EvidenceUnit]) -> Mentions:
    """Look for the terms of ``profile`` in ``units`` of ``passages`` and in what stands above them."""
    bags = tuple(text_stems(unit.reading) for unit in units)
    heads = tuple(text_stems(_heading(passage)) for passage in passages)
    matcher = TermMatcher(stem for bag in (*bags, *heads) for stem in bag)
    return Mentions(
        literal=np.maximum(
            matcher.strengths(profile.terms, bags), spelt_out(profile.terms, [unit.reading for unit in units])
        ),
        headed=matcher.strengths(profile.terms, heads),
        bags=bags,
        heads=heads,
    )


def unmentioned(profile: QuestionProfile, literal: Scores, headed: Scores) -> tuple[QuestionTerm, ...]:
    """Return the focus terms that no passage mentions by word, heading or near spelling; shapes as in ``Mentions``."""
    said = np.maximum(literal.max(axis=1, initial=0.0), headed.max(axis=1, initial=0.0))
    return tuple(term for term, value in zip(profile.terms, said, strict=True) if term.focus and value <= 0)


def find_unmentioned(
    question: str, passages: Sequence[Passage], readings: Sequence[Reading] = ()
) -> tuple[QuestionTerm, ...]:
    """Return the focus terms of ``question`` that none of ``passages`` mentions, as ``unmentioned`` does.

    ``readings`` let a term be said by its extended name or an alias.
    """
    profile = profile_question(question, readings)
    found = read_mentions(profile, passages, evidence_units(passages))
    return unmentioned(profile, found.literal, found.headed)


def hold_to_codes(probability: float, absent: Sequence[QuestionTerm]) -> float:
    """Return the probability that passages hold an answer, at most 0.3 where a code is among the ``absent`` terms.

    Source: a rule of the product, not a fit; see the comment in the source.
    """
    return min(probability, _CODE_ABSENT) if any(is_code(term.text) for term in absent) else probability


def _heading(passage: Passage) -> str:
    return "\n".join((passage.document_title, *passage.chunk.heading_path))
