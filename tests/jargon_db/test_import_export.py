"""Imported files, and exports: they import back to the same dictionary, and no cell of them runs as a formula."""

import csv
from contextlib import suppress
from pathlib import Path

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, delete

from contracts.dictionary import FieldChange, ImportReport
from contracts.errors import InvalidInput
from contracts.jargon import Context, Sense
from jargon_db.import_export import export_contexts, export_terms, import_files, read_contexts, read_terms
from jargon_db.store import JargonStore
from jargon_db.tables import contexts, senses, terms
from tests.models import replace

HEADER = "term,aliases,context,extended_name,description,notes,source\n"


def write(folder: Path, text: str, *, name: str = "dictionary.csv", encoding: str = "utf-8") -> Path:
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


def test_a_row_becomes_a_published_sense(store: JargonStore, tmp_path: Path) -> None:
    row = 'PLR,"phy retry; link retry ;",Protocols,Physical Layer Retransmission,"Repeats,\nframes",See ACK,p. 3\n'
    path = write(tmp_path, HEADER + row)
    draft = store.add_sense("plr", "physical layer retransmission", context="protocols", state="draft")
    assert import_files(store, path).terms == ImportReport(added=0, changed=1, unchanged=0)
    (sense,) = store.senses()
    assert (sense.id, sense.state, sense.aliases) == (draft.id, "published", ("phy retry", "link retry"))
    assert sense.description == "Repeats,\nframes"
    changed = write(tmp_path, HEADER + row.replace("p. 3", "p. 4") + "ECC,,,Error Correcting Code,,,\n")
    assert import_files(store, changed).terms == ImportReport(added=1, changed=1, unchanged=0)


def test_encodings_of_spreadsheet_programs_are_read(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for encoding in ["utf-8", "utf-8-sig", "cp1252", "utf-16"]:
        with subtests.test(encoding=encoding):
            path = write(tmp_path, "Term;Extended Name\r\nÜG;Übergröße – „quer“\r\n", encoding=encoding)
            (sense,) = read_terms(path).values()
            assert (sense.term, sense.extended_name) == ("ÜG", "Übergröße – „quer“")


def test_a_file_that_cannot_be_read_says_why(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for content, word in [
        (b"term,extended_name\nA,\x81\xff\n", "line 2.*UTF-8"),
        ("term,extended_name\nA,b\n".encode("utf-16-le"), "line 1.*is missing"),
        ("\ufeffterm,extended_name\nA,b\n".encode("utf-16-le")[:-1], "line 2.*not UTF-16"),
        (b"", "empty"),
        (b"term,name\nA,b\n", "'extended_name' is missing; the column 'name' is unknown"),
        (b"term,extended_name,term\nA,b,c\n", "twice"),
        (b'term,extended_name\nA,b\nB,"open\n', "line 3.*quotes"),
        (b"term,extended_name\nA,b,c\n", "line 2.*more cells"),
        (b"term,extended_name,state\nA,Alpha,Draft\nB,Beta,final\n", "line 3: The state is 'final'"),
    ]:
        with subtests.test(content=content):
            path = tmp_path / "dictionary.csv"
            path.write_bytes(content)
            with pytest.raises(InvalidInput, match=word) as raised:
                read_terms(path)
            assert "dictionary.csv" in str(raised.value)
    for name in ("broken.xlsx", "old.xls", "absent.csv"):
        if not name.startswith("absent"):
            (tmp_path / name).write_bytes(b"PK\x03\x04 and nothing more")
        with pytest.raises(InvalidInput, match=name):
            read_terms(tmp_path / name)


def test_every_problem_is_listed_with_its_line_and_nothing_is_imported(store: JargonStore, tmp_path: Path) -> None:
    rows = [
        "OK,,,All Right,,,",
        ",,,No Term,,,",
        "B,,,,,,",
        '"two\nlines",,,Fine,,,',
        "C,C,,See,,,",
        "ok,,,ALL  RIGHT,,,",
        f"D,,,{'x' * 401},,,",
    ]
    path = write(tmp_path, HEADER + "\n".join(rows))
    with pytest.raises(InvalidInput) as raised:
        import_files(store, path)
    lines = str(raised.value).splitlines()
    assert lines[0] == "dictionary.csv has 5 problems; nothing was imported."
    assert lines[1:] == [
        "line 3: The term is empty.",
        "line 4: The extended_name is empty.",
        "line 7: 'C' is an alias of itself.",
        "line 8: 'ok = ALL RIGHT' is already in line 2, with a different term, extended_name.",
        "line 9: The extended_name has 401 characters; at most 400 are allowed.",
    ]
    assert store.senses() == ()
    assert store.version() == "0"
    # If every line is wrong, the message lists only some of them.
    path = write(tmp_path, "term,extended_name\n" + ",x\n" * 500)
    with pytest.raises(InvalidInput, match=r"and \d+ more") as raised:
        read_terms(path)
    assert len(str(raised.value).splitlines()) == 52


def test_a_preview_says_what_would_change_and_changes_nothing(store: JargonStore, tmp_path: Path) -> None:
    store.add_sense("PLR", "Physical Layer Retransmission", context="Protocols", notes="old")
    store.add_sense("ECC", "Error Correcting Code")
    store.put_context(Context(name="Test", description="Old."))
    rows = "PLR,,protocols,physical layer retransmission,,new,\nPLR,,Protocols,Parts Lost Ratio,,,\n"
    path = write(tmp_path, HEADER + rows + "ECC,,,Error Correcting Code,,,\n\nXIP,,,Execute In Place,,,\n")
    described = write(tmp_path, "name,description\nTest,New.\nProtocols,\nMore,x\n", name="contexts.csv")
    before = (store.version(), store.senses(), store.contexts(), store.history())
    preview = import_files(store, path, described, preview=9)
    assert preview.terms is not None
    assert preview.contexts is not None
    senses, contexts = preview.terms.rows, preview.contexts.rows
    assert {(row.name, row.before is None) for row in senses} == {("PLR", False), ("PLR", True), ("XIP", True)}
    changed = next(row for row in senses if row.before)
    assert FieldChange(field="notes", before="old", after="new") in changed.differences
    assert [(row.name, row.before is None) for row in contexts] == [("Test", False), ("More", True)]
    assert contexts[0].differences == (FieldChange(field="description", before="Old.", after="New."),)
    short = import_files(store, path, preview=1)
    assert (len(short.terms.rows), short.terms.rows_left_off, short.contexts) == (1, 2, None)
    assert (store.version(), store.senses(), store.contexts(), store.history()) == before
    report = import_files(store, path).terms
    assert (report.added, report.changed, report.unchanged) == (2, 1, 1)


def test_xlsx_is_read_like_csv(store: JargonStore, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["Term", "Aliases", "Extended name", None])
    sheet.append(["PLR", "phy retry", "Physical Layer Retransmission"])
    sheet.append([])
    sheet.append([8051, None, "A Microcontroller"])
    book.save(tmp_path / "dictionary.xlsx")
    assert import_files(store, tmp_path / "dictionary.xlsx").terms.added == 2
    assert {sense.term for sense in store.senses()} == {"PLR", "8051"}
    sheet.append(["X", None, None])
    book.save(tmp_path / "dictionary.xlsx")
    with pytest.raises(InvalidInput, match="line 5: The extended_name is empty"):
        import_files(store, tmp_path / "dictionary.xlsx")


def test_repeated_row_counts_once_and_contradictory_row_is_named(store: JargonStore, tmp_path: Path) -> None:
    row = "ECC,,,Error Correcting Code,Finds errors.,,\n"
    path = write(tmp_path, HEADER + row + "A,,,Alpha,,,\n" + row + row.replace("ECC,", "ECC , "))
    assert list(read_terms(path)) == [2, 3]
    assert import_files(store, path).terms == ImportReport(added=2, changed=0, unchanged=0)
    path = write(tmp_path, HEADER + row + row.replace("Finds", "Mends") + row)
    why = r"line 3: 'ECC = Error Correcting Code' is already in line 2.* different description"
    with pytest.raises(InvalidInput, match=why):
        import_files(store, path)
    contexts = write(tmp_path, "name,description\nTest,x\nTest,x\n", name="contexts.csv")
    assert list(read_contexts(contexts).values()) == [Context(name="Test", description="x")]


def test_terms_that_look_the_same_are_one_term(store: JargonStore, tmp_path: Path, subtests: pytest.Subtests) -> None:
    sense = store.add_sense("Café Müller", "A coffee house")
    for number, spelling in enumerate(
        [
            "Cafe\u0301 Müller",  # an accent as a separate character
            "CAFÉ  MÜLLER",
            "Ca\u200bfé Mül\u00adler",  # zero-width space, soft hyphen
            "\ufeffCafé\u2060 Müller\u200f",  # byte order mark, word joiner, right-to-left mark
            "\u202aCafé Müller\u202c",
            "Café\u00a0Müller",
        ]
    ):
        with subtests.test(spelling=spelling):
            path = write(tmp_path, f"term,extended_name,notes\n{spelling},A coffee house,{number}\n")
            assert import_files(store, path).terms.changed == 1
            (changed,) = store.senses()
            assert (changed.id, changed.notes) == (sense.id, str(number))
            assert store.look_up([spelling, "cafe müller"]) == {spelling: (changed,), "cafe müller": ()}


def test_invisible_characters_are_removed_and_are_not_a_name(store: JargonStore, tmp_path: Path) -> None:
    path = write(tmp_path, "term,extended_name\nP\u200bLR\u200e,שלום \u202eעולם\nمی\u200cخواهم,Persian\n")
    import_files(store, path)
    assert [(sense.term, sense.extended_name) for sense in store.senses()] == [
        ("PLR", "שלום עולם"),
        ("می\u200cخواهم", "Persian"),
    ]
    path = write(tmp_path, "term,extended_name\n\u200b\u200d,x\n\u0301,x\nOK,\u00ad\n")
    with pytest.raises(InvalidInput) as raised:
        import_files(store, path)
    assert str(raised.value).splitlines()[1:] == [
        "line 2: The term is empty.",
        "line 3: The term is empty.",
        "line 4: The extended_name is empty.",
    ]


def test_mostly_empty_sheet_is_refused_quickly(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["term", "extended_name"])
    for row in range(2, 640):
        sheet.cell(row, 1, f"T{row}")
        sheet.cell(row, 2, "Name")
        sheet.cell(row, 16_384, "")
    book.save(tmp_path / "wide.xlsx")
    with pytest.raises(InvalidInput, match=r"wide\.xlsx, line 611: more than 10000000 cells up to here"):
        read_terms(tmp_path / "wide.xlsx")


def test_contexts_are_imported_with_examples(tmp_path: Path) -> None:
    path = write(tmp_path, "name,description,examples\nTest,About testing.,What is sort? | What is a|b?\nOther,,\n")
    assert tuple(read_contexts(path).values()) == (
        Context(name="Test", description="About testing.", examples=("What is sort?", "What is a|b?")),
        Context(name="Other"),
    )
    wrong = write(tmp_path, "name,description\nTest,x\n,y\n TEST ,z\n")
    with pytest.raises(InvalidInput, match=r"line 3: The name is empty\.\nline 4: 'TEST' is already in line 2, with"):
        read_contexts(wrong)


@given(content=st.binary(max_size=300))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_are_read_or_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "any.csv"
    path.write_bytes(b"term,extended_name\n" + content)
    refused = ""
    try:
        rows = read_terms(path)
    except InvalidInput as error:
        rows, refused = {}, str(error)
    assert all(sense.term and sense.extended_name for sense in rows.values())
    assert not refused or "any.csv" in refused


NASTY = (
    "=1+1", "'=1+1", "''=x", "'", "'quoted'", '"', '""', ";", "a;b", "a\\;b", "\\", "\\\\;", "a\\", "|", "a | b", "\\|",
    "x |", "| y", "a|b", "+5V", "-", "@sum", "＝1", "%_[]{}()^$.*?", "'; DROP TABLE jargon_senses; --", ",", "\t", "\n",
    "a\nb", "a\r\n=b", "שלום", "\u202eabc", "e\u0301", "\u200d", "\x01", "\x1f", "\ufffe", "\ufeff", "_x005F_",
    "_x0041_", "x005F_", "_x005F_x0041_x0042_", "#N/A", "TRUE", "007", "1.0", "1e5", "😀", "İ", "ß", "CE#",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(NASTY) | st.text(max_size=4), max_size=3).map("".join)


def unnumbered(store: JargonStore) -> list[Sense]:
    return [replace(sense, id=0) for sense in store.senses()]


def wipe(engine: Engine) -> None:
    with engine.begin() as connection:
        connection.execute(delete(senses))
        connection.execute(delete(terms))
        connection.execute(delete(contexts).where(contexts.c.key != ""))


@given(
    wanted=st.lists(
        st.builds(
            Sense,
            id=st.just(0),
            aliases=st.lists(TEXTS, max_size=3).map(tuple),
            state=st.sampled_from(["draft", "published", "rejected"]),
            **dict.fromkeys(("term", "extended_name", "context", "description", "notes", "source"), TEXTS),
        ),
        max_size=4,
    ),
    described=st.lists(
        st.builds(Context, name=TEXTS, description=TEXTS, examples=st.lists(TEXTS, max_size=3).map(tuple)), max_size=2
    ),
)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_import_of_an_export_is_the_same_dictionary(
    engine: Engine, store: JargonStore, tmp_path: Path, wanted: list[Sense], described: list[Context]
) -> None:
    wipe(engine)
    for each in wanted:
        with suppress(InvalidInput):
            store.put_all([each])
    for context in described:
        with suppress(InvalidInput):
            store.put_context(context)
    kept = (unnumbered(store), store.contexts())
    export_terms(store, tmp_path / "terms.csv")
    export_contexts(store, tmp_path / "contexts.csv")
    again = import_files(store, tmp_path / "terms.csv", tmp_path / "contexts.csv")
    assert again.terms == ImportReport(added=0, changed=0, unchanged=len(kept[0]))
    assert again.contexts == ImportReport(added=0, changed=0, unchanged=len(kept[1]))
    assert again.change is None
    wipe(engine)
    import_files(store, None, tmp_path / "contexts.csv")
    import_files(store, tmp_path / "terms.csv")
    assert (unnumbered(store), store.contexts()) == kept


def test_exported_cells_are_never_formulas(store: JargonStore, tmp_path: Path) -> None:
    store.add_sense("=cmd|' /C calc'!A0", "-1+1", description="@SUM(A1)", notes="'=1", source="＝1", aliases=["+5V"])
    export_terms(store, tmp_path / "terms.csv")
    with (tmp_path / "terms.csv").open(encoding="utf-8-sig", newline="") as file:
        _, row = csv.reader(file)
    assert row == ["'=cmd|' /C calc'!A0", "'+5V", "", "'-1+1", "'@SUM(A1)", "''=1", "'＝1", "published"]


def test_a_file_that_cannot_be_written_says_why(store: JargonStore, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"terms\.txt: the file name must end in"):
        export_terms(store, tmp_path / "terms.txt")
    with pytest.raises(InvalidInput, match="cannot be written"):
        export_terms(store, tmp_path / "absent" / "terms.csv")
    assert list(tmp_path.glob("*")) == list(tmp_path.glob("*.db*"))
