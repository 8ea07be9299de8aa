"""Which benchmarks tell of which judgement, by which figure, and what an adapter of an 8B model reached."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evaluation.metrics.checking import Floats, f1_of, share
from golden_lab.benchmarks.identification import SHORT
from golden_lab.benchmarks.verdict_scores import weighted_f1
from golden_lab.metrics.probability import auroc

Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A benchmark of ``judgement``: ``rows`` makes of an outcome's values rows of numbers, ``figure`` a score of rows.

    ``published`` is the figure of Granite 3.3 8B with an adapter trained for this judgement, "" where there is none.
    ``everything`` measures all cases, not a sample.
    """

    benchmark: str
    judgement: str
    metric: str
    rows: Callable[[Values], Sequence[Sequence[float]]]
    figure: Callable[[Floats], float]
    published: str = ""
    everything: bool = False


def _verdict(values: Values) -> Sequence[Sequence[float]]:
    return [(float(values["truth"]), float(values["said"]), float(values["probability"]))]


def _passages(values: Values) -> Sequence[Sequence[float]]:
    return [row for each in values["passages"] for row in _verdict(each)]


def _short_forms(values: Values) -> Sequence[Sequence[float]]:
    return [[float(each) for each in values[SHORT]]]


def _weighted_f1(rows: Floats) -> float:
    return weighted_f1(rows[:, 0], rows[:, 1])


def _f1_of_true(rows: Floats) -> float:
    truth, said = rows[:, 0] == 1, rows[:, 1] == 1
    hits = int((truth & said).sum())
    return f1_of(share(hits, int(said.sum())), share(hits, int(truth.sum())))


def _auroc(rows: Floats) -> float:
    return auroc(rows[:, 2], rows[:, 0])


def _f1_of_counts(rows: Floats) -> float:
    hits, found, there = np.asarray(rows.sum(axis=0)).tolist()
    return f1_of(share(hits, found), share(hits, there))


JUDGED = (
    Judged(
        benchmark="relevance-mtrag",
        judgement="context_relevance",
        metric="weighted F1",
        rows=_passages,
        figure=_weighted_f1,
        published="precision relevant 0.96, recall irrelevant 0.73",
        everything=True,
    ),
    Judged(
        benchmark="answerability-squad2",
        judgement="answerability",
        metric="weighted F1",
        rows=_verdict,
        figure=_weighted_f1,
        published="weighted F1 0.750",
    ),
    Judged(
        benchmark="answerability-mtrag",
        judgement="answerability",
        metric="weighted F1",
        rows=_verdict,
        figure=_weighted_f1,
        published="weighted F1 0.900",
        everything=True,
    ),
    Judged(
        benchmark="hallucination-ragtruth",
        judgement="faithfulness",
        metric="F1 hallucinated",
        rows=_verdict,
        figure=_f1_of_true,
        published="F1 hallucinated 0.686",
    ),
    *(
        Judged(
            benchmark=f"hallucination-{name}", judgement="faithfulness", metric="AUROC", rows=_verdict, figure=_auroc
        )
        for name in ("wice", "expertqa", "begin")
    ),
    Judged(
        benchmark="identification-sdu21",
        judgement="jargon_identification",
        metric="F1 short forms",
        rows=_short_forms,
        figure=_f1_of_counts,
    ),
)
