"""Fit and measure the embedded reranker."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from golden_lab.calibration.fitting import (
    SQUAD,
    SQUAD_FITS,
    CalibrationRun,
    fit_logistic,
    held_out_rows,
    observe_squad,
    stored_models,
)
from golden_lab.datasets.cases import Case
from golden_lab.metrics.ranking import ndcg_at, recall_at
from intrinsics.passage_reranking.embedded import RANKING_FEATURES, EmbeddedPassageReranker, ranking_rows

_SIGNS = dict.fromkeys(RANKING_FEATURES, 1) | {"conflict": -1}


async def compare(cases: Sequence[Case], reranker: EmbeddedPassageReranker) -> dict[str, dict[str, float]]:
    """Rank ``cases`` with a relevant passage as the search does and as ``reranker`` does; return the mean figures."""
    rows: dict[str, list[tuple[float, float, float]]] = {"search_order": [], "reranked": []}
    useful = [case for case in cases if any(case.relevant)]
    for case in useful:
        relevant = {passage.chunk.id for passage, hit in zip(case.passages, case.relevant, strict=True) if hit}
        ranked = await reranker.rerank(case.question, case.passages)
        orders = (sorted(case.passages, key=lambda each: -each.score), ranked.passages)
        for name, order in zip(rows, orders, strict=True):
            ids = [passage.chunk.id for passage in order]
            rows[name].append((ndcg_at(ids, relevant, 5), recall_at(ids, relevant, 5), float(ids[0] in relevant)))
    metrics = ("ndcg_at_5", "recall_at_5", "first_is_relevant")
    return {
        name: {"questions": float(len(useful))}
        | dict(zip(metrics, np.mean(found, axis=0).round(4).tolist(), strict=True))
        for name, found in rows.items()
    }


async def calibrate(run: CalibrationRun) -> dict[str, Any]:
    """Fit on half of the SQuAD articles, measure on the other half."""
    squad = [each for each in await observe_squad(run) if each.case.kind == "present" and len(each.case.passages) > 1]
    held_out = held_out_rows("squad2", [each.case.group for each in squad])
    fit = [each for each, out in zip(squad, held_out, strict=True) if not out]
    rows = np.concatenate([ranking_rows(each.passage_rows, each.case.passages) for each in fit])
    truth = np.concatenate([np.array(each.case.relevant, dtype=np.float64) for each in fit])
    model = fit_logistic(rows, truth, RANKING_FEATURES, penalty=3.0, signs=_SIGNS)
    figures: dict[str, Any] = {}
    # The reranker that is measured reads its model from the file: it is written before and after.
    for _ in range(2):
        path = run.write(
            "intrinsics.passage_reranking",
            "calibration.json",
            stored_models({"reranking": model}),
            fits=(SQUAD_FITS,),
            fitted_on=SQUAD,
            n=len(rows),
            figures=figures,
        )
        if not figures:
            held = [each.case for each, out in zip(squad, held_out, strict=True) if out]
            figures["squad_held_out_articles"] = await compare(held, EmbeddedPassageReranker(run.embedder, path))
    return figures
