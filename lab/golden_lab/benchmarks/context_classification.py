"""In which context is a question asked? Guides from the AWS documentation serve as contexts.

The dictionary describes the contexts, as in the bot. The classifier runs without examples, with three per context, and
with questions whose context earlier askers corrected, a fifth of them wrongly. "None of these" is also possible.
"""

from collections.abc import Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import numpy as np

from agent.services import Services
from contracts.jargon import Context, Correction, Sense
from contracts.verdicts import ContextVerdict
from golden_lab.benchmarks.base import Benchmark, CaseSet, Opened, about
from golden_lab.benchmarks.scores import Rows, Values, of_subset, system_scores
from golden_lab.datasets.guides import ContextCase, draw_cases
from golden_lab.empty_library import EmptyLexicalIndex, EmptySearcher
from golden_lab.engine import Engine
from golden_lab.memory_dictionary import InMemoryJargonDictionary
from golden_lab.metrics.classification import classification_scores, expected_calibration_error
from golden_lab.results import Outcome, Score
from golden_lab.run import Run
from golden_lab.scores import statistic_score

WITH_EXAMPLES, WITHOUT_EXAMPLES = "with examples", "without examples"
WITH_CORRECTIONS = "with examples and corrected questions"
SYSTEMS = (WITH_EXAMPLES, WITHOUT_EXAMPLES, WITH_CORRECTIONS)
# The term that earlier askers corrected; no question contains it.
_CORRECTED_TERM = "ZQXW"
_NONE = "none of these"
_DRAWINGS, _DRAWINGS_FULL = 36, 100


def load(run: Run) -> CaseSet[ContextCase]:
    """Draw 36 sets of guides with questions about them, or 100 sets in a full run."""
    drawings = _DRAWINGS_FULL if run.full else _DRAWINGS
    cases = draw_cases(run.data, "score", drawings=drawings, seed=run.seed)
    return CaseSet(cases=cases, note=f"{len(cases):,} questions on {drawings} sets of guides, seed {run.seed}")


@asynccontextmanager
async def prepare(cases: CaseSet[ContextCase], engine: Engine, run: Run) -> Opened[ContextCase]:
    """Make a dictionary of the contexts of each set, and yield the function that classifies one question."""
    services: dict[tuple[int, str], Services] = {}
    for case in cases.cases:
        for system in SYSTEMS if (case.drawing, WITH_EXAMPLES) not in services else ():
            dictionary = await _dictionary(case, _contexts(case, system), corrected=system == WITH_CORRECTIONS)
            services[case.drawing, system] = engine.services_over(EmptySearcher(), EmptyLexicalIndex(), dictionary)

    async def measure(case: ContextCase) -> Outcome:
        verdicts = {}
        for system in SYSTEMS:
            using = services[case.drawing, system]
            verdicts[system] = await using.context_classifier.classify(case.question, await using.dictionary.contexts())
        return _outcome(case, verdicts)

    yield measure


def _contexts(case: ContextCase, system: str) -> tuple[Context, ...]:
    return case.without_examples if system == WITHOUT_EXAMPLES else case.contexts


async def _dictionary(case: ContextCase, contexts: Sequence[Context], *, corrected: bool) -> InMemoryJargonDictionary:
    """Make a dictionary of ``contexts``; if ``corrected``, include the contexts that earlier askers chose."""
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
    first = verdicts[WITH_EXAMPLES]
    shares = [f"{each.name} {each.probability:.0%}" for each in first.contexts]
    return Outcome(
        id=case.id,
        values={
            "kind": case.kind,
            "truth": case.truth or _NONE,
            "group": case.drawing,
            **{system: _values(case, verdict) for system, verdict in verdicts.items()},
        },
        loss=1.0 - (first.probability_of(case.truth) if case.truth else first.none_of_these),
        trace={
            "question": case.question,
            "kind": case.kind,
            "expected": case.truth or _NONE,
            "found": first.best or _NONE,
            "probabilities": ", ".join([*shares, f"{_NONE} {first.none_of_these:.0%}"]),
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


def score(outcomes: Sequence[Outcome], seed: int) -> list[Score]:
    """Score each system and each kind of question; questions about the same set of contexts are dependent."""
    means = ("accuracy", "accuracy within contexts", "recall of none of these")
    found = system_scores(outcomes, means, seed, systems=SYSTEMS)
    for system in SYSTEMS:
        found += _class_scores(outcomes, system, seed)
    for kind in sorted({str(each.values["kind"]) for each in outcomes}):
        chosen = of_subset(outcomes, kind, "kind")
        found += system_scores(chosen, ("accuracy",), seed, subset=kind, systems=(WITH_EXAMPLES,))
    return found


def _class_scores(outcomes: Sequence[Outcome], system: str, seed: int) -> list[Score]:
    truth = [str(each.values["truth"]) for each in outcomes]
    predicted = [str(each.values[system]["predicted"]) for each in outcomes]
    said = np.array([each.values[system]["probability"] for each in outcomes])
    right = np.array([each.values[system]["accuracy"] for each in outcomes])

    def macro_f1(rows: Rows) -> float:
        return classification_scores([truth[row] for row in rows], [predicted[row] for row in rows]).macro_f1

    def calibration_error(rows: Rows) -> float:
        return expected_calibration_error(said[rows], right[rows])

    return [
        statistic_score("macro-F1", macro_f1, len(outcomes), seed=seed, system=system),
        statistic_score("ECE", calibration_error, len(outcomes), seed=seed, system=system, higher_is_better=False),
    ]


def _verdicts(outcomes: Sequence[Outcome]) -> list[Values]:
    rows = [each.values[WITH_EXAMPLES] for each in outcomes]
    return [{"probability": row["probability"], "truth": row["accuracy"]} for row in rows]


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the context-classification benchmark."""
    return (Benchmark(about=about("contexts-awsdocs"), load=load, prepare=prepare, score=score, verdicts=_verdicts),)
