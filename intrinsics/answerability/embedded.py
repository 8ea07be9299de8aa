"""Answerability without a language model: the probability that the best quote answers the question."""

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
# The median lead of the first quote over the third quote, used if there is no third quote.
_USUAL_LEAD = 2.6
# People use different words from those in the documents, so if only few words are shared, the score decides. A question
# about a different subject shares no words, but the questions used for fitting do not include such cases.
_LEAST_COVERAGE = 0.4
# The maximum probability for a question about a default or limit if the answer does not state one.
_NOT_STATED = 0.3
# For these kinds of questions, any quote may be the answer, so the type of the best quote shows nothing.
_UNTYPED = frozenset({"fact", "yes_no", "comparison"})


def answerability_features(
    shape: QuestionShape, ranked: Sequence[RankedQuote], shown: Sequence[QuotedAnswer], unmentioned: int
) -> Scores:
    """Return one row of ``ANSWERABILITY_FEATURES`` for the quotes ``ranked`` (at least one) and ``shown``.

    ``score`` and ``lead`` (over the third best quote) are log-odds; ``coverage`` is in [0.4, 1]; ``value_missing`` is
    1 if the best quote lacks the requested number, time or name, and 0.6 if its numbers have different units. The
    others are 1, in this order, if the best quote lacks the requested type of answer, if no passage mentions a word
    that the question is about, if a second quote is shown, if the best quote is a table without a row and a column
    that match the question, and if the requested cell is empty.
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
    # In a table, the cells do not name a limit; the question does.
    return lacks_default(shape, text) or (best.quote.kind != "table" and lacks_limit(shape, text))


class EmbeddedAnswerabilityJudge:
    """Judges by the best quotes in the passages: their scores, and whether they contain what was asked for.

    The verdict is the probability that the quotes of ``EmbeddedAnswerWriter`` are correct, calibrated so that 0.5
    separates answered from unanswered questions. A question with a code that no passage mentions is never answered.

    Source: coefficients fitted by ``golden-lab manuals fit``; the calibration file next to this module contains the
    data sets and scores.
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
