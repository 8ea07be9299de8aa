"""Fit and measure the weights by which a sense is chosen: ``python -m evaluation.calibration.senses --data PATH``."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

import tools.jargon
from contracts.jargon import Sense
from evaluation.calibration.command import Arguments, arguments, open_embedder, report
from evaluation.calibration.fitting import Floats
from evaluation.datasets.uses import Use, balanced, document_uses, sdu22_uses
from evaluation.splits import SplitUse
from tools.embedding.base import Embedder
from tools.jargon.choosing import SenseWeights, sense_evidence, sense_text

_USES_EACH = 500
_PENALTY = 0.002
_MARGINS = (0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5)
_RIGHT_WHERE_DECIDED = 0.9
_FITS = (SplitUse(file="jargon_ambiguous/ambiguous.jsonl", part="fit"),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The evidence for each sense of one use (rows: similarity, words), and the row of the right one."""

    evidence: Floats
    right: int


async def choices(uses: Sequence[Use], embedder: Embedder) -> list[Choice]:
    """Take the evidence for each sense of ``uses`` as the reading step does."""
    found = []
    for use in uses:
        senses = [Sense(id=number, term=use.term, extended_name=name) for number, name in enumerate(use.senses, 1)]
        query = (await embedder.embed_queries([use.text]))[0]
        cosines = await embedder.embed_documents([sense_text(sense) for sense in senses]) @ query
        evidence = [
            sense_evidence(sense, use.text, float(cosine)) for sense, cosine in zip(senses, cosines, strict=True)
        ]
        found.append(Choice(evidence=np.array(evidence), right=use.senses.index(use.gold)))
    return found


def fit_weights(choices_: Sequence[Choice]) -> Floats:
    """Fit a conditional logit with an L2 penalty, no weight below 0.

    Source: McFadden (1974), conditional logit analysis of qualitative choice behaviour.
    """
    from scipy.optimize import minimize
    from scipy.special import logsumexp

    def loss(weights: Floats) -> float:
        logits = (each.evidence @ weights for each in choices_)
        gains = [scores[each.right] - logsumexp(scores) for each, scores in zip(choices_, logits, strict=True)]
        return float(_PENALTY * weights @ weights - np.mean(gains))

    return np.asarray(minimize(loss, np.ones(2), bounds=[(0.0, None)] * 2).x)


def accuracy(choices_: Sequence[Choice], weights: Floats) -> float:
    """Return how often the best sense is the right one."""
    return float(np.mean([int(np.argmax(each.evidence @ weights)) == each.right for each in choices_]))


def decided(choices_: Sequence[Choice], weights: Floats, margin: float) -> tuple[float, float]:
    """Return which share is decided at ``margin`` between the two best senses, and which of these is right."""
    right, count = 0, 0
    for each in choices_:
        scores = np.exp(each.evidence @ weights - (each.evidence @ weights).max())
        shares = np.sort(scores / scores.sum())[::-1]
        if len(shares) < 2 or shares[0] - shares[1] >= margin:
            count += 1
            right += int(np.argmax(scores)) == each.right
    return count / len(choices_), right / max(1, count)


def choose_margin(choices_: Sequence[Choice], weights: Floats) -> float:
    """Return the least margin at which so many of the decided are right: to ask back costs less than to misread."""
    for margin in _MARGINS:
        if decided(choices_, weights, margin)[1] >= _RIGHT_WHERE_DECIDED:
            return margin
    return _MARGINS[-1]


async def calibrate(run: Arguments) -> dict[str, Any]:
    """Fit on half of the abbreviations of real documents, measure on the other half and on SDU@AAAI-22."""
    embedder = open_embedder(run)

    fit = await choices(balanced(document_uses(run.data, "fit"), _USES_EACH, run.seed), embedder)
    fitted = fit_weights(fit)
    margin = choose_margin(fit, fitted)
    of_sdu = sdu22_uses(run.data, "score")
    read: dict[str, Sequence[Use]] = {"documents, other half": document_uses(run.data, "score")}
    read |= {f"sdu22_ad {name}": [use for use in of_sdu if use.collection == name] for name in ("legal", "scientific")}
    other = {name: await choices(balanced(uses, _USES_EACH, run.seed), embedder) for name, uses in read.items()}
    similarity, words = (round(float(value), 2) for value in fitted)
    weights = replace(SenseWeights.stored(), similarity=similarity, words=words, margin=margin)
    figures = {
        f"{name} (n={len(each)}), accuracy": {
            "fitted": round(accuracy(each, fitted), 4),
            "similarity alone": round(accuracy(each, np.array([1.0, 0.0])), 4),
            "words alone": round(accuracy(each, np.array([0.0, 1.0])), 4),
            "decided, right": [round(value, 4) for value in decided(each, fitted, margin)],
        }
        for name, each in other.items()
    }
    stored = {
        "command": "python -m evaluation.calibration.senses",
        "fits": [asdict(use) for use in _FITS],
        "fitted_on": "uses of abbreviations in AWS, IBM and hardware documents, without contexts, half of the "
        "abbreviations (silver labels; CC BY-SA 4.0, Apache-2.0, CC BY 4.0)",
        "method": f"conditional logit, L2 {_PENALTY}",
        "margin": f"the least at which {_RIGHT_WHERE_DECIDED:.0%} of the decided are right on the fit half",
        "set_by_judgement": "context, department, least",
        "n": len(fit),
        "seed": run.seed,
        "embedder": run.embedder_name,
        "figures": figures,
        "date": datetime.now(UTC).date().isoformat(),
        "weights": asdict(weights),
    }
    path = Path(run.out) if run.out else Path(tools.jargon.__path__[0]) / "senses.json"
    path.write_text(json.dumps(stored, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return figures


if __name__ == "__main__":
    report(asyncio.run(calibrate(arguments(Path(__file__).stem))))
