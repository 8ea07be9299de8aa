"""Running test cases in the background: watched, stopped, broken, over real SQLite."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from sqlalchemy import Engine

from contracts.case_runs import CaseResult, CaseRun, ReviewCase, RunMeasure
from contracts.errors import Conflict, InvalidInput, Unavailable
from contracts.records import Groups
from library.records.case_runs import CaseRunStore
from serving.records.case_runner import CaseRunner
from tests.library.records.samples import EVERYONE, MEASURE, NOON


class Examiner:
    """Passes every case once it is let go; remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Groups]] = []
        self.go = asyncio.Event()
        self.error: Exception | None = None

    async def measure(self) -> RunMeasure:
        return MEASURE

    async def examine(self, case: ReviewCase, groups: Groups) -> CaseResult:
        self.asked.append((case.id, groups))
        await self.go.wait()
        if self.error is not None:
            raise self.error
        return CaseResult(case_id=case.id, question="Q", expected="answered", outcome="answered", differs=(),
                          milliseconds=1.0)  # fmt: skip


def case_of(case_id: str, groups: Groups) -> ReviewCase:
    return ReviewCase(id=case_id, turn=None, case={}, made_by="", made_at=NOON, asker_groups=groups)


CASES = (case_of("one", EVERYONE | {"lab"}), case_of("two", None))


@pytest.fixture
def examiner() -> Examiner:
    return Examiner()


@pytest.fixture
async def runner(engine: Engine, examiner: Examiner) -> AsyncIterator[CaseRunner]:
    made = CaseRunner(CaseRunStore(engine), examiner)
    yield made
    await made.close()


async def progress_of(engine: Engine, groups: Groups, run_id: str) -> list[CaseRun]:
    """Return the run at each look, until it ends."""
    seen: list[CaseRun] = []
    async with asyncio.timeout(20):
        while not seen or not seen[-1].is_over:
            seen.append(await asyncio.to_thread(CaseRunStore(engine).find, groups, run_id))
            await asyncio.sleep(0.02)
    return seen


async def test_run_asks_with_common_groups_and_reports_progress(
    runner: CaseRunner, examiner: Examiner, engine: Engine
) -> None:
    examiner.go.set()
    run = await runner.start(CASES, EVERYONE, who="Eve")
    progress = await progress_of(engine, EVERYONE, run.id)
    assert (progress[-1].state, progress[-1].done, progress[-1].passed) == ("done", 2, 2)
    assert [each.done for each in progress] == sorted(each.done for each in progress)
    assert examiner.asked == [("one", EVERYONE), ("two", EVERYONE)]


async def test_second_run_is_refused_and_stopped_run_keeps_its_results(
    runner: CaseRunner, examiner: Examiner, engine: Engine
) -> None:
    run = await runner.start(CASES, None, who="Eve")
    with pytest.raises(Conflict):
        await runner.start(CASES, None, who="Bob")
    with pytest.raises(InvalidInput):
        await runner.start((), None, who="Bob")
    stopped = await runner.cancel(None, run.id)
    assert (stopped.state, stopped.done) == ("cancelled", 0)
    examiner.go.set()
    again = await runner.start(CASES, None, who="Eve")
    assert (await progress_of(engine, None, again.id))[-1].state == "done"


async def test_another_process_stops_a_run(runner: CaseRunner, examiner: Examiner, engine: Engine) -> None:
    run = await runner.start(CASES, None, who="Eve")
    other = CaseRunner(CaseRunStore(engine), examiner)
    assert (await other.cancel(None, run.id)).state == "cancelled"
    examiner.go.set()
    await runner.close()
    assert [each.id for each in (await asyncio.to_thread(CaseRunStore(engine).results, None, run.id))] == []


async def test_failed_run_gives_the_reason(runner: CaseRunner, examiner: Examiner, engine: Engine) -> None:
    examiner.go.set()
    for error, reason in ((Unavailable("the database is away"), "database is away"), (KeyError("x"), "server's log")):
        examiner.error = error
        run = await runner.start(CASES, None, who="Eve")
        last = (await progress_of(engine, None, run.id))[-1]
        assert last.state == "failed"
        assert reason in last.reason


async def test_closing_stops_the_active_run(runner: CaseRunner, engine: Engine) -> None:
    run = await runner.start(CASES, None, who="Eve")
    await runner.close()
    assert CaseRunStore(engine).find(None, run.id).state == "cancelled"
