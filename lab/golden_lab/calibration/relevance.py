"""Fit and measure the embedded relevance judge."""

from typing import Any

import numpy as np

from evaluation.intervals import Floats
from evaluation.results import SplitUse
from golden_lab.calibration.fitting import (
    SQUAD,
    SQUAD_FITS,
    CalibrationRun,
    Observation,
    binary_figures,
    fit_logistic,
    held_out_rows,
    observe,
    observe_squad,
    stored_models,
)
from golden_lab.datasets.cases import mtrag_cases
from tools.evidence.features import PASSAGE_FEATURES

MTRAG_FITS = SplitUse(file="mtrag/tasks.jsonl.gz", part="fit")
_SIGNS = dict.fromkeys(PASSAGE_FEATURES, 1) | {"conflict": -1}


def passage_table(seen: list[Observation]) -> tuple[Floats, Floats, list[str]]:
    """Return one row a passage, its truth and its group."""
    rows = np.concatenate([each.passage_rows for each in seen])
    truth = np.concatenate([np.array(each.case.relevant, dtype=np.float64) for each in seen])
    return rows, truth, [each.case.group for each in seen for _ in each.case.relevant]


async def calibrate(run: CalibrationRun) -> dict[str, Any]:
    """Fit on half of the SQuAD articles and half of the MT-RAG conversations, measure on the other halves."""
    squad = [each for each in await observe_squad(run) if each.case.kind != "name_swapped"]
    mtrag = await observe(mtrag_cases(run.data), run.embedder)
    tables = [passage_table(squad), passage_table(mtrag)]
    rows = np.concatenate([table[0] for table in tables])
    truth = np.concatenate([table[1] for table in tables])
    source = np.repeat([0, 1], [len(table[1]) for table in tables])
    held_out = np.concatenate(
        [held_out_rows(name, table[2]) for name, table in zip(("squad2", "mtrag"), tables, strict=True)]
    )
    # Each source counts alike; within SQuAD a question has one right passage among many, so that class is weighed up.
    weights = np.ones(len(truth))
    for at in (0, 1):
        for value in (0.0, 1.0):
            here = (source == at) & (truth == value)
            weights[here] = 1 / max(1, here.sum())
    fit = ~held_out
    model = fit_logistic(rows[fit], truth[fit], PASSAGE_FEATURES, weights=weights[fit], penalty=3.0, signs=_SIGNS)
    probabilities = model.probabilities(rows)
    figures = {
        name: binary_figures(probabilities[held_out & (source == at)], truth[held_out & (source == at)])
        for at, name in enumerate(("squad_held_out_articles", "mtrag_held_out_conversations"))
    }
    run.write(
        "intrinsics.context_relevance",
        "calibration.json",
        stored_models({"relevance": model}),
        fits=(SQUAD_FITS, MTRAG_FITS),
        fitted_on=f"{SQUAD}; MT-RAG cloud and govt tasks (Apache-2.0), half of the conversations",
        n=int(fit.sum()),
        figures=figures,
    )
    return figures
