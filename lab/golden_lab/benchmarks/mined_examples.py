"""Terms mined from the example documents, page by page, against what a person found defined there."""

from collections.abc import Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from contracts.errors import InvalidInput
from contracts.jargon import MinedTerm
from evaluation.results import Outcome, Scores
from golden_lab.benchmarks.base import Benchmark, CaseSet, Opened
from golden_lab.benchmarks.pairs import pair_scores
from golden_lab.datasets.files import read_jsonl
from golden_lab.engine import Engine
from golden_lab.run import Run
from golden_lab.systems.examples import find_examples
from tools.language import content_stems, fold

# A term, and each way of writing its extended name that counts as right.
Names = tuple[str, ...]


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    document: str = Field(min_length=1)
    page: int = Field(ge=1)
    terms: list[list[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatedPage:
    """A page with the pairs that it defines: each a term and the accepted forms of its extended name."""

    id: str
    document: str
    page: int
    pairs: tuple[tuple[str, Names], ...]


@dataclass(frozen=True, kw_only=True)
class ExampleMining(Benchmark[AnnotatedPage]):
    """Scores the terms mined from the example documents; ``folder`` None means the examples beside the package."""

    folder: Path | None = None

    def load(self, run: Run) -> CaseSet[AnnotatedPage]:
        """Read the annotated pages.

        Raises:
            InvalidInput: the examples are not there, or a line is not of the form; the text names file and line.
        """
        return CaseSet(cases=annotated_pages(self._folder() / "mining.jsonl"))

    @asynccontextmanager
    async def prepare(self, cases: CaseSet[AnnotatedPage], engine: Engine, run: Run) -> Opened[AnnotatedPage]:
        """Read and mine each document as ingestion does, and yield what holds a page against its annotation."""
        from ingestion.limits import IngestionLimits
        from ingestion.workers.tasks import read_file

        mined: dict[tuple[str, int], tuple[MinedTerm, ...]] = {}
        for name in dict.fromkeys(case.document for case in cases.cases):
            for page in read_file(self._folder() / "documents" / name, IngestionLimits(), engine.ocr).pages:
                text = "\n".join(block.text for block in page.blocks)
                mined[name, page.number] = (await engine.term_miner.mine(text, page=page.number)).terms

        async def measure(case: AnnotatedPage) -> Outcome:
            return _outcome(case, mined.get((case.document, case.page), ()))

        yield measure

    def score(self, outcomes: Sequence[Outcome], run: Run) -> Scores:
        """Score precision, recall and F1 of the pairs."""
        return Scores(scores=tuple(pair_scores([each.values for each in outcomes], seed=run.seed)))

    def _folder(self) -> Path:
        return find_examples() if self.folder is None else self.folder


def annotated_pages(path: Path) -> tuple[AnnotatedPage, ...]:
    """Read a file of annotated pages: JSON lines of a document, a page and its terms with their extended names.

    Raises:
        InvalidInput: the file is not there, or a line is not of the form; the text names file and line.
    """
    pages = []
    for number, row in enumerate(read_jsonl(path), start=1):
        try:
            line = _Line.model_validate(row)
        except ValidationError as error:
            raise InvalidInput(f"{path}, line {number}: {error.errors()[0]['msg']}") from error
        if any(len(pair) < 2 or not all(pair) for pair in line.terms):
            raise InvalidInput(f"{path}, line {number}: each of “terms” is a list of a term and its extended names")
        pairs = tuple((pair[0], tuple(pair[1:])) for pair in line.terms)
        key = f"{line.document}#{line.page}"
        pages.append(AnnotatedPage(id=key, document=line.document, page=line.page, pairs=pairs))
    return tuple(pages)


def _outcome(case: AnnotatedPage, mined: Sequence[MinedTerm]) -> Outcome:
    left = list(case.pairs)
    wrong = []
    for each in mined:
        found = next((pair for pair in left if _same(each, pair)), None)
        if found is None:
            wrong.append(f"{each.term} = {each.extended_name}")
        else:
            left.remove(found)
    hits = len(case.pairs) - len(left)
    return Outcome(
        id=case.id,
        values={"hits": hits, "mined": len(mined), "expected": len(case.pairs)},
        loss=(len(left) + len(wrong)) / max(1, len(case.pairs) + len(wrong)),
        trace={
            "missed": "; ".join(f"{term} = {names[0]}" for term, names in left) or "nothing",
            "wrong": "; ".join(wrong) or "nothing",
        },
    )


def _same(mined: MinedTerm, pair: tuple[str, Names]) -> bool:
    term, names = pair
    if fold(mined.term) != fold(term):
        return False
    said = content_stems(mined.extended_name)
    return any(said == content_stems(name) or fold(mined.extended_name) == fold(name) for name in names)
