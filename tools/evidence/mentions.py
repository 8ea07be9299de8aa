"""Mentions: which of a question's terms passages say by their words. It takes no embedding model."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from contracts.jargon import Reading
from contracts.text import Passage
from tools.evidence.matching import Scores, spelt_out
from tools.evidence.passages import ReadPassage, read_passages, term_strengths
from tools.evidence.question import QuestionProfile, QuestionTerm, is_code, profile_question

# The most that a question may get which names a code that no passage mentions. The texts of the fits hold too few codes
# to weigh them: a question about DDR5 is not answered by passages that never name it, however near they come, and
# whoever judges. Such a question is declined.
_CODE_ABSENT = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class Mentions:
    """A question's terms in the words of its passages.

    Shapes: ``literal`` (terms, units) and ``headed`` (terms, passages) in [0, 1]: how surely a unit, and a passage's
    title and headings, say a term.
    """

    literal: Scores
    headed: Scores


def read_mentions(profile: QuestionProfile, passages: Sequence[ReadPassage]) -> Mentions:
    """Look for the terms of ``profile`` in the units of ``passages`` and in what stands above them."""
    literal, headed = term_strengths([term.alternatives for term in profile.terms], passages)
    readings = [reading for passage in passages for reading in passage.readings]
    return Mentions(literal=np.maximum(literal, spelt_out(profile.terms, readings)), headed=headed)


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
    found = read_mentions(profile, read_passages(passages))
    return unmentioned(profile, found.literal, found.headed)


def hold_to_codes(probability: float, absent: Sequence[QuestionTerm]) -> float:
    """Return the probability that passages hold an answer, at most 0.3 where a code is among the ``absent`` terms.

    Source: a rule of the product, not a fit; see the comment in the source.
    """
    return min(probability, _CODE_ABSENT) if any(is_code(term.text) for term in absent) else probability
