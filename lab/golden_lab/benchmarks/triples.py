"""Benchmarks of claim extraction and attribution, on our own labels and on those of RefChecker."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from golden_lab.benchmarks.base import Benchmark, CaseSet, about, one_by_one, sampled
from golden_lab.benchmarks.scores import count_scores, groups_of
from golden_lab.engine import Engine
from golden_lab.results import Outcome, Score
from golden_lab.run import Run
from golden_lab.scores import mean_score, statistic_score
from golden_lab.triples.gold_labels import (
    LabelledClaim,
    LabelledText,
    RefCheckerCase,
    labelled_claims,
    labelled_texts,
    refchecker_cases,
)
from golden_lab.triples.match import Matching, match_loosely, match_triples
from golden_lab.triples.triple import Triple

_LABELS = ("user", "context", "reference")


async def extract(case: LabelledText, engine: Engine) -> Outcome:
    """Extract claims from a text, and compare them with all its claims, written down by hand."""
    found = (await engine.triple_extractor.extract(case.text)).triples
    return _matched(case.id, case.text, found, case.triples, match_triples(found, case.triples))


async def extract_loosely(case: RefCheckerCase, engine: Engine) -> Outcome:
    """Extract claims from a response, and look among them for those shown to RefChecker's annotators."""
    found = (await engine.triple_extractor.extract(case.response)).triples
    return _matched(case.id, case.response, found, case.triples, match_loosely(found, case.triples))


def load_refchecker(run: Run) -> CaseSet[RefCheckerCase]:
    """Read a sample of the responses with triples in the scored half."""
    return sampled(refchecker_cases(run.data, "score"), 200, run, "responses")


def _matched(identity: str, text: str, found: Sequence[Triple], gold: Sequence[Triple], matching: Matching) -> Outcome:
    matched = ({row for row, _ in matching.pairs}, {column for _, column in matching.pairs})
    total = matching.predicted + matching.gold
    return Outcome(
        id=identity,
        values={"hits": matching.hits, "predicted": matching.predicted, "gold": matching.gold},
        loss=1.0 - 2 * matching.hits / total if total else 0.0,
        trace={
            "text": text,
            "missed": _listed([each for n, each in enumerate(gold) if n not in matched[1]]),
            "found besides": _listed([each for n, each in enumerate(found) if n not in matched[0]]),
        },
    )


def _listed(triples: Sequence[Triple]) -> str:
    return "\n".join(f"{each.subject} | {each.predicate} | {each.object}" for each in triples) or "none"


async def attribute(case: LabelledClaim, engine: Engine) -> Outcome:
    """Attribute a claim to candidates labelled by hand, and compare the kinds of source that support it."""
    evidence = (await engine.triple_attributor.attribute([case.claim])).claims[0].evidence
    candidates = case.claim.candidates
    labelled = [one for one, label in zip(candidates, case.supports, strict=True) if label]
    said, true = ({candidates[n].source for n in evidence}, {one.source for one in labelled})
    right = [label for label in _LABELS if (label in said) == (label in true)]
    return Outcome(
        id=case.id,
        values={"group": case.group, "right": right, "hits": len(said & true), "said": len(said), "true": len(true)},
        loss=1.0 - len(right) / len(_LABELS),
        trace={
            "claim": case.claim.claim.text,
            "said": "; ".join(candidates[n].triple.text for n in evidence) or "none",
            "right": "; ".join(one.triple.text for one in labelled) or "none",
        },
    )


def extraction_scores(outcomes: Sequence[Outcome], seed: int) -> list[Score]:
    """Score precision, recall and F1 over all claims; intervals resample texts."""
    return count_scores(_counts(outcomes, ("hits", "predicted", "gold")), seed)


def refchecker_scores(outcomes: Sequence[Outcome], seed: int) -> list[Score]:
    """Score the share of listed triples that are found, and how many triples are found per listed triple.

    A model extracted the listed triples by different rules, so a triple that is not listed may still be correct.
    Precision is therefore not scored.
    """
    counts = _counts(outcomes, ("hits", "predicted", "gold"))
    ratio = statistic_score(
        "claims per listed triple",
        lambda rows: float(counts[rows, 1].sum() / max(counts[rows, 2].sum(), 1)),
        len(outcomes),
        seed=seed,
    )
    return [*count_scores(counts, seed, metrics=("recall",)), ratio]


def attribution_scores(outcomes: Sequence[Outcome], seed: int) -> list[Score]:
    """Score accuracy by label and overall, and the precision and recall of the supporting sources.

    Accuracy intervals resample scenes, because the claims of a scene share their sources.
    """
    right = [[float(label in each.values["right"]) for label in _LABELS] for each in outcomes]
    columns = {"all labels": [sum(row) / len(_LABELS) for row in right]}
    columns |= {label: [row[at] for row in right] for at, label in enumerate(_LABELS)}
    found = [
        mean_score("accuracy", column, seed=seed, subset=name, groups=groups_of(outcomes))
        for name, column in columns.items()
    ]
    counts = _counts(outcomes, ("hits", "said", "true"))
    return [*found, *count_scores(counts, seed, subset="all labels", metrics=("precision", "recall"))]


def _counts(outcomes: Sequence[Outcome], names: Sequence[str]) -> NDArray[np.float64]:
    return np.array([[float(each.values[name]) for name in names] for each in outcomes])


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the benchmarks of this module in the order of the report; our own labels are part of this package."""
    return (
        Benchmark(
            about=about("triple-extraction"),
            load=lambda run: CaseSet(cases=labelled_texts("score")),
            prepare=one_by_one(extract),
            score=extraction_scores,
        ),
        Benchmark(
            about=about("triple-extraction-refchecker"),
            load=load_refchecker,
            prepare=one_by_one(extract_loosely),
            score=refchecker_scores,
        ),
        Benchmark(
            about=about("triple-attribution"),
            load=lambda run: CaseSet(cases=labelled_claims("score")),
            prepare=one_by_one(attribute),
            score=attribution_scores,
        ),
    )
