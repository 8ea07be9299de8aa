"""The seam between the pipeline and whatever reads files: processes on this machine, or a cluster."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from contracts.text import Page

# Hears how many pages of a file are read, and of how many (None: not known).
HearPages = Callable[[int, int | None], None]


@dataclass(frozen=True, slots=True)
class ReadFile:
    """What a worker read: the pages, the title and media type of the file, and the seconds that it took."""

    pages: tuple[Page, ...]
    title: str
    media_type: str
    seconds: float = 0.0


class ReaderPool(Protocol):
    """Reads files outside of this process, several at a time."""

    @property
    def workers(self) -> int:
        """How many workers read side by side."""
        ...

    async def read(self, path: Path, hear: HearPages | None = None) -> ReadFile:
        """Read a file; earlier calls go first. ``hear`` is told how far it is.

        Raises:
            UnreadableFile: it cannot be read, workers died of it, or it took longer than the limit.
        """
        ...

    async def count_pages(self, paths: Sequence[Path]) -> tuple[int | None, ...]:
        """Count the pages of files without reading them; None where that is not cheap, or not possible."""
        ...

    def close(self) -> None:
        """End the workers, those that still read among them."""
        ...


OpenReaders = Callable[[], ReaderPool]
