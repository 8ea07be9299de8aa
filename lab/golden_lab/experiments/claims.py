"""The claims of every answer with their sources, and the results by arm: shares pooled over cases."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter

from golden_lab.digests import digest_of_code
from golden_lab.engine import Engine
from golden_lab.experiments.answers import ArmAnswer, Failure, Job, OnProgress, do_all, short_digest
from golden_lab.experiments.cases import ExperimentCase
from golden_lab.experiments.figures import FEWEST_CASES, Scores
from golden_lab.intervals import Interval, bootstrap_mean, draw_counts
from golden_lab.metrics.text import rouge_l, rouge_n
from golden_lab.outcomes import OutcomeStore
from golden_lab.statistics import PairedDifference, from_resamples, paired_bootstrap
from golden_lab.triples.metrics import ClaimCounts, counts_matrix, counts_of, metrics_of
from golden_lab.triples.pipeline import AttributedClaim, AttributedResponse, Example, TriplePipeline
from golden_lab.triples.report import CellReport

CLAIM_METRICS = (
    "f1", "precision", "recall", "self_knowledge", "parametric_knowledge_precision", "parametric_rate",
    "context_utilisation", "user_utilisation",
)  # fmt: skip
ROUGE = ("rouge_1", "rouge_l")
# Each resample pools all claims again, which takes longer than taking a mean.
_RESAMPLES = 2_000
_CLAIMS = TypeAdapter(tuple[AttributedClaim, ...])


async def attribute_answers(
    cases: Mapping[str, ExperimentCase],
    answers: Sequence[ArmAnswer],
    engine: Engine,
    store: OutcomeStore,
    *,
    at_once: int,
    on_progress: OnProgress,
) -> tuple[tuple[AttributedResponse, ...], tuple[Failure, ...]]:
    """Return each answer's claims with their sources, and the answers whose claims could not be read.

    The context is the text that the arm read; a declined answer has no claims. Results in ``store`` from the same
    engine and code are reused.
    """
    pipeline = TriplePipeline.of(engine)
    examples = {(each.arm, each.case): _example(cases[each.case], each) for each in answers}

    async def attribute(example: Example) -> Mapping[str, Any]:
        found = await pipeline.attribute(example)
        return {
            "claims": _CLAIMS.dump_python(found.claims, mode="json"),
            "reference_claims": found.reference_claims,
            "context_claims": found.context_claims,
        }

    works = [
        Job(id=f"{arm} / {case} / {short_digest(repr(example))}", arm=arm, case=case, do=partial(attribute, example))
        for (arm, case), example in examples.items()
    ]
    name = f"trifex-{short_digest(engine.name, engine.model, digest_of_code())}"
    found, failures = await do_all(works, store, name, "scored", at_once=at_once, on_progress=on_progress)
    responses = [
        AttributedResponse(
            example=examples[place],
            claims=_CLAIMS.validate_python(values["claims"]),
            reference_claims=values["reference_claims"],
            context_claims=values["context_claims"],
        )
        for place, values in found.items()
    ]
    return tuple(responses), failures


def claim_scores(responses: Sequence[AttributedResponse], cells: Sequence[CellReport], *, seed: int) -> Scores:
    """Return the TRIFEX metrics (from ``cells``) and ROUGE (mean F1 compared with the reference)."""
    table: dict[tuple[str, str], dict[str, AttributedResponse]] = {}
    for each in responses:
        table.setdefault((each.example.system, each.example.condition), {})[each.example.id] = each
    by_place = {(cell.system, cell.condition): cell for cell in cells}

    def measure(arm: str, condition: str) -> Mapping[str, tuple[Interval | None, int]]:
        cell, rows = by_place.get((arm, condition)), table.get((arm, condition), {})
        rouge = [_rouge(each) for each in rows.values()]
        found = {name: (cell.metrics[name] if cell else None, len(rows)) for name in CLAIM_METRICS}
        means = {name: bootstrap_mean([each[name] for each in rouge], seed=seed) if rouge else None for name in ROUGE}
        return found | {name: (mean, len(rows)) for name, mean in means.items()}

    def compare(first: str, second: str, condition: str) -> Mapping[str, tuple[PairedDifference | None, int]]:
        ours, theirs = table.get((first, condition), {}), table.get((second, condition), {})
        common = [case for case in ours if case in theirs]
        if len(common) < FEWEST_CASES:
            return dict.fromkeys((*CLAIM_METRICS, *ROUGE), (None, len(common)))
        one, other = ([side[case] for case in common] for side in (ours, theirs))
        found = pooled_differences([each.counts for each in one], [each.counts for each in other], seed=seed)
        rouge = [[_rouge(each) for each in side] for side in (one, other)]
        found |= {
            name: paired_bootstrap(*([each[name] for each in side] for side in rouge), seed=seed) for name in ROUGE
        }
        return {name: (difference, len(common)) for name, difference in found.items()}

    return Scores(measure=measure, compare=compare)


def pooled_differences(
    first: Sequence[ClaimCounts], second: Sequence[ClaimCounts], *, seed: int, resamples: int = _RESAMPLES
) -> dict[str, PairedDifference | None]:
    """Return the difference (first minus second) in each metric, with a bootstrap over cases.

    Both sides have the same cases in the same order. A difference is None if it is undefined for all cases together, or
    in more than half of the resamples.
    """
    ours, theirs = counts_matrix(first), counts_matrix(second)
    whole = _metrics(ours.sum(axis=0)) - _metrics(theirs.sum(axis=0))
    drawn = np.concatenate(
        [
            np.array([_metrics(one) - _metrics(other) for one, other in zip(times @ ours, times @ theirs, strict=True)])
            for times in draw_counts(len(ours), seed, resamples)
        ]
    )
    found: dict[str, PairedDifference | None] = {}
    for at, metric in enumerate(CLAIM_METRICS):
        told = drawn[np.isfinite(drawn[:, at]), at]
        tells = np.isfinite(whole[at]) and 2 * len(told) >= resamples
        found[metric] = from_resamples(float(whole[at]), told, len(ours)) if tells else None
    return found


def _metrics(sums: NDArray[np.float64] | NDArray[np.int64]) -> NDArray[np.float64]:
    found = metrics_of(counts_of(np.asarray(sums, dtype=np.int64)))
    values = (getattr(found, name) for name in CLAIM_METRICS)
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def _rouge(response: AttributedResponse) -> Mapping[str, float]:
    said, gold = response.example.response, response.example.reference
    return {"rouge_1": rouge_n(said, gold, 1).f1, "rouge_l": rouge_l(said, gold).f1}


def _example(case: ExperimentCase, answer: ArmAnswer) -> Example:
    return Example(
        id=case.id,
        query=case.question,
        context="\n\n".join(answer.passages),
        reference=case.reference,
        # An answer that declines makes no claims about the subject.
        response=answer.text if answer.outcome == "answered" else "",
        system=answer.arm,
        condition=case.condition,
    )
