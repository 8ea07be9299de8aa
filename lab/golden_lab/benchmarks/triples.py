"""Benchmarks of claim extraction and attribution, on labels of our own and on those of RefChecker."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.results import Outcome, Score, Scores
from evaluation.scores import mean_score, statistic_score
from golden_lab.benchmarks.base import Benchmark, CaseBenchmark, CaseSet, sampled
from golden_lab.engine import Engine
from golden_lab.run import Run
from golden_lab.triples.gold_labels import (
    LabelledClaim,
    LabelledText,
    RefCheckerCase,
    labelled_claims,
    labelled_texts,
    refchecker_cases,
)
from golden_lab.triples.matching import Matching, match_loosely, match_triples
from golden_lab.triples.triple import Triple

_LABELS = ("user", "context", "reference")
_REFCHECKER_SAMPLE = 200


@dataclass(frozen=True, kw_only=True)
class TripleExtractionBenchmark(CaseBenchmark[LabelledText]):
    """Extracts claims from texts whose every claim was written down by hand."""

    name: str = "triple-extraction"

    def load(self, run: Run) -> CaseSet[LabelledText]:
        """Return the scored half of the labelled texts, which ship with the bench."""
        return CaseSet(cases=labelled_texts("score"))

    async def measure(self, case: LabelledText, engine: Engine) -> Outcome:
        found = (await engine.triple_extractor.extract(case.text)).triples
        matching = match_triples(found, case.triples)
        return _matched_outcome(case.id, case.text, found, case.triples, matching)

    def score(self, outcomes: Sequence[Outcome], run: Run) -> Scores:
        """Score precision, recall and F1 over all claims, with intervals over texts."""
        return Scores(scores=_matched_scores(outcomes, run, ("F1", "precision", "recall")))


@dataclass(frozen=True, kw_only=True)
class RefCheckerBenchmark(CaseBenchmark[RefCheckerCase]):
    """Extracts claims from responses and looks for those that RefChecker's annotators were shown."""

    name: str = "triple-extraction-refchecker"

    def load(self, run: Run) -> CaseSet[RefCheckerCase]:
        """Read the responses of the scored half that have triples, and draw a sample.

        Raises:
            InvalidInput: the file is not there or a row lacks a field; the text names it.
        """
        scored = refchecker_cases(run.data, "score")
        return sampled(scored, _REFCHECKER_SAMPLE, run, "responses")

    async def measure(self, case: RefCheckerCase, engine: Engine) -> Outcome:
        found = (await engine.triple_extractor.extract(case.response)).triples
        matching = match_loosely(found, case.triples)
        return _matched_outcome(case.id, case.response, found, case.triples, matching)

    def score(self, outcomes: Sequence[Outcome], run: Run) -> Scores:
        """Score the share of the listed triples that are found, and how many we find for each one listed.

        Their triples were extracted by a model under other rules, so that one that is not listed may still be right:
        precision is not scored.
        """
        scores = _matched_scores(outcomes, run, ("recall",))
        count = _statistic_rows(outcomes, ("predicted", "gold"))
        ratio = statistic_score(
            "claims per listed triple",
            lambda rows: float(count[rows, 0].sum() / max(count[rows, 1].sum(), 1)),
            len(outcomes),
            seed=run.seed,
        )
        return Scores(scores=(*scores, ratio))


@dataclass(frozen=True, kw_only=True)
class TripleAttributionBenchmark(CaseBenchmark[LabelledClaim]):
    """Attributes claims to candidates that were labelled by hand, one label for each kind of source."""

    name: str = "triple-attribution"

    def load(self, run: Run) -> CaseSet[LabelledClaim]:
        """Return the scored half of the labelled claims, which ship with the bench."""
        return CaseSet(cases=labelled_claims("score"))

    async def measure(self, case: LabelledClaim, engine: Engine) -> Outcome:
        support = (await engine.triple_attributor.attribute([case.claim])).claims[0]
        return _attributed_outcome(case, support.evidence)

    def score(self, outcomes: Sequence[Outcome], run: Run) -> Scores:
        """Score the accuracy of each label and of all, and precision and recall of saying that a source supports.

        Intervals are over scenes: claims of one scene share their sources.
        """
        groups = [str(each.values["group"]) for each in outcomes]
        right = [[float(label in each.values["right"]) for label in _LABELS] for each in outcomes]
        scores = [
            mean_score(
                "accuracy",
                [sum(row) / len(_LABELS) for row in right],
                seed=run.seed,
                subset="all labels",
                groups=groups,
            )
        ]
        for at, label in enumerate(_LABELS):
            scores.append(
                mean_score("accuracy", [row[at] for row in right], seed=run.seed, subset=label, groups=groups)
            )
        rows = _statistic_rows(outcomes, ("hits", "said", "true"))
        for metric, whole in (("precision", 1), ("recall", 2)):
            scores.append(
                statistic_score(metric, _ratio(rows, 0, whole), len(outcomes), seed=run.seed, subset="all labels")
            )
        return Scores(scores=tuple(scores))


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the benchmarks of this module in the order of the report."""
    return TripleExtractionBenchmark(), RefCheckerBenchmark(), TripleAttributionBenchmark()


def _matched_outcome(
    identity: str, text: str, found: Sequence[Triple], gold: Sequence[Triple], matching: Matching
) -> Outcome:
    matched = {row for row, _ in matching.pairs}, {column for _, column in matching.pairs}
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


def _attributed_outcome(case: LabelledClaim, evidence: Sequence[int]) -> Outcome:
    candidates = case.claim.candidates
    said = {candidates[n].source for n in evidence}
    true = {one.source for one, label in zip(candidates, case.supports, strict=True) if label}
    right = [label for label in _LABELS if (label in said) == (label in true)]
    return Outcome(
        id=case.id,
        values={
            "group": case.group,
            "right": right,
            "hits": len(said & true),
            "said": len(said),
            "true": len(true),
        },
        loss=1.0 - len(right) / len(_LABELS),
        trace={
            "claim": case.claim.claim.text,
            "said": "; ".join(candidates[n].triple.text for n in evidence) or "none",
            "right": "; ".join(one.triple.text for one, label in zip(candidates, case.supports, strict=True) if label)
            or "none",
        },
    )


def _matched_scores(outcomes: Sequence[Outcome], run: Run, metrics: Sequence[str]) -> tuple[Score, ...]:
    rows = _statistic_rows(outcomes, ("hits", "predicted", "gold"))

    def f1(chosen: NDArray[np.intp]) -> float:
        hits, predicted, gold = rows[chosen].sum(axis=0)
        return float(2 * hits / (predicted + gold)) if predicted + gold else float("nan")

    statistics = {"F1": f1, "precision": _ratio(rows, 0, 1), "recall": _ratio(rows, 0, 2)}
    return tuple(statistic_score(name, statistics[name], len(outcomes), seed=run.seed) for name in metrics)


def _statistic_rows(outcomes: Sequence[Outcome], names: Sequence[str]) -> NDArray[np.float64]:
    return np.array([[float(each.values[name]) for name in names] for each in outcomes])


def _ratio(rows: NDArray[np.float64], part: int, whole: int) -> Callable[[NDArray[np.intp]], float]:
    """Return the statistic that takes the ratio of two columns' sums, NaN where the second is 0."""

    def ratio(chosen: NDArray[np.intp]) -> float:
        total = rows[chosen, whole].sum()
        return float(rows[chosen, part].sum() / total) if total else float("nan")

    return ratio
