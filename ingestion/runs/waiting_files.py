"""The files that wait to be read, and which of them is next."""

from collections import deque
from collections.abc import Collection

from ingestion.files.found_files import FoundFile

# What is in flight at most, from the first look at a file until it is stored: files, and bytes of theirs.
_FILES_AHEAD, _FILES_AHEAD_A_WORKER = 2, 2
_BYTES_AHEAD, _BYTES_AHEAD_A_WORKER = 64 * 1024 * 1024, 16 * 1024 * 1024


class WaitingFiles:
    """Files in their order, and behind them those that are read when no other file waits."""

    def __init__(self) -> None:
        self._files: deque[FoundFile] = deque()
        self._behind: list[FoundFile] = []

    def __len__(self) -> int:
        return len(self._files)

    def add(self, file: FoundFile, *, behind: bool = False) -> None:
        (self._behind if behind else self._files).append(file)

    def any_left(self) -> bool:
        """Say whether a file waits; those behind the others take their turn where no other is left."""
        if not self._files:
            self._files.extend(self._behind)
            self._behind.clear()
        return bool(self._files)

    def take(self, under_way: Collection[FoundFile], workers: int) -> FoundFile | None:
        """Take the next file for which there is room beside those ``under_way`` with so many ``workers``, or None.

        A file too large for the room is passed by the others, and taken when nothing else is under way or fits.
        """
        if len(under_way) >= _FILES_AHEAD + _FILES_AHEAD_A_WORKER * workers:
            return None
        left = _BYTES_AHEAD + _BYTES_AHEAD_A_WORKER * workers - sum(file.size_bytes for file in under_way)
        fits = (index for index, file in enumerate(self._files) if file.size_bytes <= left)
        index = next(fits, None if under_way or not self._files else 0)
        if index is None:
            return None
        file = self._files[index]
        del self._files[index]
        return file
