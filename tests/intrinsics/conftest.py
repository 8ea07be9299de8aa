"""The real default model, opened once, and a small handbook to ask about."""

from collections.abc import Callable
from pathlib import Path

import pytest

from contracts.text import Chunk, Passage
from tools.embedding.base import Embedder
from tools.embedding.cached import CachedEmbedder
from tools.embedding.onnx import OnnxEmbedder
from tools.embedding.weights import find_default_model

PassageMaker = Callable[..., Passage]


@pytest.fixture(scope="session")
def minilm(tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    """Open all-MiniLM-L6-v2 behind a cache."""
    folder: Path = tmp_path_factory.mktemp("models")
    return CachedEmbedder(OnnxEmbedder(find_default_model(), folder))


@pytest.fixture(scope="session")
def make_passage() -> PassageMaker:
    """Return a maker of passages: ``make_passage(text, ordinal=0, headings=(), score=1.0)``."""

    def make(text: str, ordinal: int = 0, headings: tuple[str, ...] = (), score: float = 1.0) -> Passage:
        chunk = Chunk(
            id=f"c{ordinal}", document_id="d", kind="passage", ordinal=ordinal, text=text, page=1, last_page=1,
            heading_path=headings, document_title="Handbook",
        )  # fmt: skip
        return Passage(chunk=chunk, document_name="handbook.pdf", document_title="Handbook", score=score)

    return make


@pytest.fixture(scope="session")
def handbook(make_passage: PassageMaker) -> tuple[Passage, ...]:
    """Return five passages: prose, a table, prose with numbers, a rule, a list of facts."""
    texts = (
        ("Interfaces", "The supply voltage of DDR3 is 1.5 V. DDR4 lowered it to 1.2 V.\n"
         "The bus is faster than that of DDR2."),
        ("Timing", "Parameter | Typical | Maximum\ntR (read page) | 20 µs | 50 µs\n"
         "tPROG (program page) | 200 µs | 700 µs\ntBERS (erase block) | 2 ms | 10 ms"),
        ("Packaging", "Wafers are cut into dies by a diamond saw. They are then stacked up to sixteen high and "
         "packaged. Packages are tested at 85 °C for 48 hours."),
        ("Commands", "The host must not write to a block before it has been erased. Write protection is controlled by "
         "the pin WP#."),
        ("Bad blocks", "Bad blocks are marked by the factory in the first byte of the spare area. The controller keeps "
         "a bad block table."),
    )  # fmt: skip
    return tuple(make_passage(text, n, (heading,), 1.0 - n / 10) for n, (heading, text) in enumerate(texts))
