"""What is made to be measured: documents, dictionaries, and the files that other libraries are compared on."""

from pathlib import Path

import pytest

from contracts.errors import InvalidInput
from golden_lab.speed.ingest import make_document
from golden_lab.speed.jargon import KINDS, make_questions, make_senses
from golden_lab.speed.peers import choose_files
from ingestion.limits import IngestionLimits
from ingestion.readers import reader_for
from jargon_db.normalization import fold


def test_documents_of_a_seed_are_equal_and_are_read_with_headings_and_tables(tmp_path: Path) -> None:
    first, again, other = (tmp_path / f"{name}.pdf" for name in "abc")
    make_document(first, pages=2, seed=1)
    make_document(again, pages=2, seed=1)
    make_document(other, pages=2, seed=2)
    assert first.read_bytes() == again.read_bytes() != other.read_bytes()
    pages = list(reader_for(first).read(first, IngestionLimits(), None))
    assert len(pages) == 2
    assert {"heading", "table"} <= {block.kind for page in pages for block in page.blocks}


def test_equal_seeds_make_equal_dictionaries_and_questions_of_four_kinds_in_turn() -> None:
    small, large = make_senses(50, seed=3), make_senses(150, seed=3)
    assert small == make_senses(50, seed=3) == large[:50]
    assert small != make_senses(50, seed=4)
    known, taken = {sense.term for sense in small}, {fold(sense.term) for sense in large}
    assert len(taken) == 150
    questions = make_questions(small, large, count=40, seed=2)
    assert [question.kind for question in questions] == list(KINDS) * 10
    for question in questions:
        expected = {
            "known": question.term in known and question.term in question.text,
            "misspelt": question.term in known and question.term not in question.text,
            "unknown": fold(question.term) not in taken and question.term in question.text,
            "none": question.term == "",
        }
        assert expected[question.kind], question


def test_the_files_that_answer_are_read_with_others_in_one_order(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"{number}.html").write_text("text", encoding="utf-8")
    chosen = choose_files(tmp_path, {"3.html", "7.html"}, 5)
    assert len(chosen) == 5
    assert {"3.html", "7.html"} < {path.name for path in chosen}
    assert chosen == choose_files(tmp_path, {"3.html", "7.html"}, 5)
    with pytest.raises(InvalidInput, match=r"99\.html"):
        choose_files(tmp_path, {"99.html"}, 5)
