"""Fit and measure the embedded answerability judge."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from evaluation.intervals import Floats
from evaluation.results import SplitUse
from golden_lab.calibration.fitting import (
    SQUAD,
    SQUAD_FITS,
    CalibrationRun,
    binary_figures,
    fit_logistic,
    held_out_rows,
    kinds,
    observe,
    observe_squad,
    shifted,
    stored_models,
)
from golden_lab.datasets.manuals import manual_cases
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


async def calibrate(run: CalibrationRun) -> dict[str, Any]:
    """Fit on half of the SQuAD articles, set the operating point on manuals too, measure on the rest."""
    squad = await observe_squad(run)
    rows = np.array([each.set_row for each in squad])
    truth = np.array([each.case.answerable for each in squad], dtype=np.float64)
    names = [each.case.kind for each in squad]
    held_out = held_out_rows("squad2", [each.case.group for each in squad])
    fit = ~held_out
    weights = np.array([KIND_WEIGHTS[name] for name in names])[fit]
    model = fit_logistic(rows[fit], truth[fit], ANSWERABILITY_FEATURES, penalty=3.0, signs=SIGNS, weights=weights)
    manuals = await observe(await manual_cases(run.data, run.embedder), run.embedder)
    scored = held_out_rows("awsdocs", [each.case.group for each in manuals])
    of_manuals = np.array([each.case.answerable for each in manuals], dtype=np.float64)
    manual_rows = np.array([each.set_row for each in manuals])
    gates = [(model.logits(manual_rows)[~scored], of_manuals[~scored]), (model.logits(rows[held_out]), truth[held_out])]
    model = shifted(model, -best_gate(gates, ANSWERABLE_SHARE))
    probabilities, on_manuals = model.probabilities(rows), model.probabilities(manual_rows)
    figures: dict[str, Any] = {
        "squad_held_out_articles_operating_point_set_here": binary_figures(probabilities[held_out], truth[held_out]),
        "awsdocs_fit_half_operating_point_set_here": binary_figures(on_manuals[~scored], of_manuals[~scored]),
        "awsdocs_other_half": binary_figures(on_manuals[scored], of_manuals[scored]),
        "squad_held_out_articles_passed_by_kind": kinds(
            [name for name, out in zip(names, held_out, strict=True) if out],
            (probabilities[held_out] >= 0.5).tolist(),
        ),
    }
    run.write(
        "intrinsics.answerability",
        "calibration.json",
        stored_models({"answerability": model}),
        fits=(replace(SQUAD_FITS, part="all"), MANUALS_FITS),
        fitted_on=SQUAD,
        n=int(fit.sum()),
        figures=figures,
        kind_weights=KIND_WEIGHTS,
        operating_point="fewest wrong decisions at 0.5 over half of the questions on AWS documentation and the other "
        f"SQuAD articles, counting alike, where {ANSWERABLE_SHARE:.0%} of questions are answerable",
    )
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
