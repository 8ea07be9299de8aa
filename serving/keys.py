"""Keys: who asks is told by the API key that a request brings."""

import asyncio
import logging
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial

from contracts.errors import GoldenError
from contracts.keys import ApiKey
from library.keys import PREFIX, KeyStore
from serving.access import Actor, RequestInfo, Unauthenticated

_LOG = logging.getLogger(__name__)
# A use is noted when the last note is older: the store itself keeps one a minute.
_NOTED_FOR = timedelta(minutes=1)


class KeyRecogniser:
    """Recognises who brings an API key as ``Authorization: Bearer``, which no page of others can send.

    Each request looks its key up, so that a revoked one is refused from the next request on, whichever process revoked
    it.
    """

    asks_for = (
        "an API key as Authorization: Bearer gr_... (whoever runs the server makes one with: golden keys create NAME)"
    )

    def __init__(self, keeper: KeyStore) -> None:
        self._keeper = keeper
        self._uses = UseNotes()

    async def recognise(self, info: RequestInfo) -> Actor | None:
        """Return whose key the request brings; None where it brings nothing that begins as a key does.

        Raises:
            Unauthenticated: the key is not in force.
            Unavailable: the keys cannot be looked up just now.
        """
        if not info.bearer.startswith(PREFIX):
            return None
        record = await asyncio.to_thread(self._keeper.find, info.bearer)
        if record is None or record.state != "active":
            raise Unauthenticated(_REFUSALS[record.state if record is not None else "unknown"])
        self._uses.note(record.id, record.last_used_at, partial(self._keeper.note_use, record.id))
        return actor_of(record)


class UseNotes:
    """Notes uses beside the requests, since a writer may have to wait for an ingestion; once a minute is enough."""

    def __init__(self) -> None:
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def note(self, name: str, last: datetime | None, write: Callable[[], None]) -> None:
        """Have the use of ``name`` written, unless the ``last`` note is fresh, or one is being written."""
        fresh = last is not None and datetime.now(UTC) - last < _NOTED_FOR
        if not fresh and name not in self._tasks:
            self._tasks[name] = asyncio.create_task(_noted(write))
            self._tasks[name].add_done_callback(lambda _: self._tasks.pop(name, None))


async def _noted(write: Callable[[], None]) -> None:
    try:
        await asyncio.to_thread(write)
    except GoldenError as error:
        _LOG.warning("a use was not noted: %s", error)


def actor_of(record: ApiKey) -> Actor:
    """Return who asks with a key."""
    return Actor(
        name=record.name,
        groups=record.groups,
        scopes=record.scopes,
        department=record.department,
        key_id=record.id,
        account=f"key:{record.id}",
    )


_HOW = "send one that is in force as Authorization: Bearer gr_..."
_REFUSALS = {
    "unknown": f"This is no API key of this server: {_HOW}",
    "expired": f"This API key has expired: {_HOW}",
    "revoked": f"This API key was revoked: {_HOW}",
}
