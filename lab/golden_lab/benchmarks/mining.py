"""Which abbreviation stands for which words: definitions mined from running text, from a specification, and a whole
dictionary of an organisation taken in.

In SDU@AAAI-22 people marked short and long forms, not which belong together; where a marked long form stands directly
before or behind a marked short form in brackets, or an equals sign joins them, the pair is theirs too.
"""

import re
from collections.abc import Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from contracts.errors import InvalidInput
from contracts.jargon import MinedTerm
from contracts.text import Span
from evaluation.results import Outcome, Score, Scores
from evaluation.scores import rate_score
from golden_lab.benchmarks.base import Benchmark, CaseBenchmark, CaseSet, Opened, sampled
from golden_lab.benchmarks.dictionary import DictionaryImport
from golden_lab.benchmarks.found_forms import find_forms, pair_scores
from golden_lab.datasets.files import read_jsonl
from golden_lab.datasets.forms import MarkedText, sdu22_texts
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


Pair = tuple[str, str]

_OPENING = re.compile(r"\s*[\"“”']?\s*[(\[]\s*[\"“”']?\s*")
_EQUALS = re.compile(r"\s*=\s*")
_FURTHEST = 6
_EDGES = re.compile(r"^\W+|\W+$")
_ENDING = re.compile(r"['’]?s$")


@dataclass(frozen=True, kw_only=True)
class PairMining(CaseBenchmark[MarkedText]):
    """Scores pairs of short and long form mined from ``size`` texts, or from all where the run is full."""

    size: int = 3_000

    def load(self, run: Run) -> CaseSet[MarkedText]:
        """Read the texts of the scored half."""
        texts = sdu22_texts(run.data)
        return sampled(texts, self.size, run, "texts")

    async def measure(self, case: MarkedText, engine: Engine) -> Outcome:
        mined = (await engine.term_miner.mine(case.text)).terms
        return _mining_outcome(case, {_mined_pair(each, case.text) for each in mined})

    def score(self, outcomes: Sequence[Outcome], run: Run) -> Scores:
        """Score precision, recall and F1 of the pairs, on all texts and on each part."""
        found: list[Score] = []
        for part in ("", *sorted({str(each.values["subset"]) for each in outcomes})):
            chosen = [each.values for each in outcomes if part in ("", each.values["subset"])]
            found += pair_scores(chosen, seed=run.seed, subset=part)
        return Scores(scores=tuple(found))


def marked_pairs(case: MarkedText) -> set[Pair]:
    """Return the pairs that the marks of ``case`` imply by standing together, each as it is compared."""
    return {
        (_short(case.text[short.start : short.end]), _long(case.text[long.start : long.end]))
        for short in case.shorts
        for long in case.longs
        if _together(short, long, case.text)
    }


def _mined_pair(mined: MinedTerm, text: str) -> Pair:
    short, long = find_forms(mined, text)
    return (
        _short(text[short.start : short.end] if short else mined.term),
        _long(text[long.start : long.end] if long else mined.extended_name),
    )


def _short(form: str) -> str:
    return _ENDING.sub("", _EDGES.sub("", form))


def _long(form: str) -> str:
    return fold(_EDGES.sub("", form))


def _together(short: Span, long: Span, text: str) -> bool:
    first, second = sorted((short, long), key=lambda each: each.start)
    if not 0 <= second.start - first.end <= _FURTHEST:
        return False
    between = text[first.end : second.start]
    return bool(_OPENING.fullmatch(between) or _EQUALS.fullmatch(between))


def _mining_outcome(case: MarkedText, found: set[Pair]) -> Outcome:
    """Hold the pairs against the marks; a pair of two marked forms that stand apart is neither right nor wrong."""
    expected = marked_pairs(case)
    shorts = {_short(case.text[span.start : span.end]) for span in case.shorts}
    longs = {_long(case.text[span.start : span.end]) for span in case.longs}
    judged = {
        (short, long) for short, long in found if (short, long) in expected or not (short in shorts and long in longs)
    }
    return Outcome(
        id=case.id,
        values={
            "subset": case.subset,
            "hits": len(judged & expected),
            "mined": len(judged),
            "expected": len(expected),
        },
        loss=len(judged ^ expected) / max(1, len(judged | expected)),
        trace={"text": case.text, "mined": _shown(found), "expected": _shown(expected)},
    )


def _shown(pairs: Iterable[Pair]) -> str:
    return "; ".join(f"{short} = {long}" for short, long in sorted(pairs))


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the benchmarks of this module, and those of the specification, the examples and the dictionary."""
    return (
        PairMining(name="mining-sdu22"),
        SpecificationMining(name="mining-caliptra"),
        ExampleMining(name="mining-examples"),
        DictionaryImport(name="dictionary-va"),
    )
