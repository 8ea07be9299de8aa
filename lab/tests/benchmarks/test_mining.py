"""Mined definitions, and a dictionary taken in, on small files of the public sets' formats."""

from pathlib import Path

import pytest

from contracts.errors import InvalidInput
from contracts.text import Span
from database.connection import open_database
from database.migrating import migrate
from golden_lab.benchmarks.dictionary import DictionaryImport, import_without_refused
from golden_lab.benchmarks.mining import benchmarks, marked_pairs
from golden_lab.datasets.forms import MarkedText
from golden_lab.run import Run
from jargon_db.migrations import DICTIONARY
from jargon_db.store import JargonStore
from lab.tests.benchmarks.jargon_bench import hashing_engine, measure_all, value, write_rows


def marked_text(text: str, shorts: list[str], longs: list[str]) -> MarkedText:
    def spans(forms: list[str]) -> tuple[Span, ...]:
        return tuple(Span(text.index(form), text.index(form) + len(form)) for form in forms)

    return MarkedText(id="1", text=text, shorts=spans(shorts), longs=spans(longs))


def test_forms_that_stand_together_are_a_pair() -> None:
    case = marked_text(
        "The state machine (SM), CRC = cyclic check, and DMA, a direct access.",
        ["SM", "CRC", "DMA"],
        ["state machine", "cyclic check", "direct access"],
    )
    assert marked_pairs(case) == {("SM", "state machine"), ("CRC", "cyclic check")}


def test_pairs_are_compared_by_their_words() -> None:
    case = marked_text("The Neural Tube Defects (NTD's)3 of all.", ["NTD's"], ["Neural Tube Defects"])
    assert marked_pairs(case) == {("NTD", "neural tube defects")}


async def test_pairs_are_scored_by_both_forms(tmp_path: Path) -> None:
    filler = {"text": "Nothing.", "acronyms": [], "long-forms": []}
    right = {"text": "The finite state machine (FSM) runs.", "acronyms": [[26, 29]], "long-forms": [[4, 24]]}
    unmarked = {**right, "acronyms": [], "long-forms": []}
    missed = {"text": "The board (QX) met.", "acronyms": [[11, 13]], "long-forms": [[4, 9]]}
    for domain in ("legal", "scientific"):
        rows = [{**filler, "ID": f"f{n}"} for n in range(1_200)]
        rows += [
            {**row, "ID": f"{kind}{n}"}
            for n in range(8)
            for kind, row in zip("rum", (right, unmarked, missed), strict=True)
        ]
        write_rows(tmp_path / "sdu22_ae" / domain / "train.jsonl.gz", rows)
    outcomes, scores = await measure_all(benchmarks()[0], hashing_engine(), Run(data=tmp_path, work=tmp_path))
    drawn = [name.split("-")[1][0] for name in outcomes]
    hits, extra, lost = drawn.count("r"), drawn.count("u"), drawn.count("m")
    assert min(hits, extra, lost) > 0
    assert value(scores, "precision") == pytest.approx(hits / (hits + extra))
    assert value(scores, "recall") == pytest.approx(hits / (hits + lost))
    assert {outcome.loss for name, outcome in outcomes.items() if "-r" in name} == {0.0}


async def test_a_documents_own_terms_are_mined(tmp_path: Path) -> None:
    table = "# Terminology\n\n| Abbreviation | Description |\n|---|---|\n| BMC | Baseboard Management Controller |\n"
    document = {"id": "caliptra-spec", "text": table + "\nThe rest.\n"}
    rows = [
        {"term": "BMC", "meaning": "Baseboard Management Controller", "source": "Caliptra.md#Terminology"},
        {"term": "XYZ", "meaning": "Extra Yellow Zone", "source": "Caliptra.md#Terminology"},
        {"term": "VA", "meaning": "Virtual Address", "source": "elsewhere"},
    ]
    write_rows(tmp_path / "hwspecs" / "glossary.jsonl", rows)
    write_rows(tmp_path / "hwspecs" / "docs.jsonl.gz", [document])
    outcomes, scores = await measure_all(benchmarks()[1], hashing_engine(), Run(data=tmp_path, work=tmp_path / "work"))
    assert value(scores, "recall") == 0.5
    assert outcomes["XYZ"].trace["mined"] == "nothing"


def row(term: str, meaning: str, context: str = "") -> dict[str, str]:
    return {"term": term, "meaning": meaning, "context": context, "notes": ""}


async def test_a_dictionary_is_found_in_any_letter_case(tmp_path: Path) -> None:
    rows = [
        row("a11y", "accessibility", "between a\nand y"),
        row("ADR", "Adverse Drug Reaction"),
        row("adr", "Alternative Dispute Resolution"),
        row("ADR", "Adverse Drug Reaction", "otherwise"),
        row("NIL", ""),
    ]
    write_rows(tmp_path / "va_acronyms" / "acronyms.jsonl", rows)
    bench, run = DictionaryImport(name="dictionary-va"), Run(data=tmp_path, work=tmp_path / "work")
    outcomes, scores = await measure_all(bench, hashing_engine(), run)
    assert set(outcomes) == {"a11y", "adr", "nil"}
    assert value(scores, "rows taken in") == pytest.approx(3 / 5)
    assert value(scores, "found in any letter case") == value(scores, "found as written") == 1.0
    assert outcomes["nil"].values["accepted"] == [False]
    assert "already" in outcomes["adr"].trace["refused"]
    # A second run begins with an empty dictionary.
    _, again = await measure_all(bench, hashing_engine(), run)
    assert again == scores


def test_rows_are_taken_out_by_their_lines_one_or_many(tmp_path: Path) -> None:
    again = {**row("ADR", "Adverse Drug Reaction"), "notes": "others"}
    for number, (rows, refused) in enumerate(
        [
            ([row("ADR", "Adverse Drug Reaction"), row("A", "B"), again], [2]),
            ([row("NIL", ""), row("A", "B"), row("NIL", "")], [0, 2]),
        ]
    ):
        engine = open_database(f"sqlite:///{tmp_path / f'{number}.db'}")
        migrate(engine, DICTIONARY)
        store = JargonStore(engine)
        assert sorted(import_without_refused(store, rows, tmp_path / "rows.csv")) == refused
        assert len(store.senses()) == len(rows) - len(refused)


def test_an_import_that_names_no_line_is_not_tried_for_ever(tmp_path: Path) -> None:
    engine = open_database(f"sqlite:///{tmp_path / 'd.db'}")
    migrate(engine, DICTIONARY)
    with pytest.raises(InvalidInput):
        import_without_refused(JargonStore(engine), [row("A", "B")], tmp_path / "rows.xlsx")
