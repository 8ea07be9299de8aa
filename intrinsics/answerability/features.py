"""Features: what the passages say of a question's words, and how well their best statement answers it."""

from collections.abc import Sequence
from statistics import median

import numpy as np

from contracts.jargon import Reading
from contracts.text import Passage
from tools.evidence.features import SET_FEATURES, set_features
from tools.evidence.matching import Scores
from tools.evidence.reading import Evidence
from tools.reading import ScoredStatement, StatementScorer, analyse_question, read_statements

STATED_FEATURES = ("stated_score", "stated_lead", "stated_coverage", "stated_type")
ANSWERABILITY_FEATURES = (*SET_FEATURES, *STATED_FEATURES)

# Any statement may answer a question of these kinds, so that the type of the best one says nothing.
_UNTYPED = frozenset({"fact", "yes_no", "comparison"})
_NOTHING_KNOWN = 0.5


async def stated_features(
    scorer: StatementScorer, question: str, readings: Sequence[Reading], passages: Sequence[Passage]
) -> Scores:
    """Say how well the best statement of ``passages`` answers ``question``, as in ``STATED_FEATURES``.

    ``stated_score`` is its score (log-odds up to a constant), ``stated_lead`` how far that stands above the median
    statement's, ``stated_coverage`` and ``stated_type`` are in [0, 1]. All zeros where nothing is stated.
    """
    shape = analyse_question(question)
    statements = [each for index, passage in enumerate(passages) for each in read_statements(passage, index)]
    scored: Sequence[ScoredStatement] = await scorer.score(shape, readings, statements)
    if not scored:
        return np.zeros(len(STATED_FEATURES))
    best = scored[0]
    lead = best.score - median(each.score for each in scored)
    return np.array([best.score, lead, best.coverage, _NOTHING_KNOWN if shape.kind in _UNTYPED else best.answer_type])


def answerability_features(evidence: Evidence, stated: Scores) -> Scores:
    """Return one row, as in ``ANSWERABILITY_FEATURES``; ``stated`` are the ``stated_features`` of the same passages.

    Raises:
        ValueError: there is no passage with any text.
    """
    return np.concatenate([set_features(evidence), stated])
