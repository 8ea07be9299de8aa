"""Fit the embedded grader of answers: ``python -m golden_lab.calibration.grading --data PATH --scratch PATH``.

People's ratings alone would teach it that every answer is to the point: nobody in that set answers another question.
So answers are made that are beside the point by construction: another conversation's answer, and a refusal where the
passages hold the answer. They have no share in the benchmark.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from golden_lab.calibration.fitting import Arguments, arguments, fit_logistic, open_embedder, report, write_calibration
from golden_lab.judge import embedded as judge_module
from golden_lab.judge.embedded import GRADE_FEATURES, AnswerReader
from golden_lab.judge.grades import CRITERIA, AnswerToGrade, Criterion
from golden_lab.judge.human_ratings import RATED_AS, RATINGS_FIT, RatedAnswer, load_ratings
from intrinsics.answerability.embedded import EmbeddedAnswerabilityJudge
from intrinsics.faithfulness.embedded import EmbeddedFaithfulnessJudge
from intrinsics.question_rewriting.embedded import EmbeddedQuestionRewriter
from tools.evidence.model import FittedModel

# More of a good sign may never lower a grade, and a wrong refusal never raise one.
_SIGNS = {
    "relevance": dict.fromkeys(GRADE_FEATURES, 1) | {"length": 0, "declined_wrongly": -1},
    "faithfulness": dict.fromkeys(GRADE_FEATURES, 1) | {"length": -1, "declined_wrongly": 0},
    "completeness": dict.fromkeys(GRADE_FEATURES, 1) | {"declined_wrongly": -1},
}
_PENALTY = 5.0
_RATED_LOWEST, _RATED_SPAN = 1.0, 3.0
_REFERENCE = "reference"
_REFUSAL = "I do not have that information."
_REFUSED_ONE_IN = 3
# What all made answers together weigh beside all that people rated.
_MADE_SHARE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class FitCase:
    """An answer and, for each criterion for which it is known, how good it is in [0, 1]."""

    item: AnswerToGrade
    truth: Mapping[Criterion, float]
    made: bool = False


def rated_cases(rated: Sequence[RatedAnswer]) -> Iterator[FitCase]:
    """Yield what people rated: a rating of 1 to 4 is the share of the way from worst to best."""
    for each in rated:
        truth = {name: (each.ratings[RATED_AS[name]] - _RATED_LOWEST) / _RATED_SPAN for name in CRITERIA}
        yield FitCase(item=each.item, truth=truth)


def made_cases(rated: Sequence[RatedAnswer]) -> Iterator[FitCase]:
    """Yield answers beside the point: relevance and completeness at their lowest, faithfulness left open."""
    beside: dict[Criterion, float] = {"relevance": 0.0, "completeness": 0.0}
    references = [each for each in rated if each.system == _REFERENCE]
    for at, each in enumerate(references):
        order = (references[(at + step) % len(references)] for step in range(1, len(references)))
        other = next((one for one in order if one.conversation != each.conversation), None)
        if other is not None:
            yield FitCase(item=each.item.model_copy(update={"answer": other.item.answer}), truth=beside, made=True)
        if at % _REFUSED_ONE_IN == 0 and each.answerable:
            yield FitCase(item=each.item.model_copy(update={"answer": _REFUSAL}), truth=beside, made=True)


async def calibrate(run: Arguments) -> dict[str, Any]:
    """Fit on the fit half alone; the other half is scored by the benchmark, never here."""
    embedder = open_embedder(run)
    rewriter = EmbeddedQuestionRewriter()
    reader = AnswerReader(EmbeddedFaithfulnessJudge(embedder), EmbeddedAnswerabilityJudge(embedder), embedder)
    rated = []
    for each in load_ratings(run.data, "fit"):
        question = (await rewriter.rewrite(each.item.question, each.turns[:-1])).text
        rated.append(replace(each, item=each.item.model_copy(update={"question": question})))
    cases = [*rated_cases(rated), *made_cases(rated)]
    table = np.array([(await reader.read(case.item)).row for case in cases])
    made = np.array([case.made for case in cases])
    weights = np.where(made, _MADE_SHARE / max(1, made.sum()), 1 / (~made).sum())
    models: dict[str, FittedModel] = {}
    figures: dict[str, Any] = {}
    for criterion in CRITERIA:
        known = np.array([criterion in case.truth for case in cases])
        truth = np.array([case.truth.get(criterion, 0.0) for case in cases])
        models[criterion] = fit_logistic(
            table[known],
            truth[known],
            GRADE_FEATURES,
            weights=weights[known],
            penalty=_PENALTY,
            signs=_SIGNS[criterion],
        )
        off = 4 * np.abs(models[criterion].probabilities(table) - truth)
        figures[criterion] = {"mean_points_off_people_on_the_fit_half": round(float(off[~made].mean()), 4)}
        if (known & made).any():
            figures[criterion]["mean_points_off_made_on_the_fit_half"] = round(float(off[known & made].mean()), 4)
    about = {
        "command": "python -m golden_lab.calibration.grading",
        "fits": [asdict(RATINGS_FIT)],
        "fitted_on": "MT-RAG human ratings, the half of the conversations that golden_lab.splits.half calls fit, and "
        "answers made of it that are beside the point",
        "licence": "Apache-2.0",
        "conversations": len({each.conversation for each in rated}),
        "n": len(cases),
        "n_made": int(made.sum()),
        "embedder": run.embedder_name,
        "figures": figures,
    }
    write_calibration(run.output(judge_module), models, about)
    return figures


if __name__ == "__main__":
    report(asyncio.run(calibrate(arguments(Path(__file__).stem))))
