"""Fit and measure the embedded answerability judge: ``python -m golden_lab.calibration.answerability --data PATH``."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.results import SplitUse
from golden_lab.calibration.fitting import (
    SQUAD,
    SQUAD_FITS,
    Arguments,
    Floats,
    arguments,
    binary_figures,
    fit_logistic,
    held_out_rows,
    kinds,
    observe,
    observe_squad,
    open_embedder,
    report,
    shifted,
    write_calibration,
)
from golden_lab.datasets.manuals import manual_cases
from intrinsics.answerability import embedded as judge_module
from intrinsics.answerability.embedded import ANSWERABILITY_FEATURES

_AGAINST = ("conflict", "conflict_min", "code_missing", "name_missing")
SIGNS = dict.fromkeys(ANSWERABILITY_FEATURES, 1) | dict.fromkeys(_AGAINST, -1)
# How much a case of each kind counts in the fit. The neighbours of a paragraph taken away often hold part of the answer
# or all of it in other words, so these cases are the least sure; and a library is asked more often about what it does
# not treat at all than about the one paragraph that it lacks.
KIND_WEIGHTS = {"present": 0.6, "paragraph_absent": 0.4, "article_absent": 2.0, "name_swapped": 1.0}
# The gate is set where it is wrong least often, declining and answering wrongly alike, when so many questions are
# answerable: people mostly ask a library about its subject.
ANSWERABLE_SHARE = 0.75
MANUALS_FITS = SplitUse(file="awsdocs/qa.jsonl", part="fit")


async def calibrate(run: Arguments) -> dict[str, Any]:
    """Fit on half of the SQuAD articles, set the operating point on manuals too, measure on the rest."""
    embedder = open_embedder(run)
    squad = await observe_squad(run, embedder)
    rows = np.array([each.set_row for each in squad])
    truth = np.array([each.case.answerable for each in squad], dtype=np.float64)
    names = [each.case.kind for each in squad]
    held_out = held_out_rows("squad2", [each.case.group for each in squad])
    weights = np.array([KIND_WEIGHTS[name] for name in names])
    model = fit_logistic(
        rows[~held_out],
        truth[~held_out],
        ANSWERABILITY_FEATURES,
        penalty=3.0,
        signs=SIGNS,
        weights=weights[~held_out],
    )
    manuals = await observe(await manual_cases(run.data, embedder), embedder)
    scored = held_out_rows("awsdocs", [each.case.group for each in manuals])
    on_manuals = model.logits(np.array([each.set_row for each in manuals]))
    of_manuals = np.array([each.case.answerable for each in manuals], dtype=np.float64)
    gates = [(on_manuals[~scored], of_manuals[~scored]), (model.logits(rows[held_out]), truth[held_out])]
    gate = best_gate(gates, ANSWERABLE_SHARE)
    model = shifted(model, -gate)
    probabilities = model.probabilities(rows)
    figures: dict[str, Any] = {
        "squad_held_out_articles_operating_point_set_here": binary_figures(probabilities[held_out], truth[held_out]),
        "awsdocs_fit_half_operating_point_set_here": binary_figures(
            model.probabilities(np.array([each.set_row for each in manuals]))[~scored], of_manuals[~scored]
        ),
        "awsdocs_other_half": binary_figures(
            model.probabilities(np.array([each.set_row for each in manuals]))[scored], of_manuals[scored]
        ),
        "squad_held_out_articles_passed_by_kind": kinds(
            [name for name, out in zip(names, held_out, strict=True) if out],
            (probabilities[held_out] >= 0.5).tolist(),
        ),
    }

    about = {
        "operating_point": "fewest wrong decisions at 0.5 over half of the questions on AWS documentation and the "
        f"other SQuAD articles, counting alike, where {ANSWERABLE_SHARE:.0%} of questions are answerable",
        "command": "python -m golden_lab.calibration.answerability",
        "fits": [asdict(use) for use in (replace(SQUAD_FITS, part="all"), MANUALS_FITS)],
        "fitted_on": SQUAD,
        "kind_weights": KIND_WEIGHTS,
        "n": int((~held_out).sum()),
        "seed": run.seed,
        "embedder": run.embedder_name,
        "figures": figures,
    }
    write_calibration(run.output(judge_module), {"answerability": model}, about)
    return figures


def best_gate(sets: Sequence[tuple[Floats, Floats]], answerable_share: float) -> float:
    """Return the logit that parts passed from declined with the fewest wrong decisions over ``sets``.

    Each set holds logits and truths; all count alike, and in each so many questions are taken to be answerable. Of the
    gates that are equally good the middle of the widest gap between two logits is taken.

    Raises:
        ValueError: a set lacks questions of one kind.
    """
    if any(not (0 < truth.sum() < len(truth)) for _, truth in sets):
        raise ValueError("A gate is set on answerable and unanswerable questions: one kind is missing.")
    steps = np.unique(np.concatenate([logits for logits, _ in sets]))
    gates = (steps[1:] + steps[:-1]) / 2
    wrong = np.zeros(len(gates))
    for logits, truth in sets:
        passed = logits[None, :] >= gates[:, None]
        wrong += answerable_share * (1 - passed[:, truth > 0.5].mean(axis=1))
        wrong += (1 - answerable_share) * passed[:, truth <= 0.5].mean(axis=1)
    equal = wrong <= wrong.min() + 1e-9
    return float(gates[np.argmax(np.where(equal, np.diff(steps), -1.0))])


if __name__ == "__main__":
    report(asyncio.run(calibrate(arguments(Path(__file__).stem))))
