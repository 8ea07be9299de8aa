"""Running test cases in the background: one run at a time, which continues even if nobody is watching."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Protocol

from contracts.case_runs import CaseResult, CaseRun, ReviewCase, RunMeasure, RunState
from contracts.errors import GoldenError, InvalidInput
from contracts.records import Groups, common_groups
from library.records.case_runs import CaseRunStore

_LOG = logging.getLogger(__name__)


class CaseExaminer(Protocol):
    """Runs test cases and compares the answers with the expected ones. Nothing else is stored or counted."""

    async def measure(self) -> RunMeasure: ...

    async def examine(self, case: ReviewCase, groups: Groups) -> CaseResult:
        """Run a case on documents of ``groups``; a failure is a result, too."""


class CaseRunner:
    """Runs test cases one after another. Its state is in the database: any process can show and stop a run."""

    def __init__(self, runs: CaseRunStore, examiner: CaseExaminer) -> None:
        self._runs = runs
        self._examiner = examiner
        self._work: dict[str, asyncio.Task[None]] = {}

    async def start(self, cases: Sequence[ReviewCase], groups: Groups, *, who: str) -> CaseRun:
        """Start running ``cases``; readers of ``groups`` may see the run.

        Raises:
            InvalidInput: there are no cases.
            Conflict: another run is in progress.
        """
        if not cases:
            raise InvalidInput("There are no test cases yet: make one from a turn first.", field="cases")
        measure = await self._examiner.measure()
        run = await asyncio.to_thread(self._runs.begin, groups, measure, who=who, cases=len(cases))
        self._work[run.id] = asyncio.create_task(self._run(run, tuple(cases)))
        self._work[run.id].add_done_callback(lambda _: self._work.pop(run.id, None))
        # Let the task start: a task that is cancelled before its first step never runs and could not record the end.
        await asyncio.sleep(0)
        return run

    async def cancel(self, groups: Groups, run_id: str) -> CaseRun:
        """Stop a run; the results so far are kept. Raises the same errors as ``CaseRunStore.stop``."""
        run = await asyncio.to_thread(self._runs.stop, groups, run_id)
        if (work := self._work.get(run_id)) is not None:
            work.cancel()
            await asyncio.wait([work])
        return run

    async def close(self) -> None:
        """Stop the run in this process; its state becomes cancelled."""
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
            _LOG.exception("run %s of the test cases failed", run.id)
            state, reason = "failed", f"Something broke; the server's log has the details under {run.id}."
        try:
            await asyncio.to_thread(self._runs.end, run.id, state, reason=reason)
        except GoldenError as error:
            # The stored state becomes "interrupted" once the process has not reported for long enough.
            _LOG.warning("the end of run %s was not stored: %s", run.id, error)
