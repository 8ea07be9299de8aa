"""Customers' questions on real documentation, end to end: the right document cited, the answer given."""

from collections.abc import Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contracts.jargon import Sense
from evaluation.results import Outcome, Score
from evaluation.scores import mean_score, rate_score
from golden_lab.benchmarks.base import Benchmark, CaseSet, Opened, about
from golden_lab.benchmarks.library import OTHERS_OF_AWSDOCS, awsdocs_of, open_corpus
from golden_lab.datasets.files import read_jsonl
from golden_lab.engine import Engine
from golden_lab.metrics.text import token_f1
from golden_lab.run import Run
from golden_lab.splits import half
from golden_lab.systems.golden import GoldenSystem
from golden_lab.systems.measures import FAITHFULNESS, System, SystemAnswer, SystemQuestion, faithfulness_of, said
from golden_lab.systems.simple import PlainRagSystem
from tools.jargon.memory import InMemoryJargonDictionary

ANSWER_F1, DOCUMENT_CITED, ANSWERED, YES_NO = ("answer F1", "gold document cited", "answered", "yes or no right")
_RATES = (DOCUMENT_CITED, ANSWERED, YES_NO)
_QUESTIONS = "awsdocs/qa.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentationCase:
    """A question with its answer, the document that holds it, and "yes" or "no" where the answer is one of them."""

    id: str
    question: str
    answer: str
    document: str
    yes_or_no: str


def load(run: Run) -> CaseSet[DocumentationCase]:
    """Read the questions of the half that is scored."""
    cases = tuple(
        DocumentationCase(
            id=row["id"],
            question=row["question"].strip(),
            answer=row["answer"],
            document=row["doc_id"],
            yes_or_no={"Yes": "yes", "No": "no"}.get(row["yes_no_none"], ""),
        )
        for row in read_jsonl(run.data / _QUESTIONS)
        if half(_QUESTIONS, row["id"]) == "score"
    )
    others = "all documents" if run.full else f"{OTHERS_OF_AWSDOCS} documents without an answer, seed {run.seed}"
    return CaseSet(cases=cases, note=f"core guides, {others}")


@asynccontextmanager
async def prepare(cases: CaseSet[DocumentationCase], engine: Engine, run: Run) -> Opened[DocumentationCase]:
    """Open the library, with the provider's own glossary as the dictionary; ask plain RAG and the bot."""
    dictionary = InMemoryJargonDictionary(read_glossary(run.data))
    async with open_corpus(awsdocs_of(run), engine, run) as library:
        services = engine.services_over(library.searcher, library.lexical, dictionary)
        systems: tuple[System, ...] = (PlainRagSystem(services), GoldenSystem(services))

        async def measure(case: DocumentationCase) -> Outcome:
            return await _measure(case, systems)

        yield measure


def read_glossary(data: Path) -> tuple[Sense, ...]:
    """Read the abbreviations of the provider's glossary as published senses."""
    senses: list[Sense] = []
    for row in read_jsonl(data / "awsdocs" / "glossary.jsonl"):
        abbreviation, name = row.get("abbrev"), row["term"].split(" (")[0].strip()
        if abbreviation and abbreviation.casefold() != name.casefold():
            senses.append(
                Sense(id=len(senses) + 1, term=abbreviation, extended_name=name, description=row["definition"])
            )
    return tuple(senses)


async def _measure(case: DocumentationCase, systems: Sequence[System]) -> Outcome:
    values: dict[str, Any] = {"answer": case.yes_or_no or "text"}
    trace = {"question": case.question, "gold": f"{case.document}: {case.answer}"}
    loss = 1.0
    for system in systems:
        answer = await system.answer(SystemQuestion(text=case.question))
        numbers = _numbers(case, answer)
        values[system.name] = numbers
        trace[system.name] = said(answer.outcome, answer.text)
        loss = 1.0 - (numbers[DOCUMENT_CITED] or 0.0)
    return Outcome(id=case.id, values=values, loss=loss, trace=trace)


def _numbers(case: DocumentationCase, answer: SystemAnswer) -> dict[str, float | None]:
    answered = not answer.declined
    first = answer.draft.split(maxsplit=1)[0].strip(",.;:!").casefold() if answered and answer.draft else ""
    return {
        DOCUMENT_CITED: float(any(each.document_name == case.document for each in answer.citations)),
        ANSWERED: float(answered),
        ANSWER_F1: token_f1(answer.draft, case.answer) if answered else 0.0,
        YES_NO: float(first == case.yes_or_no) if case.yes_or_no else None,
        FAITHFULNESS: faithfulness_of(answer.answer.sentences) if answered else None,
    }


def score(outcomes: Sequence[Outcome], seed: int) -> list[Score]:
    """Score both systems; an answer that was not given has an F1 of 0."""
    found = []
    for system in [name for name, value in outcomes[0].values.items() if isinstance(value, Mapping)]:
        for metric in (*_RATES, ANSWER_F1, FAITHFULNESS):
            numbers = [each.values[system][metric] for each in outcomes if each.values[system][metric] is not None]
            if numbers and metric in _RATES:
                found.append(rate_score(metric, [each == 1.0 for each in numbers], system=system))
            elif numbers:
                found.append(mean_score(metric, numbers, seed=seed, system=system))
    return found


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the benchmark of answers from documentation."""
    return (Benchmark(about=about("awsdocs-answers"), load=load, prepare=prepare, score=score),)
