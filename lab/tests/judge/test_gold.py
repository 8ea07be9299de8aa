from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contracts.errors import InvalidInput
from golden_lab.judge.gold import read_answers, read_gold, write_gold
from golden_lab.judge.grades import GoldItem

texts = st.text(st.characters(codec="utf-8"), max_size=40)
scores = st.none() | st.integers(1, 5)
golds = st.lists(
    st.builds(
        GoldItem, id=texts.filter(bool), question=texts.filter(bool), passage=texts, answer=texts, system=texts,
        reference=texts, relevance=scores, faithfulness=scores, completeness=scores, explanation=texts,
    ),
    max_size=4,
    unique_by=lambda item: item.id,
)  # fmt: skip


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
@given(items=golds)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_written_is_read(tmp_path: Path, ending: str, items: list[GoldItem]) -> None:
    path = tmp_path / f"gold.{ending}"
    write_gold(path, items)
    assert read_gold(path) == tuple(items)


def test_a_spreadsheet_in_another_country_is_read(tmp_path: Path) -> None:
    path = tmp_path / "gold.csv"
    path.write_text('\ufeffID;Question;Answer;Relevance\n1;"How; why?";"It\nis.";4.0\n;;;\n', encoding="utf-8")
    assert read_gold(path) == (GoldItem(id="1", question="How; why?", passage="", answer="It\nis.", relevance=4),)


@pytest.mark.parametrize(
    ("name", "content", "said", "field"),
    [
        ("g.csv", "id,question,answer\n1,q,a\n2,q,a,b\n", "line 3: 4 cells where the first line names 3", "line"),
        ("g.csv", 'id,question,answer,relevance\n1,q,"two\nlines",5\n2,q,a,6\n', "line 4, relevance", "relevance"),
        ("g.csv", "id,question,answer,faithfulness\n1,q,a,3.5\n", "line 2, faithfulness", "faithfulness"),
        ("g.csv", "id,question,answer,completeness\n1,q,a,good\n", "line 2, completeness", "completeness"),
        ("g.csv", "id,question\n1,q\n", "line 1: the column answer is missing", "answer"),
        ("g.csv", "id,question,answer,note\n1,q,a,n\n", "line 2, note: this column is not one of a gold set", "note"),
        ("g.csv", "id,question,answer\n1,q,a\n1,r,b\n", "line 3, id: 1 was there before", "id"),
        ("g.csv", "id,question,answer,id\n", "the column id is there twice", "id"),
        ("g.csv", "id,question,answer\n,q,a\n", "line 2, id", "id"),
        ("g.jsonl", '{"id": "1", "question": "q", "answer": "a"}\n{"id": 2}\n', "line 2, id", "id"),
        ("g.jsonl", '{"id": "1", "question": "q", "answer": "a", "relevance": true}\n', "relevance", "relevance"),
        ("g.jsonl", "\n[1]\n", "line 2: no JSON object", "line"),
        ("g.jsonl", "{\n", "line 1: no JSON", "line"),
        ("g.txt", "", "neither .csv nor .jsonl", "path"),
    ],
)
def test_a_wrong_row_is_named_by_line_and_field(tmp_path: Path, name: str, content: str, said: str, field: str) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InvalidInput) as refused:
        read_gold(path)
    assert said in str(refused.value)
    assert refused.value.field == field


def test_a_file_that_is_not_there_or_not_utf8_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="is not there"):
        read_gold(tmp_path / "none.csv")
    latin = tmp_path / "latin.csv"
    latin.write_bytes("id,question,answer\n1,für,a\n".encode("latin-1"))
    with pytest.raises(InvalidInput, match="not UTF-8"):
        read_gold(latin)


def test_answers_may_have_several_passages_and_more_fields(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(
        '{"id": "1", "question": "q", "answer": "a", "passages": ["p", " ", "r"], "ms": 3, "relevance": 9}\n'
    )
    assert read_answers(path) == (GoldItem(id="1", question="q", passage="p\n\nr", answer="a"),)


def test_half_a_character_does_not_make_a_file_unreadable(tmp_path: Path) -> None:
    path = tmp_path / "gold.csv"
    write_gold(path, [GoldItem(id="1", question="q", passage="", answer="a", explanation="so \ud800 it is")])
    assert read_gold(path)[0].explanation == "so ? it is"
