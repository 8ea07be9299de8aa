"""Mined definitions, on small files of the public set's format."""

from pathlib import Path

import pytest

from contracts.text import Span
from golden_lab.benchmarks.mining import benchmarks, marked_pairs
from golden_lab.datasets.forms import MarkedText
from golden_lab.run import Run
from lab.tests.benchmarks.jargon_bench import hashing_engine, measure_all, value, write_rows


def marked_text(text: str, shorts: list[str], longs: list[str]) -> MarkedText:
    def spans(forms: list[str]) -> tuple[Span, ...]:
        return tuple(Span(text.index(form), text.index(form) + len(form)) for form in forms)

    return MarkedText(id="1", text=text, shorts=spans(shorts), longs=spans(longs))


def test_forms_that_stand_together_are_a_pair() -> None:
    case = marked_text(
        "The state machine (SM), CRC = cyclic check, and DMA, a direct access.",
        ["SM", "CRC", "DMA"],
        ["state machine", "cyclic check", "direct access"],
    )
    assert marked_pairs(case) == {("SM", "state machine"), ("CRC", "cyclic check")}


def test_pairs_are_compared_by_their_words() -> None:
    case = marked_text("The Neural Tube Defects (NTD's)3 of all.", ["NTD's"], ["Neural Tube Defects"])
    assert marked_pairs(case) == {("NTD", "neural tube defects")}


async def test_pairs_are_scored_by_both_forms(tmp_path: Path) -> None:
    filler = {"text": "Nothing.", "acronyms": [], "long-forms": []}
    right = {"text": "The finite state machine (FSM) runs.", "acronyms": [[26, 29]], "long-forms": [[4, 24]]}
    unmarked = {**right, "acronyms": [], "long-forms": []}
    missed = {"text": "The board (QX) met.", "acronyms": [[11, 13]], "long-forms": [[4, 9]]}
    for domain in ("legal", "scientific"):
        rows = [{**filler, "ID": f"f{n}"} for n in range(1_200)]
        rows += [
            {**row, "ID": f"{kind}{n}"}
            for n in range(8)
            for kind, row in zip("rum", (right, unmarked, missed), strict=True)
        ]
        write_rows(tmp_path / "sdu22_ae" / domain / "train.jsonl.gz", rows)
    outcomes, scores = await measure_all(benchmarks()[0], hashing_engine(), Run(data=tmp_path, work=tmp_path))
    drawn = [name.split("-")[1][0] for name in outcomes]
    hits, extra, lost = drawn.count("r"), drawn.count("u"), drawn.count("m")
    assert min(hits, extra, lost) > 0
    assert value(scores, "precision") == pytest.approx(hits / (hits + extra))
    assert value(scores, "recall") == pytest.approx(hits / (hits + lost))
    assert {outcome.loss for name, outcome in outcomes.items() if "-r" in name} == {0.0}
