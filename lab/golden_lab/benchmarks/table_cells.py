"""Is a question about one cell of a table answered, whatever the table's form? Documents and cells are made by seed.

Read, cut, embedded and asked as anyone's documents are: a share for each step says where a cell is lost.
"""

import re
import tempfile
import time
from collections.abc import Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from agent.chatbot import Chatbot
from contracts.text import Chunk
from evaluation.quiz import QuizQuestion, score
from evaluation.results import Outcome, Scores
from evaluation.scores import rate_score
from golden_lab.benchmarks.base import Benchmark, CaseSet, Opened
from golden_lab.datasets.made_tables import MadeDocument, make_documents
from golden_lab.datasets.written_tables import write_documents
from golden_lab.engine import Engine
from golden_lab.run import Run
from golden_lab.systems.examples import open_folder

HELD, FOUND, ANSWERED = "in one passage", "among the first 5", "answered"
_DEPTH = 5
_RATES = (HELD, FOUND, ANSWERED)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedCell:
    """A question about a cell of ``document``'s table; ``needs`` are the texts that must stand in one passage."""

    id: str
    form: str
    document: str
    question: str
    row: str
    value: str
    needs: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class TableCells(Benchmark[AskedCell]):
    """Scores the steps from a table's cell to an answer.

    ``in one passage``: caption, header names, units, group and notes stand with the row and the value. ``among the
    first 5``: search brings such a passage. ``answered``: the bot says the value. ``questions`` are asked of each
    table that is in one of ``formats``.
    """

    questions: int = 5
    formats: tuple[str, ...] = (".docx", ".html", ".md", ".pdf", ".xlsx")

    def load(self, run: Run) -> CaseSet[AskedCell]:
        """Make the documents and draw the cells."""
        documents = self._documents(run)
        cases = tuple(
            AskedCell(
                id=f"{document.name}#{number}",
                form=document.form,
                document=document.name,
                question=cell.question,
                row=cell.row,
                value=cell.value,
                needs=cell.needs,
            )
            for document in documents
            for number, cell in enumerate(document.cells)
        )
        note = "" if find_spec("reportlab") else "; PDF files are left out, for reportlab is not installed"
        return CaseSet(cases=cases, note=f"{len(documents)} documents made with seed {run.seed}{note}")

    @asynccontextmanager
    async def prepare(self, cases: CaseSet[AskedCell], engine: Engine, run: Run) -> Opened[AskedCell]:
        """Write and ingest the documents, and yield what asks for a cell."""
        run.work.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=run.work) as name:
            folder = Path(name) / "documents"
            write_documents(self._documents(run), folder)
            async with open_folder(engine, folder, Path(name) / "tables.db") as bench:
                store, chatbot = bench.parts.store, Chatbot(bench.services)
                passages = {
                    document.name: [each for each in store.document_chunks(document.id) if each.kind == "passage"]
                    for document in store.documents()
                }

                async def measure(case: AskedCell) -> Outcome:
                    held = [each for each in passages[case.document] if holds(each, case)]
                    found = await bench.services.searcher.search([case.question], _DEPTH)
                    begun = time.perf_counter()
                    answer = await chatbot.ask(case.question)
                    asked = QuizQuestion(
                        id=case.id, question=case.question, kind="open", expect="answered", answer=case.value
                    )
                    result = score(asked, answer, (time.perf_counter() - begun) * 1_000)
                    values = {
                        "form": case.form,
                        HELD: bool(held),
                        FOUND: any(holds(each.chunk, case) for each in found),
                        ANSWERED: result.correct,
                    }
                    return Outcome(
                        id=case.id,
                        values=values,
                        loss=sum(not values[rate] for rate in _RATES) / len(_RATES),
                        trace={
                            "question": case.question,
                            "expected": case.value,
                            "got": f"{answer.outcome}: {answer.text[:300]}",
                            "needs": "; ".join(case.needs),
                            "first found": found[0].chunk.searchable_text[:800] if found else "nothing",
                        },
                    )

                yield measure

    def score(self, outcomes: Sequence[Outcome], run: Run) -> Scores:
        """Score each step over all cells, and by the form of table."""
        forms = sorted({str(each.values["form"]) for each in outcomes})
        scores = [rate_score(rate, [bool(each.values[rate]) for each in outcomes]) for rate in _RATES]
        for form in forms:
            of_form = [each for each in outcomes if each.values["form"] == form]
            scores += [rate_score(rate, [bool(each.values[rate]) for each in of_form], subset=form) for rate in _RATES]
        return Scores(scores=tuple(scores))

    def _documents(self, run: Run) -> tuple[MadeDocument, ...]:
        made = make_documents(run.seed, questions=self.questions * (4 if run.full else 1))
        written = (each for each in made if each.suffix in self.formats)
        return tuple(each for each in written if each.suffix != ".pdf" or find_spec("reportlab"))


def holds(passage: Chunk, cell: AskedCell) -> bool:
    """Say whether all that ``cell`` needs stands in what is searched of ``passage``, its row and value in one line."""
    text = passage.searchable_text
    rows = [line for line in text.split("\n") if _stands_in(cell.row, line) and _stands_in(cell.value, line)]
    return bool(rows) and all(_stands_in(need, text) for need in cell.needs)


def _stands_in(words: str, text: str) -> bool:
    wanted = r"\s+".join(map(re.escape, words.split()))
    return re.search(rf"(?<![\w.]){wanted}(?![\w])", text, re.IGNORECASE) is not None


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the benchmark of tables."""
    return (TableCells(name="table-cells"),)
