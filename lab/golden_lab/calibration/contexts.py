"""Fit and measure the context classifier: ``python -m golden_lab.calibration.contexts --data PATH``."""

import asyncio
import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

import intrinsics.context_classification
from evaluation.results import SplitUse
from golden_lab.calibration.fitting import Arguments, Floats, arguments, open_embedder, report
from golden_lab.datasets.guides import ContextCase, draw_cases
from golden_lab.metrics.classification import expected_calibration_error
from intrinsics.context_classification.embedded import Calibration, EmbeddedContextClassifier
from tools.embedding.base import Embedder
from tools.embedding.cached import CachedEmbedder
from tools.jargon.memory import InMemoryJargonDictionary

_FITTED = ("description", "examples", "contrast", "words")
_FITTED_OF_NONE = ("none_logit", "none_logit_with_examples", "none_logit_by_number")
_FITS = tuple(
    SplitUse(file=file, part="fit")
    for file in ("awsdocs/corpus_full.jsonl.gz", "eda_corpus/qa.jsonl", "teleqna/teleqna.jsonl.gz")
)
_DRAWINGS = 100
_PENALTY = 0.0001


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The evidence for each context of one question (a row each), and the right row; None: none of them.

    ``of_none`` is what the logit of "none of these" is made of: 1, the share of contexts with examples, and the
    logarithm of their number.
    """

    evidence: Floats
    of_none: Floats
    right: int | None

    def logits(self, theta: Floats) -> Floats:
        """Return the logits of the contexts under ``theta``, that of "none of these" last."""
        return np.append(self.evidence @ theta[: len(_FITTED)], self.of_none @ theta[len(_FITTED) :])


async def choices(cases: Sequence[ContextCase], embedder: Embedder) -> list[Choice]:
    """Take the evidence on each case, with the contexts' examples and without."""
    found = []
    for case in cases:
        for contexts in (case.contexts, case.without_examples):
            classifier = EmbeddedContextClassifier(embedder, InMemoryJargonDictionary((), contexts))
            features = await classifier.features(case.question, contexts)
            names = [context.name for context in contexts]
            evidence = np.array([[getattr(each, name) for name in _FITTED] for each in features])
            with_examples = sum(1 for context in contexts if context.examples) / len(contexts)
            found.append(
                Choice(
                    evidence=evidence,
                    of_none=np.array([1.0, with_examples, math.log(len(contexts))]),
                    right=names.index(case.truth) if case.truth else None,
                )
            )
    return found


def fit_weights(seen: Sequence[Choice]) -> Floats:
    """Fit a conditional logit with an L2 penalty, no weight of a context's below 0; those of none of them come last.

    Source: McFadden (1974), conditional logit analysis of qualitative choice behaviour.
    """
    from scipy.optimize import minimize
    from scipy.special import logsumexp

    count = len(_FITTED)

    def loss(theta: Floats) -> tuple[float, Floats]:
        total, slope = 0.0, np.zeros_like(theta)
        for each in seen:
            logits = each.logits(theta)
            right = len(logits) - 1 if each.right is None else each.right
            spread = float(logsumexp(logits))
            error = np.exp(logits - spread)
            error[right] -= 1.0
            total += spread - float(logits[right])
            slope[:count] += error[:-1] @ each.evidence
            slope[count:] += error[-1] * each.of_none
        weights = theta[:count]
        ridge = np.append(2 * _PENALTY * weights, np.zeros(len(_FITTED_OF_NONE)))
        return total / len(seen) + float(_PENALTY * weights @ weights), slope / len(seen) + ridge

    start = np.array([3.0] * count + [0.0] * len(_FITTED_OF_NONE))
    bounds = [(0.0, None)] * count + [(None, None)] * len(_FITTED_OF_NONE)
    return np.asarray(minimize(loss, start, jac=True, bounds=bounds).x)


def figures_of(seen: Sequence[Choice], theta: Floats) -> dict[str, float]:
    """Return accuracy, accuracy among the contexts, recall of none of them, and the calibration error."""
    right, said, within, none = [], [], [], []
    for each in seen:
        logits = each.logits(theta)
        shares = np.exp(logits - logits.max())
        best = int(np.argmax(logits))
        hit = best == (len(each.evidence) if each.right is None else each.right)
        right.append(float(hit))
        said.append(float(shares[best] / shares.sum()))
        if each.right is None:
            none.append(float(hit))
        else:
            within.append(float(np.argmax(logits[:-1]) == each.right))
    return {
        "n": len(seen),
        "accuracy": round(float(np.mean(right)), 4),
        "accuracy_within_contexts": round(float(np.mean(within)), 4),
        "none_recall": round(float(np.mean(none)), 4),
        "expected_calibration_error": round(expected_calibration_error(said, right), 4),
    }


async def calibrate(run: Arguments) -> dict[str, Any]:
    """Fit on titles of half of the guides, measure on the questions and titles of the other half."""
    embedder = CachedEmbedder(open_embedder(run))
    drawn = draw_cases(run.data, "fit", drawings=_DRAWINGS, seed=run.seed)
    # People's questions are halved by question for the gate and by guide here: they are left to the bench.
    fit = await choices([case for case in drawn if case.kind != "question"], embedder)
    theta = fit_weights(fit)
    other = await choices(draw_cases(run.data, "score", drawings=_DRAWINGS // 4, seed=run.seed + 1), embedder)
    figures = {"other_half_of_the_guides": figures_of(other, theta)}
    former = Calibration.stored()
    values = [round(float(value), 2) for value in theta]
    fitted = dict(zip(_FITTED, values[: len(_FITTED)], strict=True))
    stored = {
        "command": "python -m golden_lab.calibration.contexts",
        "fits": [asdict(use) for use in _FITS],
        "fitted_on": "sets of 3 to 9 guides of the AWS documentation (CC BY-SA 4.0) as contexts, described in one "
        "sentence by us, with and without three examples; titles of their pages as questions; titles of other guides, "
        "EDA Corpus (CC BY 4.0) and TeleQnA (MIT) as none of these; half of the guides and questions of each",
        "method": f"conditional logit, L2 {_PENALTY}",
        "set_by_judgement": "jargon (a manager binds terms by hand: odds of 12 to 1), department (odds of 3 to 1: no "
        "set has any), corrected (one click for the very same question has odds of 4 to 1, three of 20 to 1), "
        "documents (where all that is found speaks for one context, odds of 20 to 1 at most), "
        "earlier and none_logit_in_conversation (half of what a fit on conversations that never change their subject "
        "gave)",
        "n": len(fit),
        "seed": run.seed,
        "embedder": run.embedder_name,
        "figures": figures,
        "date": datetime.now(UTC).date().isoformat(),
        "weights": {**former.weights, **fitted},
        **dict(zip(_FITTED_OF_NONE, values[len(_FITTED) :], strict=True)),
        "none_logit_in_conversation": former.none_logit_in_conversation,
    }
    path = Path(run.out) if run.out else Path(intrinsics.context_classification.__path__[0]) / "calibration.json"
    await asyncio.to_thread(path.write_text, json.dumps(stored, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return figures


if __name__ == "__main__":
    report(asyncio.run(calibrate(arguments(Path(__file__).stem))))
