"""The choice of senses on uses that the test writes, in the formats of the public sets."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from contracts.text import Span
from golden_lab.benchmarks.base import Benchmark
from golden_lab.benchmarks.disambiguation import (
    COSINE,
    MOST_FREQUENT,
    NO_DOCUMENTS,
    WORD_OVERLAP,
    benchmarks,
)
from golden_lab.datasets.uses import Use, document_uses, without_definition
from golden_lab.engine import Engine
from golden_lab.run import Run
from golden_lab.splits import half
from golden_lab.usage_library import UsageLibrary
from lab.tests.benchmarks.measure import measure_all, value, write_rows
from tests.hashing_embedder import HashingEmbedder

FOREST = "The random trees of this forest are grown by the RF on samples"
RADIO = "An antenna brings the radio waves at this frequency to the RF stage"


# No word of a name is said, and by chance the wrong one is nearer: only the other sentences tell the sense.
SPLIT = "Leaves split by RF at each node vote"
SPLIT_TOO = (
    "Leaves vote by RF where they split into green ones",
    "At each node some RF is split by its leaves, or so it seems",
)


def in_half(part: str, sentence: str) -> str:
    """Lengthen ``sentence`` until it lies in ``part``."""
    return next(
        text
        for number in range(100)
        if half("sdu21_ad", (text := f"{sentence} {'indeed ' * number}".strip()).casefold()) == part
    )


def row(number: int, text: str, expansion: str) -> dict[str, Any]:
    tokens = text.split()
    return {"id": f"DEV-{number}", "tokens": tokens, "acronym_idx": tokens.index("RF"), "expansion": expansion}


@pytest.fixture
def run(tmp_path: Path) -> Run:
    folder = tmp_path / "sdu21_ad"
    radio = in_half("score", RADIO)
    rows = [
        row(0, in_half("score", FOREST), "random forest"),
        row(1, radio, "radio frequency"),
        row(2, radio, "radio frequency"),
        row(3, in_half("fit", FOREST), "random forest"),
        row(4, in_half("fit", RADIO), "radio frequency"),
    ]
    write_rows(folder / "dev.jsonl.gz", rows)
    (folder / "diction.json").write_text(json.dumps({"RF": ["random forest", "radio frequency"]}))
    return Run(data=tmp_path, work=tmp_path)


def use(number: int, term: str, **fields: str) -> Use:
    given = {"gold": "a", "most_frequent": "a", **fields}
    return Use(id=str(number), text=f"{term} here", place=Span(0, len(term)), term=term, senses=("a", "b"), **given)


def named(name: str) -> Benchmark[Use]:
    return next(each for each in benchmarks() if each.about.name == name)


async def test_the_bot_reads_by_the_words_of_the_sentence(engine: Engine, run: Run) -> None:
    outcomes, scores = await measure_all(named("disambiguation-sdu21"), engine, run)
    assert outcomes["DEV-0"].values["predicted"] == "random forest"
    assert outcomes["DEV-0"].trace["abbreviation"] == "RF"
    assert value(scores, "accuracy") == value(scores, "macro-F1") == 1.0
    assert value(scores, "accuracy", system=WORD_OVERLAP) == 1.0
    # Two of three uses are of the most frequent sense; the other sense is never said, so its precision counts as 1.
    assert value(scores, "accuracy", system=MOST_FREQUENT) == pytest.approx(2 / 3)
    assert value(scores, "balanced accuracy", system=MOST_FREQUENT) == 0.5
    precision, recall = (1 + 2 / 3) / 2, 0.5
    assert value(scores, "macro-F1", system=MOST_FREQUENT) == pytest.approx(
        2 * precision * recall / (precision + recall)
    )
    assert 0.0 <= value(scores, "accuracy", system=COSINE) <= 1.0


async def test_documents_that_use_an_abbreviation_tell_its_sense(engine: Engine, run: Run) -> None:
    fitting = [row(number, in_half("fit", text), "radio frequency") for number, text in enumerate(SPLIT_TOO, start=1)]
    rows = [
        row(0, in_half("score", SPLIT), "radio frequency"),
        *fitting,
        row(9, in_half("fit", FOREST), "random forest"),
    ]
    write_rows(run.data / "sdu21_ad" / "dev.jsonl.gz", rows)
    (run.data / "sdu21_ad" / "diction.json").write_text(json.dumps({"RF": ["random forest", "radio frequency"]}))
    outcomes, scores = await measure_all(named("disambiguation-sdu21"), engine, run)
    assert [*outcomes] == ["DEV-0"]
    assert outcomes["DEV-0"].values["predicted"] == "radio frequency"
    assert outcomes["DEV-0"].trace["because"] == "because /DEV-1 and another document use it so"
    assert value(scores, "accuracy") == 1.0
    assert value(scores, "accuracy", system=NO_DOCUMENTS) == 0.0


async def test_a_text_that_is_nearly_the_scored_one_tells_nothing(run: Run) -> None:
    uses = [
        use(0, "RF", document="a"),
        use(1, "RF", document="a"),
        replace(use(2, "RF", document="b"), text="RF here again"),
        replace(use(3, "RF", document="c"), text="RF elsewhere among trees and leaves"),
    ]
    library = await UsageLibrary.of(uses, HashingEmbedder())
    assert library.documents == {"/a", "/b", "/c"}
    assert library.others(uses[0]) == {"/c"}
    found = await library.lexical().passages_with("RF", 10, as_written=True, groups=library.others(uses[0]))
    assert [passage.document_name for passage in found] == ["/c", "/c"]
    assert {passage.text for passage in found} == {uses[3].text, "a (RF)"}


def test_definitions_are_taken_out_of_documents(tmp_path: Path) -> None:
    term = next(name for name in ("SMS", "SMT", "SMU", "SMV", "SMW") if half("jargon_ambiguous", name) == "score")
    senses = [
        {
            "expansion": "short message service",
            "n_examples": 2,
            "examples": [{"passage": f"Send it by Short  Message Service ({term}) now."}],
        },
        {"expansion": "sad mode", "n_examples": 1, "examples": [{"passage": f"The {term} (sad mode) holds."}]},
    ]
    silver = [{"passage": f"The {term} text.", "doc_sense": "short message service", "doc": "guide.md"}]
    row = {"corpus": "aws", "acronym": term, "senses": senses, "undefined_uses": silver}
    write_rows(tmp_path / "jargon_ambiguous" / "ambiguous.jsonl", [row])
    first, second, third = document_uses(tmp_path, "score")
    assert (first.document, third.document) == ("", "guide.md")
    assert (first.text, first.gold, first.subset) == (
        f"Send it by {term} now.",
        "short message service",
        "definition taken out",
    )
    assert (second.text, second.gold) == (f"The {term} holds.", "sad mode")
    assert (third.subset, third.most_frequent) == ("sense spelt out elsewhere", "short message service")
    assert document_uses(tmp_path, "fit") == ()
    assert without_definition("hard-drive tests", "hard drive test", "HDT") == "HDT"
