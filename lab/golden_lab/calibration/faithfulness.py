"""Fit and measure the embedded faithfulness judge."""

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from golden_lab.calibration.fitting import (
    SQUAD_FITS,
    CalibrationRun,
    binary_figures,
    fit_logistic,
    held_out_rows,
    kinds,
    stored_models,
)
from golden_lab.datasets.claims import Claim, squad_claims, wice_claims
from golden_lab.intervals import Floats
from golden_lab.results import SplitUse
from intrinsics.faithfulness.claims import plain_sentence
from intrinsics.faithfulness.embedded import EmbeddedFaithfulnessJudge
from intrinsics.faithfulness.support import SUPPORT_FEATURES, find_support
from tools.embedding.base import Embedder
from tools.evidence.reading import read_evidence

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
    """Return one row of features per claim."""
    rows = []
    for claim in claims:
        text = plain_sentence(claim.text)
        evidence = await read_evidence(text, claim.passages, embedder)
        rows.append(find_support(text, evidence).row)
    return np.array(rows)


async def calibrate(run: CalibrationRun) -> dict[str, Any]:
    """Fit on half of WiCE dev and of the made claims, measure on the other halves."""
    wice = random.Random(run.seed).sample(wice_claims(run.data), _WICE_CLAIMS)
    made = squad_claims(run.data, articles=_ARTICLES, paragraphs_each=_PARAGRAPHS_EACH, seed=run.seed)
    claims = [*wice, *made]
    rows = await claim_rows(claims, run.embedder)
    truth = np.array([claim.supported for claim in claims], dtype=np.float64)
    people = np.arange(len(claims)) < len(wice)
    held_out = np.concatenate(
        [held_out_rows(name, [claim.group for claim in part]) for name, part in (("wice", wice), ("squad2", made))]
    )
    # Claims judged by people and claims made by rules have equal total weight: the first resemble real answers, the
    # second cover the kinds of changes.
    weights = np.where(people, 1 / people.sum(), 1 / (~people).sum())
    fit = ~held_out
    model = fit_logistic(rows[fit], truth[fit], SUPPORT_FEATURES, weights=weights[fit], penalty=5.0, signs=_SIGNS)
    probabilities = model.probabilities(rows)
    figures: dict[str, Any] = {
        "wice_dev_held_out_half": binary_figures(probabilities[people & held_out], truth[people & held_out]),
        "squad_made_held_out_half": binary_figures(probabilities[~people & held_out], truth[~people & held_out]),
    }
    made_held_out = [claim for claim, out in zip(made, held_out[len(wice) :], strict=True) if out]
    # The measured judge reads its model from the file, so the file is written before and after the measurement.
    for measured in (False, True):
        path = run.write(
            "intrinsics.faithfulness",
            "calibration.json",
            stored_models({"faithfulness": model}),
            fits=(WICE_FITS, SQUAD_FITS),
            fitted_on="half of WiCE dev (oracle chunks, ODC-BY) and claims made from SQuAD 1.1 train (CC BY-SA 4.0)",
            n=int(fit.sum()),
            figures=figures,
        )
        if not measured:
            judge = EmbeddedFaithfulnessJudge(run.embedder, path)
            by_kind = await _called_faithful(judge, made_held_out)
            figures["squad_made_held_out_half_by_kind_called_faithful"] = by_kind
    return figures


async def _called_faithful(judge: EmbeddedFaithfulnessJudge, claims: Sequence[Claim]) -> dict[str, float]:
    called = [
        (await judge.judge("", [claim.text], claim.passages)).sentences[0].label == "faithful" for claim in claims
    ]
    return kinds([claim.kind for claim in claims], called)
