"""The verification of the whole library: in the background, one at a time, the last one is remembered."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal

from fastapi import APIRouter

from contracts.errors import GoldenError, NotFound
from serving.access import RequestGuard
from serving.dictionary.routing import Acting, guarded_router
from serving.documents.wire import VerificationWire

_LOG = logging.getLogger(__name__)

VerificationState = Literal["running", "done", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """A comparison of all that is stored: ``faults`` are empty where all agrees, ``reason`` says why it failed."""

    state: VerificationState
    who: str
    started_at: datetime
    finished_at: datetime | None = None
    faults: tuple[str, ...] = ()
    reason: str = ""


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
        try:
            faults = tuple(await self._verify())
            ended = replace(begun, state="done", faults=faults)
        except asyncio.CancelledError:
            self.last = replace(begun, state="failed", reason="it was stopped")
            raise
        except GoldenError as error:
            ended = replace(begun, state="failed", reason=str(error))
        except Exception as error:
            _LOG.exception("a verification broke")
            ended = replace(begun, state="failed", reason=f"{type(error).__name__} (the server's log has the details)")
        self.last = replace(ended, finished_at=datetime.now(UTC))


def verification_routes(verifications: Verifications, guard: RequestGuard, prefix: str) -> APIRouter:
    """Return the routes at ``prefix/verification``."""
    router = guarded_router(prefix, "documents", guard, "manage", whole="The verification")

    @router.post("/verification", status_code=202)
    async def verify_library(actor: Acting) -> VerificationWire:
        """Compare SQL, the vectors, the lexical index and the ledger in the background; one that runs is returned."""
        return _wire(verifications.start(actor.name))

    @router.get("/verification")
    async def show_verification(actor: Acting) -> VerificationWire:
        """Show the last verification since the server began."""
        if verifications.last is None:
            raise NotFound("The library was not verified since the server began.")
        return _wire(verifications.last)

    return router


def _wire(verification: Verification) -> VerificationWire:
    return VerificationWire(
        state=verification.state,
        who=verification.who,
        started_at=verification.started_at,
        finished_at=verification.finished_at,
        faults=list(verification.faults),
        reason=verification.reason,
    )
