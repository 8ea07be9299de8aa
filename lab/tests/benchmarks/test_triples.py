"""Benchmarks of claims, on the hand labels and on a small file of RefChecker's form."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from contracts.provenance import Provenance
from golden_lab.benchmarks.triples import benchmarks
from golden_lab.engine import Engine
from golden_lab.results import Score
from golden_lab.run import Run
from golden_lab.splits import half
from golden_lab.triple_extraction.embedded import EmbeddedTripleExtractor
from golden_lab.triples.gold_labels import labelled_claims, labelled_texts
from golden_lab.triples.triple import AttributionVerdict, ClaimCandidates, ClaimSupport, ExtractedTriples
from lab.tests.benchmarks.measure import write_rows

MADE = Provenance(implementation="embedded")


class KnowingExtractor:
    """Answers with the labels, less the last claim of each text, and with one that is wrong."""

    async def extract(self, text: str) -> ExtractedTriples:
        (labelled,) = [each for each in labelled_texts("score") if each.text == text]
        wrong = labelled.triples[0].__class__(subject="moon", predicate="is made of", object="cheese")
        return ExtractedTriples(triples=(*labelled.triples[:-1], wrong), provenance=MADE)


class KnowingAttributor:
    """Answers with the labels, less those of the context."""

    async def attribute(self, claims: list[ClaimCandidates]) -> AttributionVerdict:
        known = {id(each.claim): each for each in labelled_claims("score")}
        found = []
        for claim in claims:
            pairs = enumerate(zip(claim.candidates, known[id(claim)].supports, strict=True))
            found.append(ClaimSupport(evidence=tuple(n for n, (one, yes) in pairs if yes and one.source != "context")))
        return AttributionVerdict(claims=tuple(found), provenance=MADE)


def run(folder: Path) -> Run:
    return Run(data=folder, work=folder)


async def measured(benchmark: Any, engine: Any, run_: Run) -> dict[tuple[str, str], Score]:
    cases = benchmark.load(run_)
    async with benchmark.prepare(cases, cast(Engine, engine), run_) as measure:
        outcomes = [await measure(case) for case in cases.cases]
    outcomes = [type(each)(**json.loads(json.dumps({"id": each.id, "values": each.values}))) for each in outcomes]
    return {(each.metric, each.subset): each for each in benchmark.score(outcomes, 7)}


async def test_extraction_scores_precision_and_recall_over_all_claims(tmp_path: Path) -> None:
    scores = await measured(benchmarks()[0], SimpleNamespace(triple_extractor=KnowingExtractor()), run(tmp_path))
    texts = labelled_texts("score")
    gold = sum(len(each.triples) for each in texts)
    expected = (gold - len(texts)) / gold
    for metric in ("precision", "recall", "F1"):
        assert scores[metric, ""].value == pytest.approx(expected)
        assert scores[metric, ""].low <= expected <= scores[metric, ""].high


async def test_attribution_scores_each_label(tmp_path: Path) -> None:
    scores = await measured(benchmarks()[2], SimpleNamespace(triple_attributor=KnowingAttributor()), run(tmp_path))
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
    assert len(benchmark.load(run(tmp_path)).cases) == 1
    scores = await measured(benchmark, SimpleNamespace(triple_extractor=EmbeddedTripleExtractor()), run(tmp_path))
    assert scores["recall", ""].value == pytest.approx(2 / 3)
    assert scores["claims per listed triple", ""].value == pytest.approx(2 / 3)
