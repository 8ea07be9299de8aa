"""Terms of a specification's own table of abbreviations, mined from the whole document as ingestion reads it."""

from collections.abc import Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from contracts.jargon import MinedTerm
from evaluation.results import Outcome, Scores
from evaluation.scores import rate_score
from golden_lab.benchmarks.base import Benchmark, CaseSet, Opened
from golden_lab.datasets.files import read_jsonl
from golden_lab.engine import Engine
from golden_lab.run import Run
from tools.language import content_stems, fold

# The table "Terminology" of the Caliptra specification, and the document that it stands in.
_TABLE, _DOCUMENT = "Caliptra.md#Terminology", "caliptra-spec"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableTerm:
    """A term of the table with its expansion, both as its writers put them."""

    id: str
    term: str
    extended_name: str


@dataclass(frozen=True, kw_only=True)
class SpecificationMining(Benchmark[TableTerm]):
    """Scores how many terms of a document's table of abbreviations are mined from it with their expansions."""

    def load(self, run: Run) -> CaseSet[TableTerm]:
        """Read the terms of the table."""
        rows = read_jsonl(run.data / "hwspecs" / "glossary.jsonl")
        terms = dict.fromkeys((row["term"], row["meaning"]) for row in rows if row["source"] == _TABLE)
        return CaseSet(cases=tuple(TableTerm(id=term, term=term, extended_name=name) for term, name in terms))

    @asynccontextmanager
    async def prepare(self, cases: CaseSet[TableTerm], engine: Engine, run: Run) -> Opened[TableTerm]:
        """Read and mine the document as ingestion does, and yield what looks a term up in what was mined."""
        from ingestion.limits import IngestionLimits
        from ingestion.readers.registry import reader_for

        rows = read_jsonl(run.data / "hwspecs" / "docs.jsonl.gz")
        text = next(row["text"] for row in rows if row["id"] == _DOCUMENT)
        path = run.work / "specifications" / f"{_DOCUMENT}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        mined: list[MinedTerm] = []
        for page in reader_for(path).read(path, IngestionLimits(), None):
            whole = "\n".join(block.text for block in page.blocks)
            mined += (await engine.term_miner.mine(whole, page=page.number)).terms

        async def measure(case: TableTerm) -> Outcome:
            same = [each for each in mined if fold(each.term) == fold(case.term)]
            right = any(content_stems(each.extended_name) == content_stems(case.extended_name) for each in same)
            return Outcome(
                id=case.id,
                values={"recall": float(right)},
                loss=0.0 if right else 1.0,
                trace={
                    "term": case.term,
                    "expected": case.extended_name,
                    "mined": "; ".join(each.extended_name for each in same) or "nothing",
                },
            )

        yield measure

    def score(self, outcomes: Sequence[Outcome], run: Run) -> Scores:
        """Score the share of terms that were mined with their expansion, whatever else was mined."""
        return Scores(scores=(rate_score("recall", [bool(each.values["recall"]) for each in outcomes]),))
