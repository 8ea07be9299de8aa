"""Fit and measure the embedded faithfulness judge: ``python -m golden_lab.calibration.faithfulness --data PATH``."""

import asyncio
import random
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.results import SplitUse
from golden_lab.calibration.fitting import (
    SQUAD_FITS,
    Arguments,
    Floats,
    arguments,
    binary_figures,
    fit_logistic,
    held_out_rows,
    kinds,
    open_embedder,
    report,
    write_calibration,
)
from golden_lab.datasets.claims import Claim, squad_claims, wice_claims
from intrinsics.faithfulness import embedded as judge_module
from intrinsics.faithfulness.claims import plain_sentence
from intrinsics.faithfulness.embedded import EmbeddedFaithfulnessJudge
from intrinsics.faithfulness.support import SUPPORT_FEATURES, find_support
from tools.embedding.base import Embedder
from tools.evidence.reading import EvidenceReader

_SIGNS = dict.fromkeys(SUPPORT_FEATURES, 1) | {
    "negation_flip": -1,
    "heaviest_unsaid": -1,
    "opposed": -1,
    "length": 0,
    "has_figures": 0,
}
WICE_FITS = SplitUse(file="wice/oracle_chunks_claim_dev.jsonl.gz", part="fit")
_WICE_CLAIMS = 720
_ARTICLES, _PARAGRAPHS_EACH = 15, 6


async def claim_rows(claims: Sequence[Claim], embedder: Embedder) -> Floats:
    """Return one row of features a claim."""
    reader = EvidenceReader(embedder)
    rows = []
    for claim in claims:
        text = plain_sentence(claim.text)
        evidence = await reader.read(text, claim.passages)
        rows.append(find_support(text, evidence).row)
    return np.array(rows)


async def calibrate(run: Arguments) -> dict[str, Any]:
    """Fit on half of WiCE dev and of the made claims, measure on the other halves."""
    embedder = open_embedder(run)
    wice = random.Random(run.seed).sample(wice_claims(run.data), _WICE_CLAIMS)
    made = squad_claims(run.data, articles=_ARTICLES, paragraphs_each=_PARAGRAPHS_EACH, seed=run.seed)
    claims = [*wice, *made]
    rows = await claim_rows(claims, embedder)
    truth = np.array([claim.supported for claim in claims], dtype=np.float64)
    people = np.arange(len(claims)) < len(wice)
    held_out = np.concatenate(
        [held_out_rows(name, [claim.group for claim in part]) for name, part in (("wice", wice), ("squad2", made))]
    )
    # Judged by people and made by rule count alike in sum: the first are like real answers, the second cover changes.
    weights = np.where(people, 1 / people.sum(), 1 / (~people).sum())
    fit = ~held_out
    model = fit_logistic(rows[fit], truth[fit], SUPPORT_FEATURES, weights=weights[fit], penalty=5.0, signs=_SIGNS)
    probabilities = model.probabilities(rows)
    figures: dict[str, Any] = {
        "wice_dev_held_out_half": binary_figures(probabilities[people & held_out], truth[people & held_out]),
        "squad_made_held_out_half": binary_figures(probabilities[~people & held_out], truth[~people & held_out]),
    }
    write_calibration(run.output(judge_module), {"faithfulness": model}, _about(run, int(fit.sum()), figures))
    judge = EmbeddedFaithfulnessJudge(embedder, run.output(judge_module))
    made_held_out = [claim for claim, out in zip(made, held_out[len(wice) :], strict=True) if out]
    figures["squad_made_held_out_half_by_kind_called_faithful"] = await _called_faithful(judge, made_held_out)
    write_calibration(run.output(judge_module), {"faithfulness": model}, _about(run, int(fit.sum()), figures))
    return figures


async def _called_faithful(judge: EmbeddedFaithfulnessJudge, claims: Sequence[Claim]) -> dict[str, float]:
    called = [
        (await judge.judge("", [claim.text], claim.passages)).sentences[0].label == "faithful" for claim in claims
    ]
    return kinds([claim.kind for claim in claims], called)


def _about(run: Arguments, n: int, figures: dict[str, Any]) -> dict[str, Any]:
    return {
        "command": "python -m golden_lab.calibration.faithfulness",
        "fits": [asdict(use) for use in (WICE_FITS, SQUAD_FITS)],
        "fitted_on": "half of WiCE dev (oracle chunks, ODC-BY) and claims made from SQuAD 1.1 train (CC BY-SA 4.0)",
        "n": n,
        "seed": run.seed,
        "embedder": run.embedder_name,
        "figures": figures,
    }


if __name__ == "__main__":
    run = arguments(Path(__file__).stem)
    report(asyncio.run(calibrate(run)))
