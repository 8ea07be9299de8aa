"""A multiple-choice quiz on telecommunications, answered without retrieval, by plain RAG and by the bot."""

from collections.abc import Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from golden_lab.benchmarks.base import Benchmark, CaseSet, Opened, about, sampled
from golden_lab.benchmarks.corpus_library import open_corpus
from golden_lab.benchmarks.scores import Rows, of_subset
from golden_lab.datasets.corpora import Collection, CollectionPassage
from golden_lab.datasets.files import read_jsonl
from golden_lab.engine import Engine
from golden_lab.results import Outcome, Score
from golden_lab.run import Run
from golden_lab.scores import rate_score, statistic_score
from golden_lab.splits import half
from golden_lab.systems.examples import mine_dictionary
from golden_lab.systems.golden import WHOLE, GoldenSystem
from golden_lab.systems.measures import System, SystemQuestion, chosen_label, lettered, said
from golden_lab.systems.simple import ClosedBookSystem, PlainRagSystem

TELEQNA = "teleqna/teleqna.jsonl.gz"
ACCURACY = "accuracy"
GAIN_OVER_RAG = "gain over plain RAG"
GAIN_OVER_CLOSED_BOOK = "gain over no retrieval"
CHANCE = "chance"
PLAIN = "plain RAG"
CLOSED_BOOK = "no retrieval"
_REMARK = (
    "open book: the explanations of all 2,000 questions are the library, so that no figure compares with published "
    "closed-book ones"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceCase:
    """A question with its ``options``, of which ``options[right]`` is correct; ``subset`` is its category."""

    id: str
    text: str
    options: tuple[str, ...]
    right: int
    subset: str


def read_teleqna(run: Run) -> tuple[ChoiceCase, ...]:
    """Read the half of TeleQnA that was not used to fit any judgement."""
    return tuple(
        ChoiceCase(
            id=row["id"],
            text=row["question"].strip(),
            options=tuple(row["options"]),
            right=row["answer_idx"],
            subset=row["category"],
        )
        for row in read_jsonl(run.data / TELEQNA)
        if half("teleqna", row["question"]) == "score"
    )


def read_explanations(run: Run) -> Collection:
    """Read the explanations of all TeleQnA questions as passages, without duplicates."""
    texts = dict.fromkeys(row["explanation"].strip() for row in read_jsonl(run.data / TELEQNA))
    named = ((f"explanation {number}", text) for number, text in enumerate(texts) if text)
    return Collection(
        name="teleqna-explanations",
        passages=tuple(
            CollectionPassage(id=name, unit=name, document=name, title="", text=text) for name, text in named
        ),
        questions=(),
        note="explanations",
        set_name="teleqna",
    )


def load(run: Run) -> CaseSet[ChoiceCase]:
    """Read the questions."""
    drawn = sampled(read_teleqna(run), 150, run, "questions")
    return CaseSet(cases=drawn.cases, note="; ".join(filter(None, (drawn.note, _REMARK))))


@asynccontextmanager
async def prepare(cases: CaseSet[ChoiceCase], engine: Engine, run: Run) -> Opened[ChoiceCase]:
    """Open the library that the quiz is answered from, and make the systems that use it."""
    collection = read_explanations(run)
    async with open_corpus(collection, engine, run) as library:
        dictionary = await mine_dictionary(collection.passages, engine.term_miner)
        services = engine.services_over(library.searcher, library.lexical, dictionary)
        systems = (ClosedBookSystem(engine.chat), PlainRagSystem(services), GoldenSystem(services))

        async def measure(case: ChoiceCase) -> Outcome:
            return await measure_choices(case, systems)

        yield measure


async def measure_choices(case: ChoiceCase, systems: Sequence[System]) -> Outcome:
    """Ask every system; a system that declines or names no option counts as wrong.

    The loss is that of the last system. The chance accuracy is 1 divided by the number of options.
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


def score(outcomes: Sequence[Outcome], seed: int) -> list[Score]:
    """Score the accuracy of every system, overall and by subset, and the gain of the whole bot over the others."""
    systems = [name for name in outcomes[0].values if name not in ("subset", CHANCE)]
    found = [_accuracy(outcomes, system) for system in systems]
    found += [rate_score("answered", _column(outcomes, system, "answered"), system=system) for system in systems]
    found.append(_chance(outcomes))
    for metric, baseline in ((GAIN_OVER_RAG, PLAIN), (GAIN_OVER_CLOSED_BOOK, CLOSED_BOOK)):
        if WHOLE in systems and baseline in systems and any(_column(outcomes, baseline, ACCURACY)):
            found.append(_gain(metric, outcomes, baseline, seed))
    subsets = sorted({str(outcome.values["subset"]) for outcome in outcomes})
    for subset in subsets if len(subsets) > 1 else []:
        found += [_accuracy(of_subset(outcomes, subset), system, subset) for system in systems]
    return found


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

    def gain(rows: Rows) -> float:
        # A resample in which the other system has no correct answer has no ratio, so it is left out.
        below = theirs[rows].mean()
        return float(ours[rows].mean() / below - 1) if below else float("nan")

    return statistic_score(metric, gain, len(outcomes), seed=seed, system=WHOLE)


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the quiz on telecommunications."""
    return (Benchmark(about=about("quiz-teleqna"), load=load, prepare=prepare, score=score),)
