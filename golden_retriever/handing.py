"""Handing over: one process takes the connections of a port, and gives each to the worker that is least at work.

A port that several processes listen on is uneven: whichever wakes first takes all that wait, and of 64 streams that
begin together one process may get every one. So one process accepts, and hands the open socket over by a channel. Of
equally many streams, which wait for a language model most of the time, a worker may have several that begin or end just
now while another one rests: so each tells what it computes, too.
"""

import asyncio
import socket
import time
from collections.abc import Sequence
from ctypes import Structure, c_double, c_uint32, c_uint64
from typing import TYPE_CHECKING, Any

import structlog

# So many are taken before the workers' news are heard again.
_AT_ONCE = 64
# Between two computations of a question its event loop has its turns; and before the first one it reads the request.
_BETWEEN_S, _BEFORE_S = 0.006, 0.02
_log = structlog.get_logger(__name__)


class Load(Structure):
    """What a worker tells of itself, in memory that both processes see and only the worker writes.

    How many connections it has ended, how many computations are under way or wait for their turn, and when one ended
    last, in seconds of the monotonic clock, which all processes share.
    """

    _fields_ = (("ended", c_uint64), ("computing", c_uint32), ("computed_at", c_double))

    if TYPE_CHECKING:
        ended: int
        computing: int
        computed_at: float


class Channel:
    """The giving end of the way to one worker. Not thread-safe."""

    def __init__(self, way: socket.socket, load: Load) -> None:
        way.setblocking(False)
        self._way = way
        self._load = load
        self._given = 0
        self._given_at = -_BEFORE_S
        self.turn = 0
        self.is_open = True

    @property
    def held(self) -> int:
        """How many connections the worker holds, with those that wait for it."""
        return self._given - self._load.ended

    @property
    def busy(self) -> int:
        """How many computations the worker is at: what it tells, and the first of a connection that it just got."""
        now = time.monotonic()
        goes_on = now < self._load.computed_at + _BETWEEN_S
        return max(self._load.computing, goes_on) + (now < self._given_at + _BEFORE_S)

    def give(self, connection: socket.socket) -> bool:
        """Hand a connection over; False where the worker takes none, for now or (``is_open``) for good."""
        try:
            socket.send_fds(self._way, [b"."], [connection.fileno()])
        except (BlockingIOError, InterruptedError):
            return False
        except OSError:
            self.close()
            return False
        self._given += 1
        self._given_at = time.monotonic()
        return True

    def close(self) -> None:
        """Give no more."""
        self.is_open = False
        self._way.close()


class Door:
    """Takes connections from ``listener``, which listens, and hands each to the channel that is least busy.

    Of those that are equally busy it is the one with the fewest connections, and of those with equally many the one
    that was given none for the longest time. Not thread-safe.
    """

    def __init__(self, listener: socket.socket) -> None:
        listener.setblocking(False)
        self.listener = listener
        self._waiting: socket.socket | None = None
        self._turn = 0
        self._told = ""
        self.is_closed = False

    def let_in(self, channels: Sequence[Channel]) -> bool:
        """Hand over what waits at the port; False where something still waits that nobody takes now."""
        for _ in range(_AT_ONCE):
            try:
                connection = self._waiting or self._take()
            except OSError as error:
                self._tell(str(error))
                return False
            if connection is None:
                return True
            self._waiting = None if self._hand_over(connection, channels) else connection
            if self._waiting is not None:
                return False
        return True

    def close(self) -> None:
        """Refuse whoever comes, and who waits."""
        self.is_closed = True
        self.listener.close()
        if self._waiting is not None:
            self._waiting.close()
            self._waiting = None

    def _take(self) -> socket.socket | None:
        while True:
            try:
                return self.listener.accept()[0]
            except BlockingIOError:
                return None
            except (ConnectionError, InterruptedError):
                continue

    def _tell(self, reason: str) -> None:
        # It is tried again many times a second: once is enough.
        if self._told != reason:
            self._told = reason
            _log.warning("no connection can be taken", reason=reason)

    def _hand_over(self, connection: socket.socket, channels: Sequence[Channel]) -> bool:
        able = (each for each in channels if each.is_open)
        for channel in sorted(able, key=lambda each: (each.busy, each.held, each.turn)):
            if channel.give(connection):
                self._turn += 1
                channel.turn = self._turn
                connection.close()
                return True
        return False


class HandedConnections(socket.socket):
    """The taking end: to an event loop a listening socket, whose connections another process has accepted."""

    def __init__(self, way: socket.socket, load: Load) -> None:
        super().__init__(fileno=way.detach())
        self._load = load

    def tell_computing(self, number: int) -> None:
        """Let the other process know how many computations are under way or wait here; one began or ended just now."""
        self._load.computing = number
        self._load.computed_at = time.monotonic()

    def listen(self, backlog: int = 0, /) -> None:
        """Do nothing: the other process listens."""

    def accept(self) -> tuple[socket.socket, Any]:
        """Return the next connection and its peer's address.

        Raises:
            BlockingIOError: none is there.
            ConnectionAbortedError: its client has gone.
        """
        said, files, _, _ = socket.recv_fds(self, 1, 1)
        if not said:
            # The other process has gone: this end would be readable for ever.
            asyncio.get_running_loop().remove_reader(self.fileno())
        if not files:
            raise BlockingIOError
        connection = _Counted(files[0], self._load)
        try:
            return connection, connection.getpeername()
        except OSError as error:
            connection.close()
            raise ConnectionAbortedError from error


class _Counted(socket.socket):
    """A connection whose end is counted."""

    def __init__(self, number: int, load: Load) -> None:
        super().__init__(fileno=number)
        self._load: Load | None = load

    def close(self) -> None:
        if self._load is not None:
            self._load.ended += 1
            self._load = None
        super().close()


def make_way(context: Any) -> tuple[Channel, socket.socket, Load]:
    """Return the giving end of a new way, its taking end, and what both ends share.

    The last two are for a process that ``context`` (of ``multiprocessing``) starts, and are there made
    ``HandedConnections``.
    """
    giving, taking = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    load: Load = context.RawValue(Load)
    return Channel(giving, load), taking, load
