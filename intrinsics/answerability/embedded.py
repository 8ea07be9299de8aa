"""Answerability without a language model: how likely the best quote of the passages answers the question."""

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from contracts.question import AugmentedQuestion
from contracts.text import Passage
from contracts.verdicts import AnswerabilityVerdict
from tools.evidence.matching import Scores
from tools.evidence.model import load_model
from tools.evidence.passages import answerability_verdict, find_unmentioned
from tools.judges import provenance_since
from tools.reading.answer_types import lacks_default, lacks_limit
from tools.reading.features import VALUE_KINDS, view_question
from tools.reading.questions import QuestionShape, analyse_question
from tools.reading.quoted_answers import QuotedAnswer, quote_answers
from tools.reading.ranking import QuoteRanker, RankedQuote

_CALIBRATION = Path(__file__).with_name("calibration.json")

ANSWERABILITY_FEATURES = (
    "score", "lead", "coverage", "value_missing", "type_missing", "unmentioned", "second", "table_silent", "cell_empty",
)  # fmt: skip
# The median lead of the first quote over the third, used if there is no third.
_USUAL_LEAD = 2.6
# People's words differ from the documents', so if only few words are shared, the score decides. A question about
# another subject shares none; the questions that the gate was fitted on do not include such cases.
_LEAST_COVERAGE = 0.4
# The maximum probability that an answer which states no default or limit answers a question about one.
_NOT_STATED = 0.3
# For these kinds, any quote may be the answer, so the type of the best quote is meaningless.
_UNTYPED = frozenset({"fact", "yes_no", "comparison"})


def answerability_features(
    shape: QuestionShape, ranked: Sequence[RankedQuote], shown: Sequence[QuotedAnswer], unmentioned: int
) -> Scores:
    """Return one row, as in ``ANSWERABILITY_FEATURES``, of the quotes ``ranked`` (one at least) and those ``shown``.

    ``score`` and ``lead`` (over the third best) are log-odds, ``coverage`` lies in [0.4, 1], ``value_missing`` is 1
    where the best quote lacks the number, time or name that is asked for, and 0.6 where its numbers have other units.
    The others are 1 where it lacks the kind of thing asked for, where the passages never mention a word that the
    question is about, where a second quote is shown, too, where the best quote is a table in which the question
    finds no row with a column that it asks for, and where the cell asked for is empty.
    """
    best = ranked[0]
    lead = best.score - ranked[2].score if len(ranked) > 2 else _USUAL_LEAD
    typed = best.answer_type > 0 or shape.kind in _UNTYPED
    value = shape.kind in VALUE_KINDS
    return np.array(
        [
            best.score,
            lead,
            max(best.coverage, _LEAST_COVERAGE),
            1.0 - best.answer_type if value else 0.0,
            float(not value and not typed),
            float(unmentioned > 0),
            float(len(shown) > 1),
            float(best.quote.kind == "table" and best.table is None),
            float(best.empty),
        ]
    )


def _lacks_default_or_limit(shape: QuestionShape, best: RankedQuote, shown: Sequence[QuotedAnswer]) -> bool:
    text = "\n".join(answer.text for answer in shown)
    # The limits in a table are named by the question, not by its cells.
    return lacks_default(shape, text) or (best.quote.kind != "table" and lacks_limit(shape, text))


class EmbeddedAnswerabilityJudge:
    """Judges by the best quotes of the passages: how likely they answer, and whether they contain what is asked for.

    The probability is that what ``EmbeddedAnswerWriter`` quotes is correct, calibrated so that 0.5 separates what is
    answered from what is not. A question that names a code which no passage mentions is never answered.

    Source: coefficients fitted by ``golden-lab manuals fit``; the calibration file next to this one names data and
    figures.
    """

    def __init__(self, ranker: QuoteRanker, calibration: Path = _CALIBRATION) -> None:
        self._ranker = ranker
        self._model = load_model(calibration, "answerability", ANSWERABILITY_FEATURES)

    async def judge(self, question: AugmentedQuestion, passages: Sequence[Passage]) -> AnswerabilityVerdict:
        started = time.perf_counter()
        ranked = await self._ranker.rank(question, passages)
        absent = find_unmentioned(question.question, passages, question.readings)
        probability = 0.0
        if ranked:
            shape = analyse_question(question.question)
            shown = quote_answers(view_question(shape, question.readings), ranked, passages)
            row = answerability_features(shape, ranked, shown, len(absent))
            probability = float(self._model.probabilities(row[None, :])[0])
            if _lacks_default_or_limit(shape, ranked[0], shown):
                probability = min(probability, _NOT_STATED)
        return answerability_verdict(probability, absent, provenance_since(started, self._ranker.name))
