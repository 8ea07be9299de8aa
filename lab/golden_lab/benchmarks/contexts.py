"""In which context is a question asked? Guides of the AWS documentation are the contexts.

The classifier is asked as the bot asks it: with the contexts that its dictionary describes, with three examples each
and without, and with questions that askers corrected besides, a fifth of them wrongly. "None of these" is an answer
like every other.
"""

from collections.abc import Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.services import Services
from contracts.jargon import Context, Correction, Sense
from contracts.verdicts import ContextVerdict
from evaluation.results import Outcome, Score, Scores
from evaluation.scores import mean_score, statistic_score
from golden_lab.benchmarks.base import Benchmark, CaseSet, Opened
from golden_lab.datasets.guides import ContextCase, draw_cases
from golden_lab.empty_library import EmptyLexicalIndex, EmptySearcher
from golden_lab.engine import Engine
from golden_lab.metrics.classification import classification_scores, expected_calibration_error, reliability_bins
from golden_lab.plots import reliability_plot
from golden_lab.run import Run
from tools.jargon.memory import InMemoryJargonDictionary

WITH_EXAMPLES, WITHOUT_EXAMPLES = "with examples", "without examples"
WITH_CORRECTIONS = "with examples and corrected questions"
_SYSTEMS = (WITH_EXAMPLES, WITHOUT_EXAMPLES, WITH_CORRECTIONS)
# The term whose meanings were corrected; no question uses it.
_CORRECTED_TERM = "ZQXW"
_NONE = "none of these"
_DRAWINGS, _DRAWINGS_FULL = 36, 100


@dataclass(frozen=True, kw_only=True)
class ContextReading(Benchmark[ContextCase]):
    """Scores the classification of questions among drawn sets of contexts."""

    drawings: int = _DRAWINGS

    def load(self, run: Run) -> CaseSet[ContextCase]:
        """Draw sets of guides with questions on them: 36 sets, or 100 where the run is full."""
        drawings = _DRAWINGS_FULL if run.full else self.drawings
        cases = draw_cases(run.data, "score", drawings=drawings, seed=run.seed)
        return CaseSet(cases=cases, note=f"{len(cases):,} questions on {drawings} sets of guides, seed {run.seed}")

    @asynccontextmanager
    async def prepare(self, cases: CaseSet[ContextCase], engine: Engine, run: Run) -> Opened[ContextCase]:
        """Make the judgements over a dictionary of each set's contexts, and yield what classifies one question."""
        services: dict[tuple[int, str], Services] = {}
        for case in cases.cases:
            for system, contexts in _systems(case):
                if (case.drawing, system) not in services:
                    dictionary = await _dictionary(case, contexts, corrected=system == WITH_CORRECTIONS)
                    services[case.drawing, system] = engine.services_over(
                        EmptySearcher(), EmptyLexicalIndex(), dictionary
                    )

        async def measure(case: ContextCase) -> Outcome:
            verdicts = {}
            for system, _ in _systems(case):
                using = services[case.drawing, system]
                contexts = await using.dictionary.contexts()
                verdicts[system] = await using.context_classifier.classify(case.question, contexts)
            return _outcome(case, verdicts)

        yield measure

    def score(self, outcomes: Sequence[Outcome], run: Run) -> Scores:
        """Score the systems, each kind of question, and what the probabilities mean."""
        found: list[Score] = []
        for system in _SYSTEMS:
            found += _system_scores(outcomes, system, run.seed)
        for kind in sorted({str(each.values["kind"]) for each in outcomes}):
            chosen = [each for each in outcomes if each.values["kind"] == kind]
            found.append(_mean(chosen, "accuracy", WITH_EXAMPLES, run.seed, subset=kind))
        said, right = _said(outcomes, WITH_EXAMPLES)
        plot = reliability_plot(reliability_bins(said, right), "Context of a question, with examples")
        return Scores(scores=tuple(found), figures=(plot,))


def _systems(case: ContextCase) -> tuple[tuple[str, tuple[Context, ...]], ...]:
    return (
        (WITH_EXAMPLES, case.contexts),
        (WITHOUT_EXAMPLES, case.without_examples),
        (WITH_CORRECTIONS, case.contexts),
    )


async def _dictionary(case: ContextCase, contexts: Sequence[Context], *, corrected: bool) -> InMemoryJargonDictionary:
    """Make a dictionary of ``contexts``, where ``corrected`` with what the askers before chose."""
    if not corrected:
        return InMemoryJargonDictionary((), contexts)
    senses = [
        Sense(id=number, term=_CORRECTED_TERM, extended_name=context.name, context=context.name)
        for number, context in enumerate(contexts, start=1)
    ]
    dictionary = InMemoryJargonDictionary(senses, contexts)
    for question, chosen in case.corrected:
        await dictionary.record_correction(
            Correction(term=_CORRECTED_TERM, extended_name=chosen, context=chosen, question=question)
        )
    return dictionary


def _outcome(case: ContextCase, verdicts: Mapping[str, ContextVerdict]) -> Outcome:
    values = {system: _values(case, verdict) for system, verdict in verdicts.items()}
    first = verdicts[WITH_EXAMPLES]
    told = [f"{each.name} {each.probability:.0%}" for each in first.contexts]
    return Outcome(
        id=case.id,
        values={"kind": case.kind, "truth": case.truth or _NONE, "drawing": case.drawing, **values},
        loss=1.0 - (first.probability_of(case.truth) if case.truth else first.none_of_these),
        trace={
            "question": case.question,
            "kind": case.kind,
            "expected": case.truth or _NONE,
            "found": first.best or _NONE,
            "probabilities": ", ".join([*told, f"{_NONE} {first.none_of_these:.0%}"]),
        },
    )


def _values(case: ContextCase, verdict: ContextVerdict) -> dict[str, Any]:
    likeliest = verdict.contexts[0]
    values: dict[str, Any] = {
        "predicted": verdict.best or _NONE,
        "probability": min(1.0, max(likeliest.probability, verdict.none_of_these)),
        "accuracy": float(verdict.best == case.truth),
    }
    if case.truth:
        values["accuracy within contexts"] = float(likeliest.name == case.truth)
    else:
        values["recall of none of these"] = float(not verdict.best)
    return values


def _system_scores(outcomes: Sequence[Outcome], system: str, seed: int) -> list[Score]:
    truth = [str(each.values["truth"]) for each in outcomes]
    predicted = [str(each.values[system]["predicted"]) for each in outcomes]
    said, right = _said(outcomes, system)

    def macro_f1(rows: NDArray[np.intp]) -> float:
        return classification_scores([truth[row] for row in rows], [predicted[row] for row in rows]).macro_f1

    def calibration_error(rows: NDArray[np.intp]) -> float:
        return expected_calibration_error(said[rows], right[rows])

    return [
        _mean(outcomes, "accuracy", system, seed),
        statistic_score("macro-F1", macro_f1, len(outcomes), seed=seed, system=system),
        _mean(outcomes, "accuracy within contexts", system, seed),
        _mean(outcomes, "recall of none of these", system, seed),
        statistic_score("ECE", calibration_error, len(outcomes), seed=seed, system=system, higher_is_better=False),
    ]


def _said(outcomes: Sequence[Outcome], system: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the probability of the answer that was given, and whether it was right, by outcome."""
    rows = [each.values[system] for each in outcomes]
    return np.array([row["probability"] for row in rows]), np.array([row["accuracy"] for row in rows])


def _mean(outcomes: Sequence[Outcome], metric: str, system: str, seed: int, *, subset: str = "") -> Score:
    """Score a mean over the outcomes that have it; questions on one set of contexts hang together."""
    chosen = [each for each in outcomes if metric in each.values[system]]
    values = [float(each.values[system][metric]) for each in chosen]
    groups = [str(each.values["drawing"]) for each in chosen]
    return mean_score(metric, values, seed=seed, system=system, subset=subset, groups=groups)


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the benchmarks of this module."""
    return (ContextReading(name="contexts-awsdocs"),)
