"""Measure where a verdict lies close: ``python -m golden_lab.calibration.ties --data PATH --scratch PATH``.

It prints how often the embedded judges are right by how far they are from deciding otherwise, and the bands in which
they are right less often than ``LEAST_ACCURACY``; nothing is written. The bands stand in ``closeness.py`` beside them.
"""

import asyncio
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from golden_lab.calibration.answerability import ANSWERABLE_SHARE
from golden_lab.calibration.fitting import (
    Arguments,
    Floats,
    Observation,
    arguments,
    held_out_rows,
    observe,
    observe_squad,
    open_embedder,
    report,
)
from golden_lab.datasets.guides import draw_cases
from golden_lab.datasets.manuals import manual_cases
from intrinsics.answerability import embedded as gate_module
from intrinsics.answerability.embedded import ANSWERABILITY_FEATURES, distance_from
from intrinsics.context_classification.embedded import EmbeddedContextClassifier
from intrinsics.context_classification.terms import lead_of
from tools.embedding.base import Embedder
from tools.embedding.cached import CachedEmbedder
from tools.evidence.model import load_model
from tools.jargon.memory import InMemoryJargonDictionary

# Where the embedded verdict is wrong in one case of four and more, another call is worth its time.
LEAST_ACCURACY = 0.75
_DRAWINGS = 40
_GATE = 0.5
_STEPS_OF_LOGIT = np.arange(0.0, 3.01, 0.25)
_STEPS_OF_LEAD = np.arange(0.0, 1.01, 0.1)


def band_of(distances: Floats, right: Floats, weights: Floats, steps: Floats) -> tuple[float, list[dict[str, float]]]:
    """Return the band's width, and what is known of each step: its upper edge, weight and accuracy.

    The band ends with the first step that is right in ``LEAST_ACCURACY`` of the cases or more; a step without cases
    ends it too.
    """
    rows, width, open_still = [], 0.0, True
    for low, high in pairwise(steps):
        here = (distances >= low) & (distances < high)
        share = float(weights[here].sum() / weights.sum())
        accuracy = float(np.average(right[here], weights=weights[here])) if share else 1.0
        rows.append({"below": round(float(high), 2), "share": round(share, 4), "accuracy": round(accuracy, 4)})
        open_still = open_still and accuracy < LEAST_ACCURACY
        width = float(high) if open_still else width
    return round(width, 2), rows


def balanced_weights(truth: Floats) -> Floats:
    """Weigh cases so that ``ANSWERABLE_SHARE`` of them are answerable, 1 in all."""
    yes = truth > 0.5
    return np.asarray(
        np.where(yes, ANSWERABLE_SHARE / max(1, yes.sum()), (1 - ANSWERABLE_SHARE) / max(1, (~yes).sum()))
    )


async def measure_gate(run: Arguments, embedder: Embedder) -> dict[str, Any]:
    """Measure the gate where its operating point was set: the other SQuAD articles and the fit half of the manuals."""
    squad = await observe_squad(run, embedder)
    unfitted = held_out_rows("squad2", [each.case.group for each in squad])
    manuals = await observe(await manual_cases(run.data, embedder), embedder)
    scored = held_out_rows("awsdocs", [each.case.group for each in manuals])
    sets: Sequence[list[Observation]] = (
        [each for each, out in zip(squad, unfitted, strict=True) if out],
        [each for each, out in zip(manuals, scored, strict=True) if not out],
    )
    model = load_model(
        Path(str(gate_module.__file__)).with_name("calibration.json"), "answerability", ANSWERABILITY_FEATURES
    )
    distances, right, weights = [], [], []
    for cases in sets:
        found = model.probabilities(np.array([each.set_row for each in cases]))
        truth = np.array([each.case.answerable for each in cases], dtype=np.float64)
        distances.append(np.array([distance_from(_GATE, float(probability)) for probability in found]))
        right.append(((found >= _GATE) == (truth > 0.5)).astype(np.float64))
        weights.append(balanced_weights(truth))
    return _told(np.concatenate(distances), np.concatenate(right), np.concatenate(weights), _STEPS_OF_LOGIT)


async def measure_contexts(run: Arguments, embedder: Embedder) -> dict[str, Any]:
    """Measure context classification on titles of the guides that it was fitted on, drawn anew."""
    drawn = draw_cases(run.data, "fit", drawings=_DRAWINGS, seed=run.seed + 1)
    cases = [case for case in drawn if case.kind != "question"]
    leads, right = [], []
    for case in cases:
        for contexts in (case.contexts, case.without_examples):
            classifier = EmbeddedContextClassifier(embedder, InMemoryJargonDictionary((), contexts))
            verdict = await classifier.classify(case.question, contexts)
            leads.append(lead_of(verdict))
            right.append(float(verdict.best == case.truth))
    return _told(np.array(leads), np.array(right), np.ones(len(leads)), _STEPS_OF_LEAD)


async def measure(run: Arguments) -> dict[str, Any]:
    """Measure both; no case of them is scored by a benchmark."""
    embedder = CachedEmbedder(open_embedder(run))
    return {
        "context_classification": await measure_contexts(run, embedder),
        "answerability": await measure_gate(run, embedder),
    }


def _told(distances: Floats, right: Floats, weights: Floats, steps: Floats) -> dict[str, Any]:
    width, rows = band_of(distances, right, weights, steps)
    inside = distances < width
    return {
        "n": len(distances),
        "accuracy": round(float(np.average(right, weights=weights)), 4),
        "band": width,
        "share_in_band": round(float(weights[inside].sum() / weights.sum()), 4),
        "accuracy_in_band": round(float(np.average(right[inside], weights=weights[inside])), 4) if width else None,
        "steps": rows,
    }


if __name__ == "__main__":
    report(asyncio.run(measure(arguments(Path(__file__).stem))))
