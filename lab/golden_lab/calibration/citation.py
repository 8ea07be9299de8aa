"""Choose and measure the citation finder's thresholds."""

import itertools
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from golden_lab.benchmarks.citation import nearest_annotation
from golden_lab.calibration.fitting import CalibrationRun
from golden_lab.datasets.annotated import AttributedClaim, wice_attributions
from golden_lab.results import SplitUse
from intrinsics.citation.embedded import CitationThresholds, EmbeddedCitationFinder
from tools.embedding.base import Embedder
from tools.embedding.cached import CachedEmbedder

_FITS = (SplitUse(file="wice/entailment_retrieval_claim_dev.jsonl.gz", part="fit"),)
_COSINE_WEIGHTS = (0.3, 0.5, 0.7)
_FIRSTS = (0.15, 0.2, 0.25, 0.3, 0.35)
_SECONDS = (0.2, 0.3, 0.4)
_GAINS = (0.1, 0.15, 0.25)
# The largest share of claims that may be linked to the page of another claim, which cannot support them.
_LINKED_ELSEWHERE = 0.05


async def evidence_f1(
    claims: Sequence[AttributedClaim], embedder: Embedder, thresholds: CitationThresholds
) -> tuple[float, float, float]:
    """Return the mean precision, recall and F1 of the sentences found, compared with the nearest annotations."""
    finder = EmbeddedCitationFinder(embedder, thresholds)
    rows = []
    for claim in claims:
        links = (await finder.find([claim.text], claim.passages)).links
        said = frozenset((link.passage, sentence) for link in links for sentence in link.passage_sentences)
        rows.append(nearest_annotation(said, claim.annotations)[1])
    precision, recall, f1 = np.mean(rows, axis=0).tolist()
    return precision, recall, f1


async def linked_elsewhere(
    claims: Sequence[AttributedClaim], embedder: Embedder, thresholds: CitationThresholds
) -> float:
    """Return the share of ``claims`` that are linked to the page of the next claim."""
    finder = EmbeddedCitationFinder(embedder, thresholds)
    pages = [claim.passages for claim in (*claims[1:], claims[0])]
    linked = [bool((await finder.find([claim.text], page)).links) for claim, page in zip(claims, pages, strict=True)]
    return float(np.mean(linked))


async def choose(claims: Sequence[AttributedClaim], embedder: Embedder) -> CitationThresholds:
    """Choose the thresholds in the grid with the best F1.

    ``first`` is the lowest threshold at which few claims are linked to a page cited for another claim.
    """
    chosen: dict[float, float] = {}
    for weight in _COSINE_WEIGHTS:
        for first in _FIRSTS:
            limits = CitationThresholds(cosine_weight=weight, first=first, second=1.0, gain=1.0)
            chosen[weight] = first
            if await linked_elsewhere(claims, embedder, limits) < _LINKED_ELSEWHERE:
                break
    best: tuple[float, CitationThresholds] | None = None
    for weight, second, gain in itertools.product(_COSINE_WEIGHTS, _SECONDS, _GAINS):
        limits = CitationThresholds(cosine_weight=weight, first=chosen[weight], second=second, gain=gain)
        f1 = (await evidence_f1(claims, embedder, limits))[2]
        if best is None or f1 > best[0]:
            best = f1, limits
    assert best is not None
    return best[1]


async def calibrate(run: CalibrationRun) -> dict[str, Any]:
    """Choose the thresholds on one half of WiCE dev, and measure them on the other."""
    embedder = CachedEmbedder(run.embedder)
    fit = [claim for claim in wice_attributions(run.data, "fit") if claim.annotations]
    other = [claim for claim in wice_attributions(run.data, "score") if claim.annotations]
    thresholds = await choose(fit, embedder)
    precision, recall, f1 = await evidence_f1(other, embedder, thresholds)
    figures = {
        "other half": {"n": len(other), "precision": round(precision, 3), "recall": round(recall, 3)}
        | {"f1": round(f1, 3)},
        "other half, linked to another claim's page": round(await linked_elsewhere(other, embedder, thresholds), 3),
    }
    run.write(
        "intrinsics.citation",
        "thresholds.json",
        {"thresholds": asdict(thresholds)},
        fits=_FITS,
        fitted_on="WiCE dev (Kamoi et al. 2023), half of the claims, whole pages; annotations ODC-BY",
        n=len(fit),
        figures=figures,
        method="grid for the mean F1 of evidence sentences against the nearest annotation; first: the lowest with "
        f"fewer than {_LINKED_ELSEWHERE:.0%} of the claims linked to the page of another",
    )
    return figures
