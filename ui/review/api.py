"""What the review desk asks of the API."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any

from ui.answer_wire import Step
from ui.client import ApiSession
from ui.review.where import CONCERNS, PAGE, Where
from ui.review.wire import Case, Run, Said, Turn, TurnPage, steps_in

_ROOT = "/api/review"
_RUNS_SHOWN = 40


class ReviewApi:
    """Asks for one person. Whatever is refused is raised as ``ApiProblem``."""

    def __init__(self, session: ApiSession) -> None:
        self._session = session

    async def page(self, where: Where) -> TurnPage:
        """Return the page of turns that ``where`` names."""
        asked = {**where.asked(), "limit": PAGE, "concern": where.concern or None, "after": where.after or None}
        return TurnPage.model_validate(await self._session.get(_ROOT, asked))

    async def totals(self, where: Where) -> dict[str, int]:
        """Return how many turns there are of each concern, whichever is chosen."""
        pages = await asyncio.gather(
            *(self._session.get(_ROOT, {**where.asked(), "limit": 1, "concern": each}) for each in CONCERNS)
        )
        return {name: TurnPage.model_validate(each).total for name, each in zip(CONCERNS, pages, strict=True)}

    async def turn(self, turn_id: str) -> Turn:
        """Return a turn with those before it."""
        return Turn.model_validate(await self._session.get(f"{_ROOT}/{turn_id}"))

    async def decide(self, turn_id: str, verb: str, note: str, etag: str) -> None:
        """Note a decision over the one that was seen; ``verb`` is "resolve", "ignore" or "reopen"."""
        await self._session.send("POST", f"{_ROOT}/{turn_id}/{verb}", json={"note": note}, if_match=etag)

    async def replay(self, turn_id: str) -> AsyncIterator[str | Step | Said]:
        """Ask a turn's question again; yield the name of each step as it begins, each as it ends, then the answer."""
        async with self._session.events(f"{_ROOT}/{turn_id}/replay") as events:
            async for event in events:
                if isinstance(event.get("replay"), dict):
                    yield Said.model_validate(event["replay"])
                    continue
                began, ended = steps_in(event)
                if began:
                    yield began
                if ended is not None:
                    yield ended

    async def cases(self) -> tuple[Case, ...]:
        """Return the test cases, the newest first."""
        told = await self._session.get(f"{_ROOT}/cases")
        return tuple(Case.model_validate(each) for each in reversed(told["cases"]))

    async def make_case(self, turn_id: str, fields: Mapping[str, Any]) -> Case:
        """Make a test case of a turn."""
        answer = await self._session.send("POST", f"{_ROOT}/{turn_id}/case", json=dict(fields))
        return Case.model_validate(answer.json())

    async def change_case(self, case_id: str, fields: Mapping[str, Any], etag: str) -> None:
        """Change a test case at the version that was seen."""
        await self._session.send("PUT", f"{_ROOT}/cases/{case_id}", json=dict(fields), if_match=etag)

    async def remove_case(self, case_id: str) -> None:
        """Remove a test case."""
        await self._session.send("DELETE", f"{_ROOT}/cases/{case_id}")

    async def run(self) -> Run:
        """Begin a run of the test cases."""
        return Run.model_validate((await self._session.send("POST", f"{_ROOT}/cases/run")).json())

    async def runs(self) -> tuple[Run, ...]:
        """Return the newest runs, the newest first."""
        told = await self._session.get(f"{_ROOT}/cases/runs", {"limit": _RUNS_SHOWN})
        return tuple(Run.model_validate(each) for each in told["runs"])

    async def results(self, run_id: str) -> Run:
        """Return a run with the results so far."""
        return Run.model_validate(await self._session.get(f"{_ROOT}/cases/runs/{run_id}"))

    async def watch(self, run_id: str) -> AsyncIterator[Run]:
        """Yield a run whenever it goes on, up to its end."""
        async with self._session.events(f"{_ROOT}/cases/runs/{run_id}/events", method="GET") as events:
            async for event in events:
                if isinstance(event.get("run"), dict):
                    yield Run.model_validate(event["run"])

    async def cancel(self, run_id: str) -> None:
        """Stop a run."""
        await self._session.send("DELETE", f"{_ROOT}/cases/runs/{run_id}")
