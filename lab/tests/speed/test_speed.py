"""The generated inputs of the measurements, ``golden-lab bench``, and the growing library."""

import json
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from contracts.errors import InvalidInput
from golden_lab.speed.ingest import make_document
from golden_lab.speed.jargon import KINDS, make_questions, make_senses
from golden_lab.speed.peers import choose_files
from golden_lab.speed.scale import measure_scale, plot_scale, render_scale
from golden_lab.speed.scale_library import documents_without_end, read_libraries
from golden_retriever.settings import load_settings
from golden_retriever.wiring.indexes import build_embedder
from ingestion.limits import IngestionLimits
from ingestion.readers import reader_for
from jargon_db.normalization import fold
from lab.tests.command_line import golden_lab
from library.migrations import LIBRARY
from library.store import LibraryStore
from tests.databases import open_new_sqlite
from tests.golden_retriever.served import environment_for
from tests.library.samples import chunk_of, document_of


def test_documents_of_a_seed_are_equal_and_are_read_with_headings_and_tables(tmp_path: Path) -> None:
    first, again, other = (tmp_path / f"{name}.pdf" for name in "abc")
    make_document(first, pages=2, seed=1)
    make_document(again, pages=2, seed=1)
    make_document(other, pages=2, seed=2)
    assert first.read_bytes() == again.read_bytes() != other.read_bytes()
    pages = list(reader_for(first).read(first, IngestionLimits(), None))
    assert len(pages) == 2
    assert {"heading", "table"} <= {block.kind for page in pages for block in page.blocks}


def test_equal_seeds_make_equal_dictionaries_and_questions_of_four_kinds_in_turn() -> None:
    small, large = make_senses(50, seed=3), make_senses(150, seed=3)
    assert small == make_senses(50, seed=3) == large[:50]
    assert small != make_senses(50, seed=4)
    known, taken = {sense.term for sense in small}, {fold(sense.term) for sense in large}
    assert len(taken) == 150
    questions = make_questions(small, large, count=40, seed=2)
    assert [question.kind for question in questions] == list(KINDS) * 10
    for question in questions:
        expected = {
            "known": question.term in known and question.term in question.text,
            "misspelt": question.term in known and question.term not in question.text,
            "unknown": fold(question.term) not in taken and question.term in question.text,
            "none": question.term == "",
        }
        assert expected[question.kind], question


def test_answering_files_are_mixed_with_others_in_a_fixed_order(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"{number}.html").write_text("text", encoding="utf-8")
    chosen = choose_files(tmp_path, {"3.html", "7.html"}, 5)
    assert len(chosen) == 5
    assert {"3.html", "7.html"} < {path.name for path in chosen}
    assert chosen == choose_files(tmp_path, {"3.html", "7.html"}, 5)
    with pytest.raises(InvalidInput, match=r"99\.html"):
        choose_files(tmp_path, {"99.html"}, 5)


def test_a_small_bench_prints_plain_values(tmp_path: Path) -> None:
    result = golden_lab(
        "bench", "jargon", "--terms", "50", "--questions", "4", "--rounds", "1", "--json",
        environment=environment_for(tmp_path / "bot"), folder=tmp_path,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert result.stderr.splitlines() == ["50 terms"]
    content = json.loads(result.stdout)
    assert [size["terms"] for size in content["sizes"]] == [50]
    assert (content["bench"], content["questions"], content["rounds"], content["seed"]) == ("jargon", 4, 1, 0)
    assert not (tmp_path / "bot").exists(), "the benchmark does not change the bot's data"


@pytest.mark.slow
def test_small_ingestion_is_measured_next_to_the_bare_engines(tmp_path: Path) -> None:
    result = golden_lab(
        "bench", "ingest", "--pages", "2", "--scans", "0", "--rounds", "1", "--workers", "1", "--no-whole", "--json",
        environment=environment_for(tmp_path / "bot"), folder=tmp_path,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    content = json.loads(result.stdout)
    assert (content["bench"], content["pages"], content["workers"]) == ("ingest", 2, 1)
    assert [each["name"] for each in content["comparisons"]] == ["born-digital", "passages"]
    assert all(each["ratio"] > 0 and each["ours_per_s"] > 0 for each in content["comparisons"])
    assert content["whole"] == []
    assert not (tmp_path / "bot").exists(), "the benchmark does not change the bot's data"


_TEXT = "Valve {number} closes when the pressure of {number} boilers exceeds eighty bar, and opens again below sixty."


def _make_library(folder: Path, embedder: str) -> None:
    engine = open_new_sqlite(folder / "golden.db", LIBRARY)
    for name in "ab":
        document = document_of(name)
        section = chunk_of(document, "section", 0, _TEXT)
        passages = [
            chunk_of(document, "passage", number, _TEXT.format(number=number + 100), section.id) for number in range(60)
        ]
        vectors = np.random.default_rng(ord(name)).standard_normal((60, 384)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        LibraryStore(engine).replace_document(document, [section, *passages], vectors, embedder=embedder)
    engine.dispose()


def test_a_library_grows_by_copies_with_other_words_and_is_measured_at_each_size(tmp_path: Path) -> None:
    embedder = build_embedder(load_settings(data_dir=tmp_path)).name
    _make_library(tmp_path / "source", embedder)
    originals = read_libraries([tmp_path / "source"], embedder)

    first, _, copy = islice(documents_without_end(originals, seed=1), 3)
    pairs = list(zip(first.chunks, copy.chunks, strict=True))
    assert not {one.id for one, _ in pairs} & {other.id for _, other in pairs}
    assert all(len(one.text) == len(other.text) for one, other in pairs)
    assert sum(one.text != other.text for one, other in pairs) > 30
    assert copy.chunks[0].section_id == copy.chunks[-1].id != first.chunks[-1].id
    cosines = (copy.vectors * first.vectors).sum(axis=1)
    assert 0.8 < cosines.min() < cosines.max() < 0.99

    result = measure_scale([tmp_path / "source"], [300, 120], work=tmp_path / "work", questions=2)
    assert [(size["passages"], size["documents"]) for size in result["sizes"]] == [(120, 2), (300, 5)]
    assert all(set(size["indexes"]) == {"exact", "chroma"} for size in result["sizes"])
    assert all(each["search_cpu_p95_ms"] > 0 for size in result["sizes"] for each in size["indexes"].values())
    assert "| 120, exact | 120, chroma | 300, exact | 300, chroma |" in render_scale(result)
    # A million is written in full, without markup for the number.
    plot = plot_scale({**result, "sizes": [*result["sizes"], {**result["sizes"][-1], "passages": 1_000_000}]})
    assert ">1,000,000<" in plot
    assert "mathdefault" not in plot
