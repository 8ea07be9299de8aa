"""Compare answer judges with people: with ratings of single answers, and with preferences between two answers."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import numpy as np

from contracts.errors import InvalidInput
from golden_lab.benchmarks.base import Benchmark, CaseSet, Opened, about, sample_of
from golden_lab.benchmarks.scores import Rows
from golden_lab.engine import Engine
from golden_lab.intervals import Floats, f1_of
from golden_lab.judge.grades import CRITERIA, AnswerToGrade
from golden_lab.judge.human_ratings import (
    PREFERENCE_LABELS,
    RATED_AS,
    PreferencePair,
    RatedAnswer,
    load_preferences,
    load_ratings,
)
from golden_lab.judge.judges import claim_checker_of, grader_of
from golden_lab.metrics.text import rouge_l
from golden_lab.results import Outcome, Score
from golden_lab.run import Run
from golden_lab.scores import mean_score, statistic_score
from golden_lab.statistics import kendall, pearson, spearman

_RATED_TASKS = 24
_WIN_RATE = "win-rate"
_WEIGHTED = "weighted"
_SECOND_PERSON, _ROUGE = "a second person", "ROUGE-L"
Correlation = Callable[[Floats, Floats], float]


def load_rated(run: Run) -> CaseSet[RatedAnswer]:
    """Read the half of the ratings that is not used for fitting; a sampled question keeps all three answers."""
    rated = load_ratings(run.data, "score")
    names = tuple(dict.fromkeys(each.task for each in rated))
    kept = set(run.sample(names, _RATED_TASKS))
    cases = tuple(each for each in rated if each.task in kept)
    return CaseSet(cases=cases, note=run.sample_note(len(kept), len(names), "questions with three answers each"))


@asynccontextmanager
async def prepare_grades(cases: CaseSet[RatedAnswer], engine: Engine, run: Run) -> Opened[RatedAnswer]:
    """Yield the function that grades one answer; its question is the last turn, rewritten to stand alone."""
    grader = grader_of(engine)

    async def measure(case: RatedAnswer) -> Outcome:
        rewritten = await engine.judges.question_rewriter.rewrite(case.item.question, case.turns[:-1])
        grades = await grader.grade(case.item.model_copy(update={"question": rewritten.text}))
        given = {name: grades.of(name) for name in CRITERIA} | {_WEIGHTED: grades.weighted}
        # Convert ratings of 1 to 4 to the judge's scale of 1 to 5, to compute the judge's error.
        wanted = 1 + (case.ratings["faithfulness"] - 1) * 4 / 3
        return Outcome(
            id=case.id,
            values={"task": case.task, "judge": given, "people": dict(case.ratings), "metrics": dict(case.metrics)},
            loss=min(1.0, abs(grades.faithfulness - wanted) / 4),
            trace={
                "question": rewritten.text,
                "answer": case.item.answer,
                "system": case.system,
                "faithfulness": f"judge {grades.faithfulness:.1f}, people {wanted:.1f} of 5",
                "judge": grades.explanation,
            },
        )

    yield measure


def rating_scores(outcomes: Sequence[Outcome], seed: int) -> list[Score]:
    """Correlate the judge, and each metric in the data set, with people's ratings, by criterion.

    The weighted grade is compared with the win rate. Intervals resample questions.
    """
    metrics = list(dict.fromkeys(name for each in outcomes for name in each.values["metrics"]))
    found: list[Score] = []
    for rating, criterion in [*((RATED_AS[name], name) for name in CRITERIA), (_WIN_RATE, _WEIGHTED)]:
        for system in ("", *metrics):
            rows = [
                (float(said), float(each.values["people"][rating]), str(each.values["task"]))
                for each in outcomes
                if (said := each.values["metrics"].get(system) if system else each.values["judge"][criterion])
                is not None
            ]
            # Kendall's tau is computed for the judge only, because a thousand resamples of it take seconds.
            kinds = {"Spearman": spearman} if system else {"Spearman": spearman, "Kendall tau-b": kendall}
            found += _correlations(rows, kinds, system, rating, seed)
    return found


@asynccontextmanager
async def prepare_preferences(cases: CaseSet[PreferencePair], engine: Engine, run: Run) -> Opened[PreferencePair]:
    """Yield the function that scores the two answers of one pair.

    The data set has no passages. Correctness is the share of the answer's claims that the reference supports,
    completeness the share of the reference's claims that the answer supports, and "overall" the F1 of the two.
    """
    checker = claim_checker_of(engine)

    async def supported(pair: PreferencePair, answer: str, source: str) -> float:
        item = AnswerToGrade(id=pair.id, question=pair.question, passages=(source,), answer=answer)
        claims = await checker.check(item)
        # The mean probability is the expected share of supported claims; yes-or-no verdicts are 0 or 1.
        return float(np.mean([claim.probability for claim in claims])) if claims else 0.0

    async def scores(pair: PreferencePair, answer: str) -> dict[str, float]:
        correct = await supported(pair, answer, pair.reference)
        complete = await supported(pair, pair.reference, answer)
        return {"correctness": correct, "completeness": complete, "overall": f1_of(correct, complete)}

    async def measure(pair: PreferencePair) -> Outcome:
        first, second = await scores(pair, pair.first), await scores(pair, pair.second)
        judge = {name: second[name] - first[name] for name in PREFERENCE_LABELS}
        rouge = rouge_l(pair.second, pair.reference).f1 - rouge_l(pair.first, pair.reference).f1
        people = float(np.mean([label["overall"] for label in pair.labels]))
        return Outcome(
            id=pair.id,
            values={"judge": judge, "rouge": rouge, "labels": [dict(label) for label in pair.labels]},
            loss=float(abs(people) / 2 if people * judge["overall"] < 0 else 0.0),
            trace={
                "question": pair.question,
                "first": pair.first,
                "second": pair.second,
                "reference": pair.reference,
                "overall": f"judge {judge['overall']:+.2f}, people {people:+.1f} (above 0: the second is better)",
            },
        )

    yield measure


def preference_scores(outcomes: Sequence[Outcome], seed: int) -> list[Score]:
    """Correlate score differences with people's labels, and measure how often the better answer is recognised.

    Each person's label is one row, as in the data set's own script; intervals resample whole pairs.
    """
    found: list[Score] = []
    for label in PREFERENCE_LABELS:
        for system in ("", _ROUGE, _SECOND_PERSON):
            rows = list(_label_rows(outcomes, label, system))
            found += _correlations(rows, {"Pearson": pearson, "Spearman": spearman}, system, label, seed)
            decided = [(said, wanted, pair) for said, wanted, pair in rows if wanted != 0]
            if decided:
                # A tie counts as half right.
                right = [0.5 if said == 0 else float(said * wanted > 0) for said, wanted, _ in decided]
                pairs = [pair for *_, pair in decided]
                found.append(mean_score("accuracy", right, seed=seed, system=system, subset=label, groups=pairs))
    return found


def _label_rows(outcomes: Sequence[Outcome], label: str, system: str) -> list[tuple[float, float, str]]:
    rows = []
    for each in outcomes:
        labels = [float(one[label]) for one in each.values["labels"]]
        if system == _SECOND_PERSON:
            # Compare the two people once per pair: the second person's label with the first person's.
            rows += [(labels[1], labels[0], each.id)] if len(labels) > 1 else []
            continue
        said = each.values["rouge"] if system == _ROUGE else each.values["judge"][label]
        rows += [(float(said), one, each.id) for one in labels]
    return rows


def _correlations(
    rows: Sequence[tuple[float, float, str]], kinds: Mapping[str, Correlation], system: str, subset: str, seed: int
) -> list[Score]:
    """Return the correlations of (said, wanted, group) rows, leaving out those that cannot be computed."""
    said = np.array([row[0] for row in rows])
    wanted = np.array([row[1] for row in rows])
    groups = [row[2] for row in rows]
    found = []
    for metric, correlate in kinds.items():

        def statistic(chosen: Rows, correlate: Correlation = correlate) -> float:
            return correlate(said[chosen], wanted[chosen])

        try:
            found.append(
                statistic_score(metric, statistic, len(rows), seed=seed, system=system, subset=subset, groups=groups)
            )
        except InvalidInput:
            # All grades are the same, or there are too few answers, so no correlation can be computed.
            continue
    return found


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the benchmarks of answer judges."""
    return (
        Benchmark(about=about("judge-ratings"), load=load_rated, prepare=prepare_grades, score=rating_scores),
        Benchmark(
            about=about("judge-preferences"),
            load=sample_of(load_preferences, 50, "pairs of answers"),
            prepare=prepare_preferences,
            score=preference_scores,
        ),
    )
