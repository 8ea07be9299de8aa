"""Answers and gold sets from a spreadsheet or JSON lines; a wrong row is named by line and field."""

from pathlib import Path

import pytest

from contracts.errors import InvalidInput
from golden_lab.judge.gold import read_answers, read_gold
from golden_lab.judge.grades import GoldItem


def test_a_spreadsheet_in_another_country_is_read(tmp_path: Path) -> None:
    path = tmp_path / "gold.csv"
    path.write_text('\ufeffID;Question;Answer;Relevance\n1;"How; why?";"It\nis.";4.0\n;;;\n', encoding="utf-8")
    assert read_gold(path) == (GoldItem(id="1", question="How; why?", answer="It\nis.", relevance=4),)


def test_a_wrong_row_is_named_by_line_and_field(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for name, content, words, field in [
        ("g.csv", "id,question,answer\n1,q,a\n2,q,a,b\n", "line 3: not as many cells", "line"),
        ("g.csv", 'id,question,answer,relevance\n1,q,"two\nlines",5\n2,q,a,6\n', "line 4, relevance", "relevance"),
        ("g.csv", "id,question,answer,faithfulness\n1,q,a,3.5\n", "line 2, faithfulness", "faithfulness"),
        ("g.csv", "id,question,answer,completeness\n1,q,a,good\n", "line 2, completeness", "completeness"),
        ("g.csv", "id,question\n1,q\n", "line 2, answer", "answer"),
        ("g.csv", "id,question,answer,note\n1,q,a,n\n", "line 2, note: this column is not one of a gold set", "note"),
        ("g.csv", "id,question,answer\n1,q,a\n1,r,b\n", "line 3, id: 1 was there before", "id"),
        ("g.csv", "id,question,answer\n,q,a\n", "line 2, id", "id"),
        ("g.jsonl", '{"id": "1", "question": "q", "answer": "a"}\n{"id": 2}\n', "line 2, id", "id"),
        ("g.jsonl", "\n[1]\n", "line 2: not a JSON object", "path"),
    ]:
        with subtests.test(words=words):
            path = tmp_path / name
            path.write_text(content, encoding="utf-8")
            with pytest.raises(InvalidInput) as refused:
                read_gold(path)
            assert words in str(refused.value)
            assert refused.value.field == field


def test_answers_may_have_several_passages_and_more_fields(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(
        '{"id": "1", "question": "q", "answer": "a", "passages": ["p", " ", "r"], "ms": 3, "relevance": 9}\n'
    )
    assert read_answers(path) == (GoldItem(id="1", question="q", passage="p\n\nr", answer="a"),)
