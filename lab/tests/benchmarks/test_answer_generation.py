"""The benchmark of answers written from a given paragraph: what is asked, what counts, and what it comes to."""

from pathlib import Path

import pytest

from golden_lab.benchmarks.answer_generation import (
    CONTAINED,
    FAITHFUL,
    NEAREST,
    OURS,
    TOKEN_F1,
    WORDS,
    benchmarks,
)
from golden_lab.engine import Engine
from golden_lab.run import Run
from lab.tests.benchmarks import annotated_sets as sets


async def test_answerable_questions_are_answered_from_their_paragraph(engine: Engine, tmp_path: Path) -> None:
    sets.write_squad2(tmp_path)
    (benchmark,), run = benchmarks(), Run(data=tmp_path, work=tmp_path)
    cases = benchmark.load(run)
    assert [each.id for each in cases.cases] == ["q0", "q1"], "the two impossible questions have no answer to write"
    async with benchmark.prepare(cases, engine, run) as measure:
        first = await measure(cases.cases[0])
    # The paragraph is one sentence of twelve words that the writer and the nearest sentence both are.
    assert first.trace["nearest sentence"] == sets.FACT
    assert first.values[NEAREST][CONTAINED] == 1
    assert first.values[NEAREST][WORDS] == 12
    # Without its two articles it is ten words, two of them "2850 km".
    assert first.values[NEAREST][TOKEN_F1] == pytest.approx(2 * 2 / (10 + 2))
    assert first.values[OURS][CONTAINED] == 1
    assert first.values[OURS][FAITHFUL] == 1
    assert FAITHFUL not in first.values[NEAREST]
    assert first.loss == 0
