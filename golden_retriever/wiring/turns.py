"""The turns in which a process computes: one question after the other, each thread for a moment at a time."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from golden_retriever.settings import Settings
from tools.cores import share_of_cores
from tools.yielding import yield_in_threads

# Python's own is 5 ms, and the loop waits that long for every thread before it, each time it wakes up: a language
# model's token, a new client. Measured beside six computing threads on two cores, the loop then answered three times
# later than with this; what the threads get done for the same processor time is the same.
_TURN_S = 0.001


@contextmanager
def short_turns() -> Iterator[None]:
    """Let threads take turns of a millisecond for the length of the block."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(_TURN_S)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def compute_in_turns(settings: Settings, *, tell: Callable[[int], None] | None = None) -> None:
    """Let the running loop's threads compute in turns, on this process's share of the cores.

    The first call for a loop holds. ``tell`` hears how many computations are waited for, whenever that changes.
    """
    # A process that shares the machine with others like it has its share of the cores.
    yield_in_threads(turns=share_of_cores(settings.server_workers), tell=tell)
