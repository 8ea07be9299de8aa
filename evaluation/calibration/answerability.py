"""Fit and measure the embedded answerability judge: ``python -m evaluation.calibration.answerability --data PATH``."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.calibration.cases import mtrag_cases, squad2_cases
from evaluation.calibration.command import Arguments, arguments, by_group, kinds, open_embedder, report
from evaluation.calibration.fitting import binary_figures, fit_logistic, shifted, write_calibration
from evaluation.calibration.manuals import manual_cases
from evaluation.calibration.observed import SQUAD, Observation, observe, observe_squad
from intrinsics.answerability import embedded as judge_module
from tools.evidence.features import SET_FEATURES
from tools.evidence.model import FittedModel

_AGAINST = ("conflict", "conflict_min", "code_missing", "name_missing")
SIGNS = dict.fromkeys(SET_FEATURES, 1) | dict.fromkeys(_AGAINST, -1)
# The gate lets at least these shares of answerable questions through at 0.5: questions on manuals that have their
# document among the passages, and questions on articles held out of the fit, which are worded more freely. A person
# who is refused an answer that is there loses more than one who reads "the passages come near, but …".
PASSED_OF_MANUALS, PASSED_OF_ARTICLES = 0.97, 0.88
_SQUAD2_SAMPLE = 1_500


async def calibrate(run: Arguments) -> dict[str, Any]:
    """Fit on half of the SQuAD articles, set the operating point on manuals, measure on the rest and on other data."""
    embedder = open_embedder(run)
    squad = await observe_squad(run, embedder)
    rows = np.array([each.set_row for each in squad])
    truth = np.array([each.case.answerable for each in squad], dtype=np.float64)
    names = [each.case.kind for each in squad]
    held_out = by_group([each.case.group for each in squad], run.seed)
    model = fit_logistic(rows[~held_out], truth[~held_out], SET_FEATURES, penalty=3.0, signs=SIGNS)
    manuals = await observe(await manual_cases(run.data, embedder), embedder)
    on_manuals = model.logits(np.array([each.set_row for each in manuals if each.case.answerable]))
    on_articles = model.logits(rows[held_out & (truth > 0.5)])
    lowest = min(
        np.quantile(on_manuals, 1 - PASSED_OF_MANUALS, method="lower"),
        np.quantile(on_articles, 1 - PASSED_OF_ARTICLES, method="lower"),
    )
    model = shifted(model, 1e-6 - float(lowest))
    probabilities = model.probabilities(rows)
    figures: dict[str, Any] = {
        "squad_held_out_articles": binary_figures(probabilities[held_out], truth[held_out]),
        "awsdocs_operating_point_set_here": _measure(model, manuals),
        "squad_held_out_articles_passed_by_kind": kinds(
            [name for name, out in zip(names, held_out, strict=True) if out],
            (probabilities[held_out] >= 0.5).tolist(),
        ),
    }

    def write() -> None:
        about = {
            "operating_point": "0.5 passes at least 97 % of answerable AWS documentation questions, 88 % of SQuAD",
            "command": "python -m evaluation.calibration.answerability",
            "fitted_on": SQUAD,
            "n": int((~held_out).sum()),
            "seed": run.seed,
            "embedder": run.embedder_name,
            "figures": figures,
        }
        write_calibration(run.output(judge_module), {"answerability": model}, about)

    write()
    sample = np.random.default_rng(run.seed).permutation(len(squad2 := squad2_cases(run.data)))[:_SQUAD2_SAMPLE]
    others = {
        "squad2_dev_half_sample": [squad2[at] for at in sample.tolist()],
        "mtrag_cloud_govt_tasks": mtrag_cases(run.data),
    }
    for name, cases in others.items():
        seen = await observe(cases, embedder)
        figures[name] = _measure(model, seen)
        write()
    return figures


def _measure(model: FittedModel, seen: Sequence[Observation]) -> dict[str, float]:
    values = model.probabilities(np.array([each.set_row for each in seen]))
    return binary_figures(values, np.array([each.case.answerable for each in seen], dtype=np.float64))


if __name__ == "__main__":
    report(asyncio.run(calibrate(arguments(Path(__file__).stem))))
