"""Health: what is asked, how long for, and how often."""

import asyncio
from dataclasses import dataclass

from contracts.errors import Unavailable
from serving.health import Degraded, HealthChecks
from tests.serving.running import Service


@dataclass
class Part:
    """Something that is asked whether it is there."""

    says: str = ""
    raises: Exception | None = None
    hangs: asyncio.Event | None = None
    asked: int = 0

    async def check(self) -> str:
        self.asked += 1
        if self.hangs is not None:
            await self.hangs.wait()
        if self.raises is not None:
            raise self.raises
        return self.says


async def test_each_failed_part_is_named_with_its_reason_even_if_it_hangs() -> None:
    parts = {
        "database": Part(raises=Unavailable("The database does not answer.")),
        "model": Part(raises=RuntimeError("torn")),
        "chat server": Part(says=Degraded("It is away.")),
        "lexical index": Part(),
    }
    found = await HealthChecks({name: part.check for name, part in parts.items()})()
    assert list(found) == ["database", "model", "chat server"]
    assert list(found.values()) == ["The database does not answer.", "RuntimeError: torn", "It is away."]
    assert isinstance(found["chat server"], Degraded)
    slow, quick = Part(hangs=asyncio.Event()), Part()
    found = await HealthChecks({"slow": slow.check, "quick": quick.check}, timeout_s=0.2)()
    assert dict(found) == {"slow": "It did not answer within 0.2 s."}


async def test_concurrent_health_requests_share_one_check() -> None:
    part = Part()
    now = 0.0
    checks = HealthChecks({"part": part.check}, kept_s=1.0, clock=lambda: now)
    await asyncio.gather(*(checks() for _ in range(20)))
    assert part.asked == 1
    now = 0.9
    await checks()
    assert part.asked == 1
    now = 1.0
    await checks()
    assert part.asked == 2


async def test_missing_optional_part_keeps_the_server_ready(service: Service) -> None:
    async with service.http() as http:
        assert (await http.get("/readyz")).json() == {"status": "ready", "missing": {}, "degraded": {}}
        service.missing = {"chat server": Degraded("It is away.")}
        response = await http.get("/readyz")
        assert (response.status_code, response.json()["status"]) == (200, "degraded")
        assert response.json()["degraded"] == {"chat server": "It is away."}
        service.missing["database"] = "It is locked."
        response = await http.get("/readyz")
        assert response.status_code == 503
        assert response.json()["missing"] == {"database": "It is locked."}
        service.broken = True
        assert (await http.get("/readyz")).json()["missing"] == {"readiness": "the database does not answer"}
        assert (await http.get("/healthz")).status_code == 200
