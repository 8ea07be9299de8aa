"""How far an ingestion is, how fast it goes, and how long it will take, as far as that can be known."""

import time
from collections.abc import Mapping

from ingestion.reports import Phase, Progress

# Before that much is done, what is left would be a guess.
_LEAST_S = 2.0
_LEAST_SHARE = 0.02


class Meter:
    """Measures the files that must be read, in bytes.

    Files that need no reading count as files, not as work: they would make everything look faster than it is.
    """

    def __init__(self, files_total: int) -> None:
        self._files_total = files_total
        self._sizes: dict[str, int] = {}
        self._shares: dict[str, tuple[int, int | None]] = {}
        self._pages_done = 0
        self._bytes_done = 0
        self._began = time.monotonic()
        self._first: tuple[float, float] | None = None
        self.files_done = 0

    def expect(self, sizes: Mapping[str, int]) -> None:
        """Take note of the files that may have to be read, with their sizes in bytes; the time runs from here."""
        self._sizes.update(sizes)
        self._began = time.monotonic()

    def hear(self, path: str, read: int, total: int | None) -> bool:
        """Take note of how many pages of a file are read; say whether that is news."""
        is_news = self._shares.get(path) != (read, total)
        self._shares[path] = (read, total)
        return is_news

    def finish(self, path: str, pages: int, *, was_read: bool) -> None:
        """Take note that a file is done with; one that needed no reading is no work."""
        self.files_done += 1
        self._shares.pop(path, None)
        if was_read:
            self._pages_done += pages
            self._bytes_done += self._sizes.get(path, 0)
        else:
            self._sizes.pop(path, None)

    def progress(self, phase: Phase, current: str) -> Progress:
        """Return how far the ingestion is."""
        now = time.monotonic()
        elapsed = now - self._began
        total = sum(self._sizes.values())
        done = self._bytes_done + sum(
            self._sizes.get(path, 0) * min(read / of_pages, 1.0)
            for path, (read, of_pages) in self._shares.items()
            if of_pages
        )
        pages = self._pages_done + sum(read for read, _ in self._shares.values())
        # The time before the first page, in which workers start, says nothing of the pace.
        if self._first is None and done:
            self._first = (now, done)
        since, before = self._first or (now, done)
        known = now - since >= _LEAST_S and done - before >= _LEAST_SHARE * total > 0
        read, of_pages = self._shares.get(current, (0, None))
        return Progress(
            phase=phase,
            files_done=self.files_done,
            files_total=self._files_total,
            pages=pages,
            current=current,
            current_pages=read,
            current_total=of_pages,
            done=int(done),
            total=total if self._sizes else None,
            pages_per_s=pages / elapsed if pages and elapsed >= _LEAST_S else None,
            seconds_left=(now - since) * (total - done) / (done - before) if known else None,
        )
