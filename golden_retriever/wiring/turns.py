"""The turns in which Python's threads compute: how long one that only computes keeps the event loop waiting."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

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
