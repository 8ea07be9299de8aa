"""Health: what is asked, how long for, and how often."""

import asyncio
from unittest.mock import AsyncMock

from contracts.errors import Unavailable
from serving.health import Degraded, HealthChecks
from tests.serving.running import Service


async def test_each_failed_part_is_named_with_its_reason_even_if_it_hangs() -> None:
    checks = {
        "database": AsyncMock(side_effect=Unavailable("The database does not answer.")),
        "model": AsyncMock(side_effect=RuntimeError("torn")),
        "chat server": AsyncMock(return_value=Degraded("It is away.")),
        "lexical index": AsyncMock(return_value=""),
    }
    found = await HealthChecks(checks)()
    assert list(found) == ["database", "model", "chat server"]
    assert list(found.values()) == ["The database does not answer.", "RuntimeError: torn", "It is away."]
    assert isinstance(found["chat server"], Degraded)
    checks = {"slow": asyncio.Event().wait, "quick": AsyncMock(return_value="")}
    found = await HealthChecks(checks, timeout_s=0.2)()
    assert dict(found) == {"slow": "It did not answer within 0.2 s."}


async def test_concurrent_health_requests_share_one_check() -> None:
    check = AsyncMock(return_value="")
    now = 0.0
    checks = HealthChecks({"part": check}, kept_s=1.0, clock=lambda: now)
    await asyncio.gather(*(checks() for _ in range(20)))
    assert check.await_count == 1
    now = 0.9
    await checks()
    assert check.await_count == 1
    now = 1.0
    await checks()
    assert check.await_count == 2


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
