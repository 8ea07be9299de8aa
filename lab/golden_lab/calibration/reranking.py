"""Fit and measure the embedded reranker: ``python -m golden_lab.calibration.reranking --data PATH``."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from golden_lab.calibration.fitting import (
    SQUAD,
    SQUAD_FITS,
    Arguments,
    arguments,
    fit_logistic,
    held_out_rows,
    observe_squad,
    open_embedder,
    report,
    write_calibration,
)
from golden_lab.datasets.cases import Case
from intrinsics.passage_reranking import embedded as reranker_module
from intrinsics.passage_reranking.embedded import RANKING_FEATURES, EmbeddedPassageReranker, ranking_rows

_SIGNS = dict.fromkeys(RANKING_FEATURES, 1) | {"conflict": -1}


def ranking_figures(ranked: Sequence[Sequence[bool]]) -> dict[str, float]:
    """Return the mean figures of ranked lists (true: relevant), over those that hold a relevant passage at all."""
    useful = [list(each) for each in ranked if any(each)]
    discounts = [1 / np.log2(rank + 2) for rank in range(5)]
    ndcg = [
        sum(d for d, hit in zip(discounts, each, strict=False) if hit) / sum(discounts[: min(5, sum(each))])
        for each in useful
    ]
    return {
        "questions": float(len(useful)),
        "ndcg_at_5": round(float(np.mean(ndcg)), 4),
        "recall_at_5": round(float(np.mean([sum(each[:5]) / sum(each) for each in useful])), 4),
        "first_is_relevant": round(float(np.mean([each[0] for each in useful])), 4),
    }


async def compare(cases: Sequence[Case], reranker: EmbeddedPassageReranker) -> dict[str, dict[str, float]]:
    """Rank ``cases`` as the search does and as ``reranker`` does."""
    before, after = [], []
    for case in cases:
        truth = {passage.chunk.id: hit for passage, hit in zip(case.passages, case.relevant, strict=True)}
        before.append([truth[p.chunk.id] for p in sorted(case.passages, key=lambda each: -each.score)])
        ranked = await reranker.rerank(case.question, case.passages)
        after.append([truth[passage.chunk.id] for passage in ranked.passages])
    return {"search_order": ranking_figures(before), "reranked": ranking_figures(after)}


async def calibrate(run: Arguments) -> dict[str, Any]:
    """Fit on half of the SQuAD articles, measure on the other half."""
    embedder = open_embedder(run)
    squad = [
        each
        for each in await observe_squad(run, embedder)
        if each.case.kind == "present" and len(each.case.passages) > 1
    ]
    held_out = held_out_rows("squad2", [each.case.group for each in squad])
    fit = [each for each, out in zip(squad, held_out, strict=True) if not out]
    rows = np.concatenate([ranking_rows(each.passage_rows, each.case.passages) for each in fit])
    truth = np.concatenate([np.array(each.case.relevant, dtype=np.float64) for each in fit])
    model = fit_logistic(rows, truth, RANKING_FEATURES, penalty=3.0, signs=_SIGNS)
    figures: dict[str, Any] = {}
    about = {
        "command": "python -m golden_lab.calibration.reranking",
        "fits": [asdict(SQUAD_FITS)],
        "fitted_on": SQUAD,
        "n": len(rows),
        "seed": run.seed,
        "embedder": run.embedder_name,
        "figures": figures,
    }
    path = run.output(reranker_module)
    write_calibration(path, {"reranking": model}, about)
    reranker = EmbeddedPassageReranker(embedder, path)
    held = [each.case for each, out in zip(squad, held_out, strict=True) if out]
    figures["squad_held_out_articles"] = await compare(held, reranker)
    write_calibration(path, {"reranking": model}, about)
    return figures


if __name__ == "__main__":
    report(asyncio.run(calibrate(arguments(Path(__file__).stem))))
