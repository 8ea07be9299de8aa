"""The progress of an ingestion, and the estimated time left."""

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ingestion.reports import FileProgress, Phase, Progress
from library.ledger import suffix_of

# Before this much is done, the time left would be a guess.
_LEAST_S = 2.0
_LEAST_SHARE = 0.02
# The assumed seconds to split, summarise and embed a page on two cores, until some have been measured.
_BUILD_S = 0.5
# For these kinds the work is proportional to the bytes; for others, which contain pictures, to their square root: a
# scan of a megabyte is not a hundred times the work of ten kilobytes of text. Both count the same at this size.
_TEXTS = frozenset((".txt", ".text", ".log", ".md", ".markdown", ".rst", ".csv", ".tsv", ".html", ".htm", ".xhtml"))
_LIKE_BYTES = 2_000


def _work_in(path: str, size: int) -> float:
    return float(size) if suffix_of(path) in _TEXTS else (size * _LIKE_BYTES) ** 0.5


@dataclass(slots=True)
class _FileInProgress:
    """A current file: how many of its pages have been read (total None: unknown), and how many texts embedded."""

    read: int = 0
    pages: int | None = None
    # When progress was first reported, how long the file has been read since, and how many pages had been read by then.
    began: float = 0.0
    reading_s: float = 0.0
    first: int = 0
    embedded: int = 0
    texts: int = 0

    def share(self) -> float:
        """Return the share of its work that is done, in [0, 1]: reading a page of text takes little time, OCR a lot."""
        if not self.pages:
            return 0.0
        page_s = self.reading_s / max(self.read - self.first, 1)
        reading = page_s / (page_s + _BUILD_S)
        built = self.embedded / self.texts if self.texts else 0.0
        return reading * min(self.read / self.pages, 1.0) + (1.0 - reading) * built


class ProgressEstimate:
    """Adds up the bytes of the files to be read, and estimates their time from finished files of the same kind.

    Files that need no reading count as files, not as work: they would make everything look faster than it is.
    """

    def __init__(self) -> None:
        self._files_total = 0
        # Sizes of the files in progress, in bytes.
        self._sizes: dict[str, int] = {}
        self._in_progress: dict[str, _FileInProgress] = {}
        self._bytes_left = self._bytes_done = 0
        # For each kind of file, by suffix: the work that is left, the work done, and its seconds.
        self._left: defaultdict[str, float] = defaultdict(float)
        self._done: defaultdict[str, float] = defaultdict(float)
        self._seconds: defaultdict[str, float] = defaultdict(float)
        # When the first file was started; the time before that went into starting workers.
        self._since: float | None = None
        self._pages_done = 0
        self.files_done = 0

    def expect(self, files_total: int, sizes: Sequence[tuple[str, int]]) -> None:
        """Record how many files there are, and add the bytes of further files to be read."""
        self._files_total = files_total
        for path, size in sizes:
            self._bytes_left += size
            self._left[suffix_of(path)] += _work_in(path, size)

    def begin(self, path: str, size: int) -> None:
        """Record that a file of ``size`` bytes has been started."""
        self._sizes[path] = size

    def record_read(self, path: str, read: int, total: int | None) -> bool:
        """Record how many pages of a file have been read; return whether that changed."""
        if self._since is None:
            self._since = time.monotonic()
        file = self._in_progress.setdefault(path, _FileInProgress(began=time.monotonic(), first=read))
        is_news = (file.read, file.pages) != (read, total)
        file.read, file.pages, file.reading_s = read, total, time.monotonic() - file.began
        return is_news

    def record_embedded(self, path: str, embedded: int, texts: int) -> None:
        """Record how many texts of a file have been embedded, and the total."""
        file = self._in_progress.setdefault(path, _FileInProgress())
        file.embedded, file.texts = embedded, texts
        file.pages = file.pages or 1
        file.read = file.pages

    def finish(self, path: str, pages: int, *, seconds: float | None) -> None:
        """Record that a file is done, after ``seconds`` of work; None if it needed no reading."""
        self.files_done += 1
        self._in_progress.pop(path, None)
        kind, size = suffix_of(path), self._sizes.pop(path, 0)
        work = _work_in(path, size)
        # The file may have grown since it was counted.
        self._bytes_left = max(self._bytes_left - size, 0)
        self._left[kind] = max(self._left[kind] - work, 0.0)
        if seconds is None:
            return
        if self._since is None:
            self._since = time.monotonic() - seconds
        self._pages_done += pages
        self._bytes_done += size
        self._done[kind] += work
        self._seconds[kind] += seconds

    def progress(self, phase: Phase, current: str) -> Progress:
        """Return the progress of the ingestion."""
        shares = {path: file.share() for path, file in self._in_progress.items()}
        begun = sum(self._sizes.get(path, 0) * share for path, share in shares.items())
        pages = self._pages_done + sum(file.read for file in self._in_progress.values())
        return Progress(
            phase=phase,
            files_done=self.files_done,
            files_total=max(self._files_total, self.files_done),
            pages=pages,
            current=current,
            files=tuple(
                FileProgress(path=path, pages=file.read, total=file.pages, share=shares[path])
                for path, file in self._in_progress.items()
            ),
            done=int(self._bytes_done + begun),
            total=self._bytes_done + self._bytes_left if self._left else None,
            seconds_left=self._seconds_left(shares),
        )

    def _seconds_left(self, shares: Mapping[str, float]) -> float | None:
        all_done = sum(self._done.values())
        usual = sum(self._seconds.values()) / all_done if all_done else 1.0

        def cost(kind: str) -> float:
            return self._seconds[kind] / self._done[kind] if self._done.get(kind) else usual

        begun = sum(
            cost(suffix_of(path)) * _work_in(path, self._sizes.get(path, 0)) * share for path, share in shares.items()
        )
        done = sum(self._seconds.values()) + begun
        left = sum(cost(kind) * work for kind, work in self._left.items()) - begun
        elapsed = time.monotonic() - self._since if self._since is not None else 0.0
        return elapsed * left / done if elapsed >= _LEAST_S and done >= _LEAST_SHARE * (done + left) > 0 else None
