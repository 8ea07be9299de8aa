"""Customers' questions on real documentation, end to end: the right document cited, the answer given."""

from collections.abc import Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contracts.jargon import Sense
from evaluation.results import Outcome, Scores
from evaluation.scores import mean_score, rate_score
from golden_lab.benchmarks.base import Benchmark, CaseSet, Opened
from golden_lab.benchmarks.library import open_corpus
from golden_lab.datasets.corpora import load_awsdocs
from golden_lab.datasets.files import read_jsonl
from golden_lab.engine import Engine
from golden_lab.metrics.text import token_f1
from golden_lab.run import Run
from golden_lab.splits import half
from golden_lab.systems.golden import GoldenSystem
from golden_lab.systems.measures import FAITHFULNESS, System, SystemAnswer, SystemQuestion, faithfulness_of, said
from golden_lab.systems.simple import PlainRagSystem
from tools.jargon.memory import InMemoryJargonDictionary

ANSWER_F1 = "answer F1"
DOCUMENT_CITED = "gold document cited"
ANSWERED = "answered"
YES_NO = "yes or no right"

_QUESTIONS = "awsdocs/qa.jsonl"
_GLOSSARY = "awsdocs/glossary.jsonl"
# The same sample as the benchmark of retrieval, so that both open one library.
_OTHERS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentationCase:
    """A question with its answer, the document that holds it, and "yes" or "no" where the answer is one of them."""

    id: str
    question: str
    answer: str
    document: str
    yes_or_no: str


@dataclass(frozen=True, kw_only=True)
class AnswersFromDocumentation(Benchmark[DocumentationCase]):
    """Asks the bot and plain RAG what customers asked; ``others`` limits the documents that hold no answer."""

    others: int = _OTHERS
    name: str = "awsdocs-answers"

    def load(self, run: Run) -> CaseSet[DocumentationCase]:
        """Read the questions of the half that is scored.

        Raises:
            InvalidInput: the file is not there or not of its form; the text names it.
        """
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
        others = "all documents" if run.full else f"{self.others} documents without an answer, seed {run.seed}"
        return CaseSet(cases=cases, note=f"core guides, {others}")

    @asynccontextmanager
    async def prepare(self, cases: CaseSet[DocumentationCase], engine: Engine, run: Run) -> Opened[DocumentationCase]:
        """Open the library; the dictionary is the provider's own glossary."""
        collection = load_awsdocs(run.data, others=None if run.full else self.others, seed=run.seed)
        dictionary = InMemoryJargonDictionary(read_glossary(run.data))
        async with open_corpus(collection, engine, run) as library:
            services = engine.services_over(library.searcher, library.lexical, dictionary)
            systems: tuple[System, ...] = (PlainRagSystem(services), GoldenSystem(services))

            async def measure_case(case: DocumentationCase) -> Outcome:
                return await _measure(case, systems)

            yield measure_case

    def score(self, outcomes: Sequence[Outcome], run: Run) -> Scores:
        """Score both systems; an answer that was not given has an F1 of 0."""
        scores = []
        for system in [name for name, value in outcomes[0].values.items() if isinstance(value, Mapping)]:
            rows = [outcome.values[system] for outcome in outcomes]
            scores += [
                rate_score(DOCUMENT_CITED, [row[DOCUMENT_CITED] == 1.0 for row in rows], system=system),
                rate_score(ANSWERED, [row[ANSWERED] == 1.0 for row in rows], system=system),
                mean_score(ANSWER_F1, [row[ANSWER_F1] for row in rows], seed=run.seed, system=system),
            ]
            told = [row[YES_NO] == 1.0 for row in rows if row[YES_NO] is not None]
            faithful = [row[FAITHFULNESS] for row in rows if row[FAITHFULNESS] is not None]
            scores += [rate_score(YES_NO, told, system=system)] if told else []
            scores += [mean_score(FAITHFULNESS, faithful, seed=run.seed, system=system)] if faithful else []
        return Scores(scores=tuple(scores))


def read_glossary(data: Path) -> tuple[Sense, ...]:
    """Read the abbreviations of the provider's glossary as published senses.

    Raises:
        InvalidInput: the file is not there or not of its form.
    """
    senses: list[Sense] = []
    for row in read_jsonl(data / _GLOSSARY):
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


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the benchmark of answers from documentation."""
    return (AnswersFromDocumentation(),)
