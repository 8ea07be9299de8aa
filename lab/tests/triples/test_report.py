"""The report on attributed responses."""

import json

from golden_lab.triples.report import make_report, render_report, report_as_html, report_as_json
from lab.tests.triples.builders import response

RESPONSES = [
    response("a", "R", "RU", "", condition="none", system="bot"),
    response("b", "R", "C", "U", "", condition="none", system="bot"),
    response("<i>c", "C", "RC", "R", "RU", condition="relevant", system="bot"),
    response("d", "RC", "C", "", condition="relevant", system="bot"),
]


def test_cells_pool_their_responses() -> None:
    first, second = make_report(RESPONSES, engine="embedded", model="m", seed=1).cells
    assert (first.system, first.condition, first.responses, first.counts.generated) == ("bot", "none", 2, 7)
    precision = first.metrics["precision"]
    assert precision is not None
    assert precision.value == 3 / 7
    # With two responses a resample takes one twice or both: precision is 2/3, 1/4 or 3/7.
    assert (precision.low, precision.high) == (1 / 4, 2 / 3)
    assert second.counts.by_context == 4


def test_unsupported_claims_of_the_worst_response_come_first_and_text_json_and_page_tell_the_same() -> None:
    report = make_report(RESPONSES, engine="embedded", model="m", seed=1)
    assert [(each.id, each.claim) for each in report.unsupported] == [
        ("a", "a | has | part 2"), ("d", "d | has | part 2"), ("b", "b | has | part 3"),
    ]  # fmt: skip
    text = render_report(report)
    assert "bot / none" in text
    assert "42.9 (25.0 to 66.7)" in text
    assert json.loads(json.dumps(report_as_json(report)))["cells"][0]["counts"]["generated"] == 7
    page = report_as_html(report)
    assert "42.9 (25.0 to 66.7)" in page
    assert page.count("<img") == page.count('src="data:image/svg+xml;base64,') == 1
    assert "http" not in page


def test_what_people_wrote_is_escaped_in_the_page() -> None:
    shown = report_as_html(make_report([response("<b>x", "")], engine="e<", model="m", seed=1))
    assert "<b>x" not in shown
    assert "e<)" not in shown
