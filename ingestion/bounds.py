"""Bounds on what one page may take of a worker: its time, and the memory of the process."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

# Libraries swallow exceptions here and there: it is raised until it gets through.
_AGAIN_S = 0.5


class _OutOfTime(BaseException):
    """Not an ``Exception``, which libraries catch and ignore."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Interrupt what runs in the block when it has taken ``seconds``.

    Where signals are not heard (another thread than the main one, a library that does not come back from C) the block
    is not bounded: the pool ends a worker that is late. Blocks do not nest.

    Raises:
        TimeoutError: it took longer.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    former = signal.signal(signal.SIGALRM, _interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN_S)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except _OutOfTime as error:
        signal.setitimer(signal.ITIMER_REAL, 0)
        raise TimeoutError(f"it took longer than {seconds:g} s") from error
    finally:
        signal.signal(signal.SIGALRM, former)


def bound_memory(size_bytes: int) -> None:
    """Let this process and its children have ``size_bytes`` of memory each; 0 leaves them as they are.

    More ends in a ``MemoryError``, or in the death of the process, instead of taking the machine down. Systems without
    such a limit (macOS ignores it, Windows has none) are left as they are.
    """
    try:
        import resource
    except ImportError:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if size_bytes and (hard == resource.RLIM_INFINITY or size_bytes < hard):
        resource.setrlimit(resource.RLIMIT_DATA, (size_bytes, hard))


def _interrupt(_: int, __: FrameType | None) -> None:
    raise _OutOfTime
