"""The report on attributed responses: cells, plots, the command, and the benchmarks of claims."""

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest
from typer.testing import Result

from contracts.provenance import Provenance
from golden_lab.benchmarks.triples import benchmarks
from golden_lab.cli import app
from golden_lab.results import Score
from golden_lab.run import Run
from golden_lab.splits import half
from golden_lab.triple_extraction.embedded import EmbeddedTripleExtractor
from golden_lab.triples.gold_labels import labelled_claims, labelled_texts
from golden_lab.triples.plots import count_regions, venn_matrix
from golden_lab.triples.report import make_report, render_report, report_as_html, report_as_json
from golden_lab.triples.triple import AttributionVerdict, ClaimCandidates, ClaimSupport, ExtractedTriples
from lab.tests.benchmarks.annotated_sets import measured, write_rows
from lab.tests.triples.builders import response
from tests.golden_retriever.commands import Commands

RESPONSES = [
    response("a", "R", "RU", "", condition="none", system="bot"),
    response("b", "R", "C", "U", "", condition="none", system="bot"),
    response("<i>c", "C", "RC", "R", "RU", condition="relevant", system="bot"),
    response("d", "RC", "C", "", condition="relevant", system="bot"),
]


def test_cells_pool_responses_and_all_formats_show_the_same() -> None:
    report = make_report(RESPONSES, engine="embedded", model="m", seed=1)
    first, second = report.cells
    assert (first.system, first.condition, first.responses, first.counts.generated) == ("bot", "none", 2, 7)
    precision = first.metrics["precision"]
    assert precision.value == 3 / 7
    # With two responses, a resample contains one of them twice, or both: precision is 2/3, 1/4 or 3/7.
    assert (precision.low, precision.high) == (1 / 4, 2 / 3)
    assert second.counts.by_context == 4
    # Unsupported claims of the worst response come first; text, JSON and page show the same.
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
    # Text from people is escaped.
    shown = report_as_html(make_report([response("<b>x", "")], engine="e<", model="m", seed=1))
    assert "<b>x" not in shown
    assert "e<)" not in shown


PLOTTED = [response("a", "R", "RU", "", "C"), response("b", "RUC", "R", "U", "RU", "RU", "")]


def texts(svg: str) -> list[str]:
    return [each.text or "" for each in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_venn_diagram_shows_the_percentage_of_each_region_and_of_none() -> None:
    figure = venn_matrix({("bot", "relevant"): count_regions(PLOTTED)}, "Sources & claims")
    shown = texts(figure.svg)
    assert sorted(text for text in shown if re.fullmatch(r"\d+%", text)) == ["10%", "10%", "10%", "20%", "30%"]
    assert any(re.fullmatch(r"NONE 20%\s+n = 10", text) for text in shown)
    assert "bot · relevant" in shown
    assert "reference and user 30%" in figure.description


KETTLE = {
    "id": "kettle",
    "query": "The kettle shall boil one litre.",
    "reference": "The handle is made of wood.",
    "system": "bot",
}
LINES = [
    {
        **KETTLE,
        "context": "The kettle draws 2000 W.",
        "response": "The kettle draws 2000 W. The handle is made of wood. The lid plays music.",
        "condition": "relevant",
    },
    {
        **KETTLE,
        "context": "",
        "response": "The handle is made of wood. The lid plays music. The lid is red. The cord is long.",
        "condition": "none",
    },
]


def trifex_of(folder: Path, *options: object) -> Result:
    return Commands("trifex", app).succeeds(write_rows(folder / "responses.jsonl", LINES), *options)


@pytest.fixture(autouse=True)
def _no_chat_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GOLDEN_LLM", raising=False)


def test_prints_the_table_and_writes_the_page(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    result = trifex_of(tmp_path, "--html", page)
    assert "bot / relevant" in result.stdout
    assert "bot / none" in result.stdout
    # One of three claims is in the context, one in the reference and one in neither: PKP is 1/2, PR is 2/3.
    shown = {line.split("  ")[0]: line.split()[-2:] for line in result.stdout.splitlines()}
    assert shown["parametric knowledge precision PKP"][0] == "50.0"
    assert shown["parametric rate PR"][0] == "66.7"
    # With one response per column there is no interval.
    assert "66.7 (" not in result.stdout
    assert "Variance of log SK over conditions (1 system)" in result.stdout
    assert "kettle / bot / none: lid | plays | music" in result.stdout
    assert page.read_text(encoding="utf-8").count("<img") == 1


def test_json_output_contains_only_json(tmp_path: Path) -> None:
    result = trifex_of(tmp_path, "--json")
    cells = json.loads(result.stdout)["cells"]
    assert [cell["counts"]["by_none"] for cell in cells] == [1, 3]
    assert cells[1]["metrics"]["context_utilisation"] is None


MADE = Provenance(implementation="embedded")


class KnowingExtractor:
    """Answers with the labels without the last claim of each text, and with a wrong claim."""

    async def extract(self, text: str) -> ExtractedTriples:
        (labelled,) = [each for each in labelled_texts("score") if each.text == text]
        wrong = labelled.triples[0].__class__(subject="moon", predicate="is made of", object="cheese")
        return ExtractedTriples(triples=(*labelled.triples[:-1], wrong), provenance=MADE)


class KnowingAttributor:
    """Answers with the labels, except for those of the context."""

    async def attribute(self, claims: list[ClaimCandidates]) -> AttributionVerdict:
        known = {id(each.claim): each for each in labelled_claims("score")}
        found = []
        for claim in claims:
            pairs = enumerate(zip(claim.candidates, known[id(claim)].supports, strict=True))
            found.append(ClaimSupport(evidence=tuple(n for n, (one, yes) in pairs if yes and one.source != "context")))
        return AttributionVerdict(claims=tuple(found), provenance=MADE)


async def scores_of(benchmark: Any, engine: Any, folder: Path) -> dict[tuple[str, str], Score]:
    outcomes = await measured(benchmark, engine, Run(data=folder, work=folder))
    outcomes = [type(each)(**json.loads(json.dumps({"id": each.id, "values": each.values}))) for each in outcomes]
    return {(each.metric, each.subset): each for each in benchmark.score(outcomes, 7)}


async def test_extraction_scores_precision_and_recall_over_all_claims(tmp_path: Path) -> None:
    scores = await scores_of(benchmarks()[0], SimpleNamespace(triple_extractor=KnowingExtractor()), tmp_path)
    texts = labelled_texts("score")
    gold = sum(len(each.triples) for each in texts)
    expected = (gold - len(texts)) / gold
    for metric in ("precision", "recall", "F1"):
        assert scores[metric, ""].value == pytest.approx(expected)
        assert scores[metric, ""].low <= expected <= scores[metric, ""].high


async def test_attribution_scores_each_label(tmp_path: Path) -> None:
    scores = await scores_of(benchmarks()[2], SimpleNamespace(triple_attributor=KnowingAttributor()), tmp_path)
    claims = labelled_claims("score")
    of_context = sum(
        any(yes and one.source == "context" for one, yes in zip(each.claim.candidates, each.supports, strict=True))
        for each in claims
    )
    assert scores["accuracy", "user"].value == 1.0
    assert scores["accuracy", "reference"].value == 1.0
    assert scores["accuracy", "context"].value == pytest.approx(1 - of_context / len(claims))
    assert scores["accuracy", "all labels"].value == pytest.approx(1 - of_context / len(claims) / 3)
    assert scores["precision", "all labels"].value == 1.0
    assert scores["recall", "all labels"].value < 1.0


def _row(part: str, response: str, *triples: tuple[str, str, str], file: str = "m.json") -> dict[str, Any]:
    listed = [{"triplet": list(each), "human_label": "Neutral"} for each in triples]
    question = next(str(n) for n in range(100) if half("refchecker", str(n)) == part)
    return {"setting": "zero_context", "file": file, "id": question, "response": response, "triples": listed}


async def test_refchecker_counts_listed_claims_that_are_found(tmp_path: Path) -> None:
    listed = [("Bridge", "crosses", "river"), ("Bridge", "was opened by", "queen"), ("Queen", "lives in", "castle")]
    rows = (
        _row("score", "The bridge crosses the river. The bridge was opened by the queen.", *listed),
        _row("fit", "The bridge is old.", ("Bridge", "is", "old")),
        _row("score", "Nothing.", file="n.json"),
    )
    write_rows(tmp_path / "refchecker" / "triples.jsonl.gz", rows)
    benchmark = benchmarks()[1]
    assert len(benchmark.load(Run(data=tmp_path, work=tmp_path)).cases) == 1
    scores = await scores_of(benchmark, SimpleNamespace(triple_extractor=EmbeddedTripleExtractor()), tmp_path)
    assert scores["recall", ""].value == pytest.approx(2 / 3)
    assert scores["claims per listed triple", ""].value == pytest.approx(2 / 3)
