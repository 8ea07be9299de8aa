"""Running test cases in the background: one run at a time, which goes on whoever watches."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from typing import Protocol

from contracts.case_runs import CaseResult, CaseRun, ReviewCase, RunMeasure, RunState
from contracts.errors import GoldenError, InvalidInput
from contracts.records import Groups, common_groups
from library.records.case_runs import CaseRunStore

_LOG = logging.getLogger(__name__)
# How often whoever watches looks at the database: the run may be another process's.
_LOOK_S = 0.5


class CaseExaminer(Protocol):
    """Asks test cases and holds the answers against what is expected. Nothing of it is kept or counted elsewhere."""

    async def measure(self) -> RunMeasure: ...

    async def examine(self, case: ReviewCase, groups: Groups) -> CaseResult:
        """Ask a case over documents of ``groups``; what cannot be asked is a result, too."""
        ...


class CaseRunner:
    """Asks test cases one after another. Its state is in the database: any process can show and stop a run."""

    def __init__(self, runs: CaseRunStore, examiner: CaseExaminer) -> None:
        self._runs = runs
        self._examiner = examiner
        self._work: dict[str, asyncio.Task[None]] = {}

    async def start(self, cases: Sequence[ReviewCase], groups: Groups, *, who: str) -> CaseRun:
        """Begin to ask ``cases``, which whoever reads ``groups`` may see.

        Raises:
            InvalidInput: there is none.
            Conflict: another run is under way.
        """
        if not cases:
            raise InvalidInput("There is no test case yet: make one of a turn first.", field="cases")
        measure = await self._examiner.measure()
        run = await asyncio.to_thread(self._runs.begin, groups, measure, who=who, cases=len(cases))
        self._work[run.id] = asyncio.create_task(self._run(run, tuple(cases)))
        self._work[run.id].add_done_callback(lambda _: self._work.pop(run.id, None))
        # A task that is cancelled before its first step never runs: nothing in it would note the end.
        await asyncio.sleep(0)
        return run

    async def cancel(self, groups: Groups, run_id: str) -> CaseRun:
        """Stop a run; what was asked so far stays.

        Raises:
            NotFound: there is no such run for this reviewer.
            Conflict: it is over.
        """
        run = await asyncio.to_thread(self._runs.stop, groups, run_id)
        if (work := self._work.get(run_id)) is not None:
            work.cancel()
            await asyncio.wait([work])
        return run

    async def events(self, groups: Groups, run_id: str) -> AsyncGenerator[CaseRun, None]:
        """Yield the run now and when it has gone on, up to its end.

        Raises:
            NotFound: there is no such run for this reviewer.
        """
        told: CaseRun | None = None
        while told is None or not told.is_over:
            run = await asyncio.to_thread(self._runs.find, groups, run_id)
            if run != told:
                yield run
                told = run
            else:
                await asyncio.sleep(_LOOK_S)

    async def close(self) -> None:
        """Stop what runs here; it stands as cancelled."""
        work = tuple(self._work.values())
        for each in work:
            each.cancel()
        if work:
            await asyncio.wait(work)

    async def _run(self, run: CaseRun, cases: Sequence[ReviewCase]) -> None:
        state: RunState = "done"
        reason = ""
        try:
            for case in cases:
                result = await self._examiner.examine(case, common_groups(case.asker_groups, run.groups))
                if not await asyncio.to_thread(self._runs.add, run.id, result):
                    return
        except asyncio.CancelledError:
            state = "cancelled"
        except GoldenError as error:
            state, reason = "failed", str(error)
        except Exception:
            _LOG.exception("run %s of the test cases broke", run.id)
            state, reason = "failed", f"Something broke; the server's log has the details under {run.id}."
        try:
            await asyncio.to_thread(self._runs.end, run.id, state, reason=reason)
        except GoldenError as error:
            # It stands as interrupted once it has been silent for long enough.
            _LOG.warning("the end of run %s is not kept: %s", run.id, error)
