"""The report's files: nothing is lost, everything is escaped, the page needs no network."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from lxml import html

from contracts.errors import InvalidInput
from golden_lab.report.files import from_json, read_report, to_json, write_report
from golden_lab.report.markdown import escape, to_markdown
from golden_lab.results import Report
from lab.tests.report.reports import EVIL, report, result, score


def sample() -> Report:
    failed = replace(result(name="broken"), status="failed", reason=f"no data {EVIL}", scores=(), worst=(), figures=())
    return report(
        result(score(0.8), score(0.6, metric="ECE", higher_is_better=False), per_case={"a": 1.0, "b": 0.6}), failed
    )


def test_json_gives_back_the_same_report() -> None:
    made = sample()
    assert from_json(to_json(made)) == made
    assert json.loads(to_json(made))["schema"] == 1


def test_what_is_no_report_is_refused_by_name(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for text, words in [
        ("{", "JSON"),
        ("[]", "is not a report"),
        ('{"schema": 99}', "schema"),
        ('{"schema": 1, "engine": "x"}', "model"),
    ]:
        with subtests.test(text=text):
            (tmp_path / "r.json").write_text(text)
            with pytest.raises(InvalidInput, match=words) as caught:
                read_report(tmp_path / "r.json")
            assert "r.json" in str(caught.value)
    with pytest.raises(InvalidInput, match="is not a file"):
        read_report(tmp_path / "none.json")


def test_the_page_says_it_all_fetches_nothing_and_runs_nothing(tmp_path: Path) -> None:
    paths = write_report(sample(), tmp_path, "embedded", before=report(result(score(0.5)), revision="older"))
    assert [path.suffix for path in paths] == [".json", ".md", ".html"]
    text = paths[2].read_text()
    page = html.fromstring(text)
    references = [value for each in page.iter() for name, value in each.items() if name in ("src", "href")]
    ids = page.xpath("//@id")
    assert all(each.startswith(("#", "data:image/svg+xml;base64,")) for each in references), references
    assert {each[1:] for each in references if each.startswith("#")} <= set(ids)
    assert len(set(ids)) == len(ids)
    assert not page.xpath("//script | //link | //@srcset | //@action | //@*[starts-with(name(), 'on')]")
    assert not re.search(r"url\(|@import", text)
    assert not list(tmp_path.glob("*.part"))
    for words in (
        "v1-3-gabc", "small", "0.800", "0.750 to 0.850", "0.700", "Somebody 2024, table 3", "differs: test", EVIL,
        "c7 (loss 0.90)", "Not measured", "+0.300", "better", "MIT", "dev", "12 s",
    ):  # fmt: skip
        assert words in page.text_content(), words
    assert len(page.xpath("//img")) == 1


def test_markdown_keeps_its_tables_whatever_the_text() -> None:
    made = sample()
    text = to_markdown(made, ())
    rows = [line for line in text.splitlines() if line.startswith("|")]
    for line in rows:
        assert len(re.findall(r"(?<!\\)\|", line)) in (9, 8, 6), line
    assert "<img" not in text.replace("\\<img", "")
    assert "| F1 |  |  | 0.800 | 0.750 to 0.850 | 100 | new |" in text
    assert "| F1 |  | theirs (Somebody 2024, table 3; differs: test" in text
    assert "- broken: no data" in text
    assert escape("a\n|b_c") == r"a \|b\_c"
