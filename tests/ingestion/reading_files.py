"""Files read in this process: as a pool of workers does it, or on to their passages."""

import math
from collections.abc import Callable
from pathlib import Path

from contracts.text import Chunk, Document
from ingestion.chunks.split import split_pages
from ingestion.limits import IngestionLimits
from ingestion.pipeline import IngestionPipeline
from ingestion.reports import IngestionReport
from ingestion.workers.pool import HearPages, ReaderPool
from ingestion.workers.tasks import ReadFile, read_file
from tests.hashing_embedder import HashingEmbedder

MakePipeline = Callable[..., IngestionPipeline]
count = HashingEmbedder().count_tokens


def statuses(report: IngestionReport) -> dict[str, str]:
    """Return what became of each file, by its name."""
    return {Path(file.path).name: file.status for file in report.files}


class InlineReaders(ReaderPool):
    """Reads files in this process, however long it takes; ``after_read`` is called with each path."""

    workers = 1

    def __init__(
        self, after_read: Callable[[Path], object] = lambda path: None, limits: IngestionLimits | None = None
    ) -> None:
        self._after_read = after_read
        self._limits = limits or IngestionLimits()
        self.read_paths: list[Path] = []

    async def read(self, path: Path, hear: HearPages | None = None, *, task_s: float = math.inf) -> ReadFile:
        self.read_paths.append(path)
        read = read_file(path, self._limits, None)
        self._after_read(path)
        return read

    def close(self) -> None:
        """Nothing is open."""


def passages_of(path: Path, *, title: str = "", tokens: int = 250) -> list[Chunk]:
    """Return the passages of the file at ``path``; none is over ``tokens``, whole lists and code not over 1.6 times."""
    pages = read_file(path, IngestionLimits(), None).pages
    document = Document(
        id="d", name=path.name, path=str(path), media_type="", content_hash="h", title=title, pages=len(pages)
    )
    chunks = split_pages(pages, document, count, tokens)
    found = [chunk for chunk in chunks if chunk.kind == "passage"]
    for chunk in found:
        whole = chunk.block_kind in ("list", "code")
        assert count(chunk.searchable_text) <= (1.6 * tokens if whole else tokens)
    return found


def the_one_with(chunks: list[Chunk], words: str) -> Chunk:
    """Return the only passage in which ``words`` stand."""
    (found,) = (chunk for chunk in chunks if words in chunk.text)
    return found
