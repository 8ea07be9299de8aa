"""A real organisation's list of abbreviations, taken in as a manager would and asked for in every letter case."""

import csv
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from contracts.jargon import Sense
from evaluation.results import Outcome, Scores
from evaluation.scores import rate_score
from golden_lab.benchmarks.base import Benchmark, CaseSet, Opened
from golden_lab.datasets.files import read_jsonl
from golden_lab.engine import Engine
from golden_lab.run import Run
from jargon_db.importing import import_files
from jargon_db.migrations import DICTIONARY
from jargon_db.sheets import RefusedSheet
from jargon_db.store import JargonStore
from tools.jargon.base import JargonDictionary
from tools.jargon.sql import SqlJargonDictionary
from tools.language import fold

_HEADER_LINES = 1
_AT_ONCE = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedTerm:
    """A term as it is first written with the numbers of its rows in the file, from 0, and the meaning in each."""

    id: str
    term: str
    meanings: Mapping[int, str]

    @property
    def spellings(self) -> tuple[str, ...]:
        """The term as written and in other letter cases."""
        term = self.term
        return tuple(dict.fromkeys((term, term.upper(), term.lower(), term.swapcase(), term.title())))


@dataclass(frozen=True, kw_only=True)
class DictionaryImport(Benchmark[ListedTerm]):
    """Scores how much of a list is taken in, and whether every term is found with all meanings that were."""

    def load(self, run: Run) -> CaseSet[ListedTerm]:
        """Read the list: one case a term, letter case apart."""
        terms: dict[str, dict[int, str]] = defaultdict(dict)
        written: dict[str, str] = {}
        for number, row in enumerate(read_jsonl(run.data / "va_acronyms" / "acronyms.jsonl")):
            key = fold(row["term"])
            written.setdefault(key, row["term"])
            terms[key][number] = row["meaning"]
        return CaseSet(
            cases=tuple(ListedTerm(id=key, term=written[key], meanings=meanings) for key, meanings in terms.items())
        )

    @asynccontextmanager
    async def prepare(self, cases: CaseSet[ListedTerm], engine: Engine, run: Run) -> Opened[ListedTerm]:
        """Import the list into an SQL database, without the rows that are refused, and yield what asks for one term."""
        from database.connection import open_database
        from database.migrating import migrate

        folder = run.work / "dictionary"
        folder.mkdir(parents=True, exist_ok=True)
        database = folder / "va.db"
        for old in folder.glob("va.db*"):
            old.unlink()
        sql = open_database(f"sqlite:///{database}")
        migrate(sql, DICTIONARY)
        rows = list(read_jsonl(run.data / "va_acronyms" / "acronyms.jsonl"))
        refused = import_without_refused(JargonStore(sql), rows, folder / "va.csv")
        try:
            answers = await _ask(cases.cases, SqlJargonDictionary(JargonStore(sql)))
        finally:
            sql.dispose()

        async def measure(case: ListedTerm) -> Outcome:
            return _outcome(case, answers, refused)

        yield measure

    def score(self, outcomes: Sequence[Outcome], run: Run) -> Scores:
        """Score the share of rows taken in, and of terms found whole as written and in any letter case."""
        accepted = [bool(row) for each in outcomes for row in each.values["accepted"]]
        asked = [each for each in outcomes if any(each.values["accepted"])]
        return Scores(
            scores=(
                rate_score("found in any letter case", [bool(each.values["any case"]) for each in asked]),
                rate_score("found as written", [bool(each.values["as written"]) for each in asked]),
                rate_score("rows taken in", accepted),
            )
        )


def import_without_refused(store: JargonStore, rows: Sequence[Mapping[str, str]], path: Path) -> dict[int, str]:
    """Import ``rows`` through a CSV file at ``path``, leaving out what the import refuses; return that with its reason.

    The import takes all of a file or nothing and names the wrong lines: a person takes these out and tries again.

    Raises:
        InvalidInput: the file is refused as a whole.
    """
    refused: dict[int, str] = {}
    while True:
        kept = [number for number in range(len(rows)) if number not in refused]
        _write(path, [rows[number] for number in kept])
        try:
            import_files(store, path)
        except RefusedSheet as error:
            if error.lines[0].line <= _HEADER_LINES:
                raise
            refused |= {kept[each.line - 1 - _HEADER_LINES]: each.text for each in error.lines}
        else:
            return refused


def _write(path: Path, rows: Sequence[Mapping[str, str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("term", "extended_name", "description", "notes"))
        # A row must be one line: its number is how a refusal names it.
        writer.writerows(
            [" ".join(row[name].split()) for name in ("term", "meaning", "context", "notes")] for row in rows
        )


async def _ask(cases: Sequence[ListedTerm], dictionary: JargonDictionary) -> dict[str, tuple[Sense, ...]]:
    """Look every spelling of every term up, many at a time: one query a term would take a minute."""
    asked = list(dict.fromkeys(spelling for case in cases for spelling in case.spellings))
    found: dict[str, tuple[Sense, ...]] = {}
    for start in range(0, len(asked), _AT_ONCE):
        found |= await dictionary.senses(asked[start : start + _AT_ONCE])
    return found


def _outcome(case: ListedTerm, answers: Mapping[str, Sequence[Sense]], refused: Mapping[int, str]) -> Outcome:
    expected = {fold(meaning) for number, meaning in case.meanings.items() if number not in refused}
    missing = {
        spelling: expected - {fold(sense.extended_name) for sense in answers[spelling]} for spelling in case.spellings
    }
    lost = {spelling: names for spelling, names in missing.items() if names}
    return Outcome(
        id=case.id,
        values={
            "accepted": [number not in refused for number in case.meanings],
            "as written": not missing[case.term],
            "any case": not lost,
        },
        loss=1.0 if lost else float(any(number in refused for number in case.meanings)) / 2,
        trace={
            "term": case.term,
            "meanings": "; ".join(case.meanings.values()),
            "refused": "; ".join(f"{case.meanings[n]}: {refused[n]}" for n in case.meanings if n in refused),
            "not found": "; ".join(f"{spelling}: {', '.join(sorted(names))}" for spelling, names in lost.items()),
        },
    )
