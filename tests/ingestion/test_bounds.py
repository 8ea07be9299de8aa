"""Pages, texts and tables without end: each is given up, and what stands beside it is read."""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from ingestion.limits import IngestionLimits, time_limit
from ingestion.workers.processes import ProcessReaderPool
from ingestion.workers.tasks import Refusal, perform, read_file
from tests.hashing_embedder import HashingEmbedder
from tests.ingestion.hostile.files import one_page, packed
from tests.ingestion.reading_files import InlineReaders, MakePipeline, passages_of, statuses
from tools.embedding.base import Matrix


class StuckEmbedder(HashingEmbedder):
    """Never comes back from many texts."""

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        if len(texts) > 5:
            await asyncio.Event().wait()
        return await super().embed_documents(texts)


def spin(seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            time.sleep(0.01)
        except Exception:
            continue  # like a library that catches everything


def test_endless_block_is_interrupted_even_if_it_catches_every_error() -> None:
    started = time.monotonic()
    with pytest.raises(TimeoutError, match=r"longer than 0\.2 s"), time_limit(0.2):
        spin(30)
    assert time.monotonic() - started < 15
    with time_limit(0.3):
        pass
    spin(0.5)  # no alarm is left over


@pytest.mark.slow
async def test_page_that_fills_the_memory_is_a_warning(tmp_path: Path) -> None:
    path, good = tmp_path / "bomb.pdf", tmp_path / "good.txt"
    path.write_bytes(one_page(packed(b" " * (400 * 2**20))))
    good.write_text("The winch is greased every 12 days.")
    pool = ProcessReaderPool(1, IngestionLimits(worker_bytes=500 * 2**20), None)
    try:
        read = await pool.read(path)
        assert read.pages[0].warnings == ("page 1 was left out: there is not enough memory to read it",)
        assert (await pool.read(good)).pages[0].blocks[0].text == "The winch is greased every 12 days."
    finally:
        pool.close()


@pytest.mark.parametrize(
    ("name", "limits", "reason"),
    [
        ("line.txt", IngestionLimits(characters=100_000), "its text has more than the 100,000 characters allowed"),
        ("wide.csv", IngestionLimits(passages=10), "passages, more than the 10 allowed"),
        ("wide.csv", IngestionLimits(file_s=2.0), "within 2 s"),
    ],
)
async def test_document_beyond_a_limit_is_refused_with_advice(
    make_pipeline: MakePipeline, tmp_path: Path, name: str, limits: IngestionLimits, reason: str
) -> None:
    rows = "\n".join(",".join(f"r{row}c{column}" for column in range(200)) for row in range(30))
    texts = {"line.txt": "The winch is greased every 12 days. " * 5_000, "wide.csv": rows}
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / name).write_text(texts[name])
    (folder / "note.txt").write_text("The hatch opens at noon.")
    readers = InlineReaders(limits=limits)
    pipeline = make_pipeline(limits=limits, embedder=StuckEmbedder(), open_readers=lambda: readers)
    report = await pipeline.ingest([folder])
    assert statuses(report) == {name: "failed", "note.txt": "ingested"}
    assert report.failed[0].reason.endswith(f"{reason}; split it into smaller files")


def test_huge_column_spans_do_not_create_columns(tmp_path: Path) -> None:
    path = tmp_path / "spans.html"
    rows = "".join(
        f"<tr><th colspan=1000>Group {row}</th></tr><tr><td>part {row}</td><td colspan=999>spare</td></tr>"
        for row in range(60)
    )
    path.write_text(f"<table>{rows}</table>")
    passages = passages_of(path)
    assert len(passages) < 10
    assert all(any(f"part {row} | spare" in each.text for each in passages) for row in range(60))


def test_endlessly_nested_mail_is_refused_with_a_clear_message(tmp_path: Path) -> None:
    path = tmp_path / "deep.eml"
    parts = "".join(f'Content-Type: multipart/mixed; boundary="b{level}"\n\n--b{level}\n' for level in range(2_000))
    path.write_text(f"From: a@example.org\nSubject: Deep\n{parts}Content-Type: text/plain\n\nThe winch.\n")
    refused = perform(read_file, path, IngestionLimits(), None)
    assert refused == Refusal("its parts are nested too deeply to be read; save it in a simpler form")
