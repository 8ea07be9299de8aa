"""Routes of test cases: list, change, remove, export, and run them in the background."""

import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response, StreamingResponse

from contracts.errors import Conflict
from library.records.case_values import CaseResult, CaseRun
from serving.access import RequestGuard
from serving.dictionary.preconditions import PreconditionFailed
from serving.dictionary.problems import problems
from serving.dictionary.routing import Acting, guarded_router, in_thread
from serving.event_stream import DONE, HEADERS, MEDIA_TYPE, event_of, with_pauses
from serving.records.base import RecordsDesk
from serving.records.cases_running import CaseRunner
from serving.records.cases_wire import CaseChangeIn, ResultOut, RunDetails, RunList, RunMeasureOut, RunOut
from serving.records.paging import IfMatch, seen_version
from serving.records.rendering import case_out
from serving.records.wire import CaseList, CaseOut

PREFIX = "/api/review/cases"

CaseId = Annotated[str, Path(max_length=64)]
RunId = Annotated[str, Path(max_length=64)]
_KEEP_ALIVE_S = 10.0
_LINES: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/jsonl": {}}, "description": "A quiz: a JSON object a line."}
}


def case_routes(desk: RecordsDesk, runner: CaseRunner, guard: RequestGuard) -> APIRouter:
    """Return the routes below ``/api/review/cases``."""
    router = guarded_router(PREFIX, "review", guard, "manage")
    _listing(router, desk)
    _running(router, desk, runner)
    _watching(router, desk, runner)
    _changing(router, desk)
    return router


def _listing(router: APIRouter, desk: RecordsDesk) -> None:
    @router.get("", summary="List test cases", responses=problems())
    async def list_cases(actor: Acting) -> CaseList:
        """List the test cases that were made of turns, the oldest first."""
        return CaseList(cases=[case_out(each) for each in await in_thread(desk.cases.cases, actor.groups)])

    @router.get("/export", summary="Export test cases", response_class=Response, responses={**_LINES, **problems()})
    async def export_cases(actor: Acting) -> Response:
        """Export the test cases as a quiz: `golden eval quiz cases.jsonl` asks them and scores the answers."""
        cases = await in_thread(desk.cases.cases, actor.groups)
        lines = "".join(f"{json.dumps(each.fields, ensure_ascii=False)}\n" for each in cases)
        headers = {"content-disposition": 'attachment; filename="cases.jsonl"'}
        return Response(lines.encode("utf-8", "backslashreplace"), media_type="application/jsonl", headers=headers)


def _running(router: APIRouter, desk: RecordsDesk, runner: CaseRunner) -> None:
    @router.post("/run", status_code=202, summary="Run the test cases", responses=problems(409, 422, 503))
    async def run_cases(actor: Acting) -> RunOut:
        """Ask every test case that you may see, in the background, and score the answers; one run at a time.

        Each is asked with the document groups that both you and whoever asked it first may read. Nothing of it is kept
        as a conversation, and no unknown term is counted.
        """
        cases = await in_thread(desk.cases.cases, actor.groups)
        return run_out(await runner.start(cases, actor.groups, who=actor.name))

    @router.get("/runs", summary="List runs of the test cases", responses=problems())
    async def list_runs(
        actor: Acting, limit: Annotated[int, Query(ge=1, le=200, description="How many at most.")] = 50
    ) -> RunList:
        """List the newest runs that may be shown to you: those of whoever reads no group that you do not."""
        return RunList(
            runs=[run_out(each) for each in await in_thread(desk.bench.runs.runs, actor.groups, limit=limit)]
        )

    @router.delete("/runs/{run_id}", summary="Stop a run", responses=problems(404, 409))
    async def cancel_run(run_id: RunId, actor: Acting) -> RunOut:
        """Stop a run; what was asked so far stays. Another server's run ends within seconds."""
        return run_out(await runner.cancel(actor.groups, run_id))


def _watching(router: APIRouter, desk: RecordsDesk, runner: CaseRunner) -> None:
    @router.get("/runs/{run_id}", summary="Show a run", responses=problems(404))
    async def show_run(run_id: RunId, actor: Acting) -> RunDetails:
        """Show a run with how each case went, those that failed first."""
        run = await in_thread(desk.bench.runs.find, actor.groups, run_id)
        results = await in_thread(desk.bench.runs.results, actor.groups, run_id)
        return RunDetails(**run_out(run).model_dump(), results=[_result_out(each) for each in results])

    @router.get("/runs/{run_id}/events", summary="Watch a run", responses=problems(404))
    async def watch_run(run_id: RunId, actor: Acting) -> StreamingResponse:
        """Tell a run as server-sent events: the run as it is now, and again whenever it went on, up to its end."""
        await in_thread(desk.bench.runs.find, actor.groups, run_id)
        told = _told(runner.events(actor.groups, run_id))
        return StreamingResponse(told, media_type=MEDIA_TYPE, headers=HEADERS)


def _changing(router: APIRouter, desk: RecordsDesk) -> None:
    @router.put("/{case_id}", summary="Change a test case", responses=problems(400, 404, 412, 413, 415))
    async def change_case(
        case_id: CaseId, given: CaseChangeIn, actor: Acting, response: Response, if_match: IfMatch = None
    ) -> CaseOut:
        """Change a test case; with If-Match only the version that you saw."""
        fields, version = given.model_dump(), seen_version(if_match)
        try:
            changed = await in_thread(desk.cases.change, actor.groups, case_id, fields, version=version)
        except Conflict as error:
            raise PreconditionFailed(str(error)) from error
        out = case_out(changed)
        response.headers["etag"] = out.etag
        return out

    @router.delete("/{case_id}", status_code=204, summary="Remove a test case", responses=problems(404))
    async def remove_case(case_id: CaseId, actor: Acting) -> None:
        """Remove a test case."""
        await in_thread(desk.cases.remove, actor.groups, case_id)


def run_out(run: CaseRun) -> RunOut:
    """Return a run for the wire."""
    measure = run.measure
    return RunOut(
        id=run.id,
        state=run.state,
        reason=run.reason,
        stopping=run.stopping,
        started_at=run.started_at,
        finished_at=run.finished_at,
        who=run.who,
        groups=None if run.groups is None else sorted(run.groups),
        measure=RunMeasureOut(
            engine=measure.engine,
            version=measure.version,
            revision=measure.revision,
            settings=measure.settings,
            documents=measure.documents,
            dictionary=measure.dictionary,
        ),
        cases=run.cases,
        done=run.done,
        passed=run.passed,
        score=round(run.passed / run.done, 4) if run.done else None,
    )


def _result_out(result: CaseResult) -> ResultOut:
    return ResultOut(
        case=result.case_id,
        passed=result.passed,
        differs=list(result.differs),
        question=result.question,
        expected=result.expected,
        outcome=result.outcome,
        expected_answer=result.gold,
        answer=result.answer,
        citations=list(result.citations),
        readings=list(result.readings),
        certainty=result.certainty,
        milliseconds=round(result.milliseconds, 1),
        error=result.error,
        withheld=result.withheld,
    )


async def _told(runs: AsyncGenerator[CaseRun, None]) -> AsyncIterator[str]:
    async with aclosing(with_pauses(runs, _KEEP_ALIVE_S)) as heard:
        async for run in heard:
            yield event_of({"run": run_out(run).model_dump(mode="json")}) if run else ": still there\n\n"
    yield DONE
