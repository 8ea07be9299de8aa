"""Who goes first: what somebody waits for before what nobody does yet, and of questions the one asked first.

Said by blocks of code for whatever is begun in them, and heard by whoever computes it (``tools.yielding``).
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

# Whatever is not needed at once is needed some time: from then on it is computed as everything else is.
_PATIENCE_S = 2.0


class Unhurried:
    """Work that was begun before anybody waits for it; ``hurry`` says that now somebody does. Thread-safe."""

    def __init__(self, *, patience_s: float) -> None:
        self._until = time.monotonic() + patience_s
        self._hear: list[Callable[[], None]] = []

    @property
    def left_s(self) -> float:
        """How long it may still give way, in seconds; 0 or less: no longer."""
        return self._until - time.monotonic()

    def hurry(self) -> None:
        """Let it give way no longer."""
        self._until = 0.0
        for hear in tuple(self._hear):
            hear()

    def heard_by(self, hear: Callable[[], None]) -> None:
        """Let ``hear`` be called when it is to hurry."""
        if hear not in self._hear:
            self._hear.append(hear)


_UNHURRIED: ContextVar[Unhurried | None] = ContextVar("unhurried", default=None)


@contextmanager
def unhurried(*, patience_s: float = _PATIENCE_S) -> Iterator[Unhurried]:
    """Let what is begun in the block, tasks included, give way to whatever does not, for ``patience_s`` at most."""
    work = Unhurried(patience_s=patience_s)
    token = _UNHURRIED.set(work)
    try:
        yield work
    finally:
        _UNHURRIED.reset(token)


def unhurried_work() -> Unhurried | None:
    """Return what runs here where it is unhurried, still, else None."""
    work = _UNHURRIED.get()
    return work if work is not None and work.left_s > 0 else None


def gives_way() -> bool:
    """Say whether what runs here is unhurried, still."""
    return unhurried_work() is not None


# Since when whoever is in turn waits.
_IN_TURN: ContextVar[float | None] = ContextVar("in_turn", default=None)


@contextmanager
def in_turn() -> Iterator[None]:
    """Let what is begun in the block, tasks included, be computed in turn with what others began so, the oldest first.

    So of several that come at once the first is ready when its own work is done, and not when that of all is.
    """
    token = _IN_TURN.set(time.monotonic())
    try:
        yield
    finally:
        _IN_TURN.reset(token)


def in_turn_since() -> float | None:
    """Return since when what runs here waits for its turns, in seconds of the monotonic clock; None: it takes none."""
    return _IN_TURN.get()
