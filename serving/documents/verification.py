"""The verification of the whole library: in the background, one at a time, the last one is remembered."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from contracts.documents import Verification
from contracts.errors import GoldenError

_LOG = logging.getLogger(__name__)


class Verifications:
    """Runs ``verify``, which returns a line for each fault, in the running event loop."""

    def __init__(self, verify: Callable[[], Awaitable[Sequence[str]]]) -> None:
        self._verify = verify
        self._work: asyncio.Task[None] | None = None
        self.last: Verification | None = None

    def start(self, who: str) -> Verification:
        """Begin a verification, or return the one that runs."""
        if self.last is None or self.last.state != "running":
            self.last = Verification(state="running", who=who, started_at=datetime.now(UTC))
            self._work = asyncio.create_task(self._run(self.last))
        return self.last

    async def _run(self, begun: Verification) -> None:
        ended: dict[str, Any] = {"state": "failed", "reason": "it was stopped"}
        try:
            ended = {"state": "done", "faults": tuple(await self._verify())}
        except GoldenError as error:
            ended["reason"] = str(error)
        except Exception as error:
            _LOG.exception("a verification broke")
            ended["reason"] = f"{type(error).__name__} (the server's log has the details)"
        finally:
            self.last = begun.model_copy(update={**ended, "finished_at": datetime.now(UTC)})
