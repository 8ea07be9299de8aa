"""An export imports back to the same dictionary, and no cell of it runs as a formula."""

import csv
from contextlib import suppress
from pathlib import Path

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, delete

from contracts.dictionary import ImportReport
from contracts.errors import InvalidInput
from contracts.jargon import Context, Sense
from jargon_db.import_export import export_contexts, export_terms, import_files
from jargon_db.store import JargonStore
from jargon_db.tables import contexts, senses, terms
from tests.models import replace

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
    for kind in ("csv", "xlsx"):
        export_terms(store, tmp_path / f"terms.{kind}")
        export_contexts(store, tmp_path / f"contexts.{kind}")
        unchanged = import_files(store, tmp_path / f"terms.{kind}").terms
        assert unchanged == ImportReport(added=0, changed=0, unchanged=len(kept[0]))
        wipe(engine)
        import_files(store, None, tmp_path / f"contexts.{kind}")
        import_files(store, tmp_path / f"terms.{kind}")
        assert (unnumbered(store), store.contexts()) == kept


def test_exported_cells_are_never_formulas(store: JargonStore, tmp_path: Path) -> None:
    store.add_sense("=cmd|' /C calc'!A0", "-1+1", description="@SUM(A1)", notes="'=1", source="＝1", aliases=["+5V"])
    export_terms(store, tmp_path / "terms.csv")
    with (tmp_path / "terms.csv").open(encoding="utf-8-sig", newline="") as file:
        _, row = csv.reader(file)
    assert row == ["'=cmd|' /C calc'!A0", "'+5V", "", "'-1+1", "'@SUM(A1)", "''=1", "'＝1", "published"]
    export_terms(store, tmp_path / "terms.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "terms.xlsx").worksheets[0]
    cells = next(sheet.iter_rows(min_row=2))
    assert {cell.data_type for cell in cells if cell.value is not None} <= {"s", "inlineStr"}
    assert (cells[0].value, cells[0].quotePrefix) == ("=cmd|' /C calc'!A0", True)


def test_a_file_that_cannot_be_written_says_why(store: JargonStore, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"terms\.txt: the file name must end in"):
        export_terms(store, tmp_path / "terms.txt")
    with pytest.raises(InvalidInput, match="cannot be written"):
        export_terms(store, tmp_path / "absent" / "terms.csv")
    assert list(tmp_path.glob("*")) == list(tmp_path.glob("*.db*"))
