"""The growing library: copies differ from their originals, and each size is measured in a fresh process."""

from itertools import islice
from pathlib import Path

import numpy as np

from contracts.text import Chunk, Document
from database.connection import open_database
from database.migrations import migrate
from golden_lab.speed.scale import measure_scale, plot_scale, render_scale
from golden_lab.speed.scale_library import documents_without_end, read_libraries
from golden_retriever.settings import load_settings
from golden_retriever.wiring.indexes import build_embedder
from library.migrations import LIBRARY
from library.store import LibraryStore

_TEXT = (
    "Valve {number} closes when the pressure of the {number} boilers exceeds eighty bar, and opens again below sixty."
)


def _make_library(folder: Path, embedder: str) -> None:
    folder.mkdir()
    engine = open_database(f"sqlite:///{folder / 'golden.db'}")
    migrate(engine, LIBRARY)
    for name in "ab":
        document = Document(
            id=name, name=name, path=f"/{name}", media_type="text/plain", content_hash=name, title=name, pages=1
        )
        section = Chunk(id=f"{name}-s", document_id=name, kind="section", ordinal=0, text=_TEXT, page=1, last_page=1)
        passages = [
            Chunk(
                id=f"{name}-{number}", document_id=name, kind="passage", ordinal=number, page=1, last_page=1,
                text=_TEXT.format(number=number + 100), section_id=section.id,
            )
            for number in range(60)
        ]  # fmt: skip
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
    assert plot_scale(result).startswith("<svg")
