"""The benchmark of tables on one made document a form: repeatable by seed, and each step scored by itself."""

from dataclasses import replace
from pathlib import Path

from contracts.text import Chunk
from golden_lab.benchmarks.table_cells import ANSWERED, FOUND, HELD, AskedCell, benchmarks, holds
from golden_lab.run import Run
from lab.tests.benchmarks.jargon_bench import hashing_engine, measure_all, value

CELL = AskedCell(
    id="1", form="", document="a.md", question="", row="Tam-1", value="2.50", needs=("Table 1", "flow", "north hall")
)
PASSAGE = Chunk(
    id="c", document_id="d", kind="passage", ordinal=0, page=1, last_page=1, heading_path=("Table 1",),
    text="Pump | Flow\nnorth hall, Tam-1 | 2.50\nTam-2 | 12.50",
)  # fmt: skip


def test_a_passage_holds_a_cell_if_all_that_it_needs_stands_there() -> None:
    assert holds(PASSAGE, CELL)
    assert not holds(PASSAGE, replace(CELL, needs=("Table 1", "pressure")))
    assert not holds(PASSAGE, replace(CELL, row="Tam-2"))
    assert not holds(replace(PASSAGE, heading_path=()), CELL)


def test_cells_are_the_same_for_a_seed_and_others_for_another(tmp_path: Path) -> None:
    (benchmark,) = benchmarks()
    first, again, other = (benchmark.load(Run(data=tmp_path, work=tmp_path, seed=seed)).cases for seed in (1, 1, 2))
    assert first == again
    assert {case.value for case in first} != {case.value for case in other}
    whole = benchmark.load(Run(data=tmp_path, work=tmp_path, seed=1, full=True)).cases
    assert (len(first), len(whole)) == (60, 240)


async def test_each_step_is_scored(tmp_path: Path) -> None:
    benchmark = replace(benchmarks()[0], questions=3, formats=(".md",))
    outcomes, scores = await measure_all(benchmark, hashing_engine(), Run(data=tmp_path, work=tmp_path / "work"))
    assert list(outcomes) == [f"200-rows.md#{number}" for number in range(3)]
    assert value(scores, HELD) == 1.0
    for rate in (FOUND, ANSWERED):
        hits = [bool(each.values[rate]) for each in outcomes.values()]
        assert value(scores, rate) == value(scores, rate, subset="200 rows") == sum(hits) / 3 > 0
    assert not list((tmp_path / "work").iterdir())
