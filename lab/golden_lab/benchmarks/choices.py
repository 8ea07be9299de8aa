"""Multiple-choice questions: what they are, and how systems that choose are scored."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evaluation.benchmark import Outcome, Score, Scores
from evaluation.run import Run
from evaluation.scores import rate_score, statistic_score
from golden_lab.datasets.quizzes import ChoiceCase
from golden_lab.systems.golden import WHOLE
from golden_lab.systems.measures import said
from golden_lab.systems.values import System, SystemQuestion, chosen_label, lettered

ACCURACY = "accuracy"
GAIN_OVER_RAG = "gain over plain RAG"
GAIN_OVER_CLOSED_BOOK = "gain over no retrieval"
CHANCE = "chance"
PLAIN = "plain RAG"
CLOSED_BOOK = "no retrieval"


async def measure_choices(case: ChoiceCase, systems: Sequence[System]) -> Outcome:
    """Ask every system; a system that declines or names no option is wrong.

    The loss is that of the last system; blind choice is right once in as many times as there are options.
    """
    choices = lettered(case.options)
    gold = choices[case.right]
    numbers: dict[str, object] = {"subset": case.subset, CHANCE: {ACCURACY: 1 / len(choices)}}
    trace = {"question": SystemQuestion(text=case.text, choices=choices).asked, "gold": f"{gold.label}) {gold.text}"}
    loss = 1.0 - 1 / len(choices)
    for system in systems:
        answer = await system.answer(SystemQuestion(text=case.text, choices=choices))
        label = "" if answer.declined else chosen_label(answer.text, choices)
        correct = float(label == gold.label)
        numbers[system.name] = {ACCURACY: correct, "answered": float(bool(label))}
        trace[system.name] = said(answer.outcome, answer.text)
        loss = 1.0 - correct
    return Outcome(id=case.id, values=numbers, loss=loss, trace=trace)


def score_choices(outcomes: Sequence[Outcome], run: Run) -> Scores:
    """Score the accuracy of every system, over all and by subset, and what the whole bot gains over the others."""
    systems = [name for name in outcomes[0].values if name not in ("subset", CHANCE)] if outcomes else []
    scores = [_accuracy(outcomes, system) for system in systems]
    scores += [rate_score("answered", _column(outcomes, system, "answered"), system=system) for system in systems]
    if outcomes:
        scores.append(_chance(outcomes))
    for metric, baseline in ((GAIN_OVER_RAG, PLAIN), (GAIN_OVER_CLOSED_BOOK, CLOSED_BOOK)):
        if WHOLE in systems and baseline in systems and any(_column(outcomes, baseline, ACCURACY)):
            scores.append(_gain(metric, outcomes, baseline, run.seed))
    subsets = sorted({str(outcome.values["subset"]) for outcome in outcomes})
    for subset in subsets if len(subsets) > 1 else []:
        of_subset = [outcome for outcome in outcomes if outcome.values["subset"] == subset]
        scores += [_accuracy(of_subset, system, subset) for system in systems]
    return Scores(scores=tuple(scores))


def _column(outcomes: Sequence[Outcome], system: str, metric: str) -> list[bool]:
    return [outcome.values[system][metric] == 1.0 for outcome in outcomes]


def _accuracy(outcomes: Sequence[Outcome], system: str, subset: str = "") -> Score:
    return rate_score(ACCURACY, _column(outcomes, system, ACCURACY), system=system, subset=subset)


def _chance(outcomes: Sequence[Outcome]) -> Score:
    value = float(np.mean([outcome.values[CHANCE][ACCURACY] for outcome in outcomes]))
    return Score(metric=ACCURACY, value=value, low=value, high=value, n=len(outcomes), system=CHANCE)


def _gain(metric: str, outcomes: Sequence[Outcome], baseline: str, seed: int) -> Score:
    ours = np.array(_column(outcomes, WHOLE, ACCURACY), dtype=np.float64)
    theirs = np.array(_column(outcomes, baseline, ACCURACY), dtype=np.float64)

    def gain(rows: NDArray[np.intp]) -> float:
        # A resample in which the other system is never right has no ratio: it is left out.
        below = theirs[rows].mean()
        return float(ours[rows].mean() / below - 1) if below else float("nan")

    return statistic_score(metric, gain, len(outcomes), seed=seed, system=WHOLE)
