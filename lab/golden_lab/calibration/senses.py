"""Fit and measure the weights that choose a sense."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from contracts.jargon import Sense
from golden_lab.calibration.fitting import CalibrationRun, fit_choices
from golden_lab.datasets.uses import Use, balanced, document_uses, sdu21_uses, sdu22_uses
from golden_lab.intervals import Floats
from golden_lab.results import SplitUse
from golden_lab.splits import Half
from golden_lab.usage_library import UsageLibrary
from tools.embedding.base import Embedder
from tools.jargon.sense_evidence import SenseWeights, sense_evidence, vote_shares
from tools.jargon.sense_uses import SenseUse, find_uses, sense_likeness

_USES_EACH = 800
_PENALTY = 0.002
_SHARPNESS = (8.0, 12.0, 16.0, 20.0)
_TYPICAL = (0.25, 0.3, 0.35, 0.4, 0.45)
_LEAST = (0.3, 0.4, 0.5, 0.6, 0.7)
# Chosen by judgement: a wrong reading costs as much as this many clarifying questions.
_QUESTIONS_BACK = 5
_FITTED = ("similarity", "words", "uses")
# Weights are fitted on these sets only, because the licence of the others (CC BY-NC-SA) allows choosing thresholds but
# not weights.
_WEIGHED = ("documents", "documents, none beside")
_FITS = (
    SplitUse(file="jargon_ambiguous/ambiguous.jsonl", part="fit"),
    SplitUse(file="sdu21_ad/dev.jsonl.gz", part="fit"),
    *(SplitUse(file=f"sdu22_ad/{domain}/train.jsonl.gz", part="fit") for domain in ("legal", "scientific")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The evidence for one use (similarity and words, a row per sense), the term's other uses, and the correct row.

    The ids of the senses are their row numbers.
    """

    senses: tuple[Sense, ...]
    evidence: Floats
    uses: tuple[SenseUse, ...]
    right: int


async def choices(uses: Sequence[Use], embedder: Embedder, library: UsageLibrary | None) -> list[Choice]:
    """Collect the evidence for each sense of ``uses`` as the bot does, with the documents of ``library``."""
    found = []
    for use in uses:
        senses = tuple(Sense(id=row, term=use.term, extended_name=name) for row, name in enumerate(use.senses))
        likeness = await sense_likeness(senses, use.text, embedder)
        evidence = [sense_evidence(sense, use.text, likeness[sense.id]) for sense in senses]
        elsewhere: tuple[SenseUse, ...] = ()
        if library is not None:
            readable = library.others(use)
            elsewhere = await find_uses(
                use.term, senses, use.text, library.lexical(), library.searcher(), groups=readable
            )
        found.append(
            Choice(senses=senses, evidence=np.array(evidence), uses=elsewhere, right=use.senses.index(use.gold))
        )
    return found


def features(choices_: Sequence[Choice], weights: SenseWeights) -> list[Floats]:
    """Return the features ``similarity``, ``words`` and ``uses`` of each choice, one row per sense."""
    found = []
    for each in choices_:
        shares = vote_shares(each.senses, each.uses, weights)
        found.append(np.column_stack([each.evidence, [shares[sense.id] for sense in each.senses]]))
    return found


def fit_weights(sets: Sequence[Sequence[Choice]], start: SenseWeights) -> tuple[SenseWeights, float]:
    """Fit a conditional logit with weights of at least 0; all sets count equally. Return the weights and the loss."""
    theta, loss = fit_choices(
        [
            [
                (rows, np.arange(len(rows)) == each.right)
                for each, rows in zip(choices_, features(choices_, start), strict=True)
            ]
            for choices_ in sets
        ],
        penalty=np.full(len(_FITTED), _PENALTY),
        lowest=[0.0] * len(_FITTED),
        start=np.ones(len(_FITTED)),
    )
    values = {name: round(float(value), 2) for name, value in zip(_FITTED, theta, strict=True)}
    return replace(start, **values), loss


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcomes:
    """For each choice, the probability of the best sense, and whether that sense is correct."""

    first: Floats
    right: Floats

    def decided(self, least: float) -> tuple[float, float]:
        """Return the share of uses that are decided, and the share of these that are correct."""
        kept = self.first >= least
        return float(kept.mean()), float(self.right[kept].mean()) if kept.any() else 0.0

    def cost(self, least: float) -> float:
        """Return the average cost of a use, in units of wrong readings."""
        decided, right = self.decided(least)
        return decided * (1 - right) + (1 - decided) / _QUESTIONS_BACK


def outcomes(choices_: Sequence[Choice], weights: SenseWeights) -> Outcomes:
    """Choose the best sense for each choice with ``weights``."""
    values = np.array([getattr(weights, name) for name in _FITTED])
    rows = []
    for each, evidence in zip(choices_, features(choices_, weights), strict=True):
        scores = evidence @ values
        shares = np.exp(scores - scores.max())
        rows.append((float(shares.max() / shares.sum()), float(int(np.argmax(scores)) == each.right)))
    return Outcomes(**dict(zip(("first", "right"), np.array(rows).T, strict=True)))


def choose_threshold(sets: Sequence[Outcomes]) -> float:
    """Return the threshold with the lowest mean cost over ``sets``; among equals, the one that asks less often."""
    return min(_LEAST, key=lambda least: (round(float(np.mean([each.cost(least) for each in sets])), 6), least))


async def read_sets(run: CalibrationRun, part: Half) -> dict[str, list[Choice]]:
    """Collect the evidence from one half of each set, with and without documents.

    The documents come from the same half of the real documentation; for SDU@AAAI-21, they are always the sentences of
    the fit half. The use's own document and near-duplicates of its text are excluded.
    """
    embedder = run.embedder
    documents = document_uses(run.data, part)
    sentences = balanced(sdu21_uses(run.data, part), _USES_EACH, run.seed)
    found = {}
    collections = {
        name: [use for use in documents if use.collection == name] for name in {u.collection for u in documents}
    }
    beside: list[Choice] = []
    for _, uses in sorted(collections.items()):
        beside += await choices(uses, embedder, await UsageLibrary.of(uses, embedder))
    found["documents"] = beside
    found["documents, none beside"] = [replace(each, uses=()) for each in beside]
    library = await UsageLibrary.of(sdu21_uses(run.data, "fit"), embedder)
    found["sdu21_ad"] = await choices(sentences, embedder, library)
    found["sdu21_ad, none beside"] = [replace(each, uses=()) for each in found["sdu21_ad"]]
    for name in ("legal", "scientific"):
        uses = [use for use in sdu22_uses(run.data, part) if use.collection == name]
        found[f"sdu22_ad {name}"] = await choices(balanced(uses, _USES_EACH // 2, run.seed), embedder, None)
    return found


def fit(sets: Mapping[str, Sequence[Choice]]) -> SenseWeights:
    """Fit the weights and the shape of the votes on the sets whose licence allows it, and the threshold on all sets."""
    free = [sets[name] for name in _WEIGHED]
    stored = SenseWeights.stored()
    grid = [replace(stored, sharpness=each, typical=typical) for each in _SHARPNESS for typical in _TYPICAL]
    fitted = min((fit_weights(free, start) for start in grid), key=lambda pair: pair[1])[0]
    least = choose_threshold([outcomes(each, fitted) for each in sets.values()])
    return replace(fitted, corrections=fitted.uses, least=least)


def figures_of(choices_: Sequence[Choice], weights: SenseWeights) -> dict[str, Any]:
    """Return the accuracy with all evidence and with each kind alone, and the share and accuracy of decided uses."""
    found = outcomes(choices_, weights)
    alone = {name: replace(weights, **dict.fromkeys(_FITTED, 0.0) | {name: 1.0}) for name in _FITTED}
    return {
        "fitted": round(float(found.right.mean()), 4),
        **{f"{name} alone": round(float(outcomes(choices_, each).right.mean()), 4) for name, each in alone.items()},
        "decided, right": [round(value, 4) for value in found.decided(weights.least)],
    }


async def calibrate(run: CalibrationRun) -> dict[str, Any]:
    """Fit on the fit half of each set, and measure on the other half."""
    sets = await read_sets(run, "fit")
    weights = fit(sets)
    scored = await read_sets(run, "score")
    figures = {
        f"{name} ({part} half, n={len(each)})": figures_of(each, weights)
        for part, of_part in (("score", scored), ("fit", sets))
        for name, each in of_part.items()
    }
    run.write(
        "tools.jargon",
        "senses.json",
        {"weights": asdict(weights)},
        fits=_FITS,
        fitted_on="uses of abbreviations, without contexts, in AWS, IBM and hardware documents, half of the "
        "abbreviations (silver labels; CC BY-SA 4.0, Apache-2.0, CC BY 4.0)",
        n=len(sets["documents"]),
        figures=figures,
        method=f"conditional logit, L2 {_PENALTY}; sharpness and typical by its loss; each set counts alike",
        thresholds=f"least of the least cost, where a wrong reading costs {_QUESTIONS_BACK} questions "
        "back; on these and on half of SDU@AAAI-21 and of SDU@AAAI-22 (CC BY-NC-SA 4.0: the threshold, no weights)",
        set_by_judgement="context, department; corrections as uses",
    )
    return {"weights": asdict(weights), **figures}
