"""Does a passage help to answer a question? The relevance judge, tested on passages labelled by people."""

from collections.abc import Sequence
from typing import Any

from agent.wording import percent
from golden_lab.benchmarks.base import Benchmark, about, one_by_one, sample_of
from golden_lab.benchmarks.scores import Values, class_scores, constant_scores, probability_scores
from golden_lab.datasets.annotated import excerpt, mtrag_questions
from golden_lab.datasets.cases import Case
from golden_lab.engine import Engine
from golden_lab.results import Outcome, Score

SIDES = ("relevant", "irrelevant")
_STRICT = "“relevant” only"


async def judge_relevance(case: Case, engine: Engine) -> Outcome:
    """Judge one case; "relevant" and "partial" count as relevant. The loss is that of the worst passage."""
    found = (await engine.judges.relevance_judge.judge(case.question, case.passages)).passages
    losses = [abs(one.probability - float(truth)) for truth, one in zip(case.relevant, found, strict=True)]
    worst = losses.index(max(losses))
    return Outcome(
        id=case.id,
        values={
            "passages": [
                {
                    "truth": truth,
                    "said": one.label in ("relevant", "partial"),
                    "probability": one.probability,
                    "group": case.group,
                    "label": one.label,
                }
                for truth, one in zip(case.relevant, found, strict=True)
            ]
        },
        loss=losses[worst],
        trace={
            "question": case.question,
            "passage": excerpt(case.passages[worst].text),
            "passages": str(len(case.passages)),
            "said": f"{found[worst].label}: {percent(found[worst].probability)}",
            "truth": SIDES[0] if case.relevant[worst] else SIDES[1],
        },
    )


def score(outcomes: Sequence[Outcome], seed: int) -> list[Score]:
    """Score both classes and the probabilities over all passages; intervals resample conversations.

    A second system counts only the label "relevant", not "partial", as relevant.
    """
    rows = _passages(outcomes)
    strict = [{**row, "said": row["label"] == "relevant"} for row in rows]
    return [
        *class_scores(rows, SIDES, seed),
        *class_scores(strict, SIDES, seed, system=_STRICT),
        *constant_scores(rows, SIDES, seed),
        *probability_scores(rows, seed),
    ]


def _passages(outcomes: Sequence[Outcome]) -> list[Values]:
    return [row for each in outcomes for row in each.values["passages"]]


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the context-relevance benchmark."""
    return (
        Benchmark(
            about=about("relevance-mtrag"),
            load=sample_of(mtrag_questions, 75, "questions"),
            prepare=one_by_one(judge_relevance),
            score=score,
            verdicts=_passages,
        ),
    )
