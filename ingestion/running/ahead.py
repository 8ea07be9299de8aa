"""Files prepared ahead of the one in turn: enough that nothing waits, few enough that memory stays bounded."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Any, Generic, TypeVar

from ingestion.files.finding import FoundFile

_Prepared = TypeVar("_Prepared")


class Ahead(Generic[_Prepared]):
    """Starts ``prepare`` for files in their order, and hands them out in that order.

    At most ``most_files`` are in flight, from their start until the next one is asked for, and at most ``most_bytes``
    of them: a file that is larger waits until it is in turn itself.
    """

    def __init__(
        self,
        files: Sequence[FoundFile],
        prepare: Callable[[FoundFile], Coroutine[Any, Any, _Prepared]],
        *,
        most_files: int,
        most_bytes: int,
    ) -> None:
        self._files = files
        self._prepare = prepare
        self._most_files = most_files
        self._most_bytes = most_bytes
        self._tasks: dict[int, asyncio.Task[_Prepared]] = {}

    def __iter__(self) -> Iterator[tuple[FoundFile, "asyncio.Task[_Prepared]"]]:
        """Yield each file with the task that prepares it; what is yielded counts until the next step."""
        following, in_flight_bytes = 0, 0
        for index, file in enumerate(self._files):
            while following < len(self._files) and following - index < self._most_files:
                size_bytes = self._files[following].size_bytes
                if following > index and in_flight_bytes + size_bytes > self._most_bytes:
                    break
                self._tasks[following] = asyncio.create_task(self._prepare(self._files[following]))
                in_flight_bytes += size_bytes
                following += 1
            yield file, self._tasks.pop(index)
            in_flight_bytes -= file.size_bytes

    async def close(self) -> None:
        """Call off what is in flight."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
