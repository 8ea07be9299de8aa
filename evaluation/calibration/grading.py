"""Fit the embedded grader of answers: ``python -m evaluation.calibration.grading --data PATH --scratch PATH``."""

import asyncio
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from contracts.grading import CRITERIA
from evaluation.calibration.command import Arguments, arguments, open_embedder, report
from evaluation.calibration.fitting import fit_logistic, write_calibration
from evaluation.judge import embedded as judge_module
from evaluation.judge.features import GRADE_FEATURES, AnswerReader
from evaluation.judge.ratings import RATED_AS, RATINGS_FIT, load_ratings
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


async def calibrate(run: Arguments) -> dict[str, Any]:
    """Fit on the fit half alone; the other half is scored by the benchmark, never here."""
    embedder = open_embedder(run)
    rewriter = EmbeddedQuestionRewriter()
    reader = AnswerReader(EmbeddedFaithfulnessJudge(embedder), EmbeddedAnswerabilityJudge(embedder), embedder)
    rated = load_ratings(run.data, "fit")
    rows = []
    for each in rated:
        question = (await rewriter.rewrite(each.item.question, each.turns[:-1])).text
        rows.append((await reader.read(replace(each.item, question=question))).row)
    table = np.array(rows)
    models: dict[str, FittedModel] = {}
    figures: dict[str, Any] = {}
    for criterion in CRITERIA:
        # A rating of 1 to 4 is the share of the way from worst to best.
        truth = np.array([(each.ratings[RATED_AS[criterion]] - _RATED_LOWEST) / _RATED_SPAN for each in rated])
        models[criterion] = fit_logistic(table, truth, GRADE_FEATURES, penalty=_PENALTY, signs=_SIGNS[criterion])
        off = models[criterion].probabilities(table) - truth
        figures[criterion] = {
            "mean_absolute_error_of_5_points_on_the_fit_half": round(4 * float(np.abs(off).mean()), 4)
        }
    about = {
        "command": "python -m evaluation.calibration.grading",
        "fits": [asdict(RATINGS_FIT)],
        "fitted_on": "MT-RAG human ratings, the half of the conversations that evaluation.splits.half calls fit",
        "licence": "Apache-2.0",
        "conversations": len({each.conversation for each in rated}),
        "n": len(rated),
        "embedder": run.embedder_name,
        "figures": figures,
    }
    write_calibration(run.output(judge_module), models, about)
    return figures


if __name__ == "__main__":
    report(asyncio.run(calibrate(arguments(Path(__file__).stem))))
