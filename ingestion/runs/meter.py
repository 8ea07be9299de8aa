"""How far an ingestion is, how fast it goes, and how long it will take, as far as that can be known."""

import time
from collections import deque
from collections.abc import Mapping

from ingestion.reports import Phase, Progress, Unit

_WINDOW_S = 30.0
# Before that much is done, what is left would be a guess.
_LEAST_S = 2.0
_LEAST_SHARE = 0.02


class Meter:
    """Measures the files that must be read, in pages where all of them can be counted cheaply, else in bytes.

    Files that need no reading count as files, not as work: they would make everything look faster than it is.
    """

    def __init__(self, files_total: int) -> None:
        self._files_total = files_total
        self._sizes: dict[str, int] = {}
        self._pages_of: dict[str, int] = {}
        self._counted = False
        self._finished: dict[str, int] = {}
        self._shares: dict[str, tuple[int, int | None]] = {}
        self._pages_done = 0
        self._bytes_done = 0
        self._bytes_total = 0
        self._began = time.monotonic()
        self._samples: deque[tuple[float, int]] = deque([(self._began, 0)])
        self.files_done = 0

    def expect(self, sizes: Mapping[str, int]) -> None:
        """Take note of the files that may have to be read, with their sizes in bytes; the time runs from here."""
        self._sizes.update(sizes)
        self._bytes_total = sum(self._sizes.values())
        self._began = time.monotonic()
        self._samples = deque([(self._began, 0)])

    def count(self, pages: Mapping[str, int | None], *, complete: bool) -> None:
        """Take note of how many pages files have; ``complete`` says that no other count follows."""
        self._pages_of.update({path: count for path, count in pages.items() if count is not None})
        self._counted = complete and self._sizes.keys() <= self._pages_of.keys() | self._finished.keys()

    def hear(self, path: str, read: int, total: int | None) -> bool:
        """Take note of how many pages of a file are read; say whether that is news."""
        if self._shares.get(path) == (read, total):
            return False
        self._shares[path] = (read, total)
        self._sample()
        return True

    def finish(self, path: str, pages: int, *, was_read: bool) -> None:
        """Take note that a file is done with; one that needed no reading is no work."""
        self.files_done += 1
        self._shares.pop(path, None)
        size = self._sizes.get(path)
        if size is None:
            return
        if not was_read:
            del self._sizes[path]
            self._pages_of.pop(path, None)
            self._bytes_total -= size
            return
        self._finished[path] = pages
        self._pages_of.setdefault(path, pages)
        self._pages_done += pages
        self._bytes_done += size
        self._sample()

    def progress(self, phase: Phase, current: str) -> Progress:
        """Return how far the ingestion is."""
        unit: Unit = "pages" if self._counted and self._sizes else "bytes"
        done, total = self._work(unit)
        read, of_pages = self._shares.get(current, (0, self._pages_of.get(current)))
        return Progress(
            phase=phase,
            files_done=self.files_done,
            files_total=self._files_total,
            pages=self._pages_read(),
            current=current,
            current_pages=read,
            current_total=of_pages,
            unit=unit,
            done=int(done),
            total=total if self._sizes else None,
            pages_per_s=self._rate(),
            seconds_left=self._left(done, total),
        )

    def _work(self, unit: Unit) -> tuple[float, int]:
        if unit == "pages":
            total = sum(self._pages_of.get(path, 0) for path in self._sizes)
            return min(self._pages_read(), total), total
        under_way = sum(
            self._sizes.get(path, 0) * min(read / of_pages, 1.0)
            for path, (read, of_pages) in self._shares.items()
            if of_pages
        )
        return self._bytes_done + under_way, self._bytes_total

    def _pages_read(self) -> int:
        return self._pages_done + sum(read for read, _ in self._shares.values())

    def _left(self, done: float, total: int) -> float | None:
        elapsed = time.monotonic() - self._began
        if total and done >= total:
            return 0.0
        if elapsed < _LEAST_S or not total or done < _LEAST_SHARE * total:
            return None
        return elapsed * (total - done) / done

    def _sample(self) -> None:
        now = time.monotonic()
        self._samples.append((now, self._pages_read()))
        while len(self._samples) > 2 and self._samples[0][0] < now - _WINDOW_S:
            self._samples.popleft()

    def _rate(self) -> float | None:
        (first, before), (last, after) = self._samples[0], self._samples[-1]
        return max(after - before, 0) / (last - first) if last - first >= 0.5 and after > before else None
