"""The routes of reviewers: what somebody should look at, what they decide, and the test cases they make of it."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from time import perf_counter
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel

from contracts.answer import AnswerEvent, AnswerReady
from contracts.case_runs import CaseRun, ReviewCase, RunDetails
from contracts.records import (
    CONCERNS,
    LOW_CERTAINTY,
    Concern,
    Replay,
    ReviewDetails,
    ReviewFilter,
    ReviewPage,
    ReviewState,
    ReviewTurn,
)
from serving.access import Guard
from serving.event_stream import DONE, HEADERS, MEDIA_TYPE, event_of, progress_of, with_pauses
from serving.preconditions import IfMatch, record_version
from serving.problems import ProblemBody, problem_of, request_id_of
from serving.records.bodies import CaseChange, Decision, NewCase
from serving.records.paging import After, Limit
from serving.records.service import RecordsService
from serving.routing import Acting, guarded_router

PREFIX = "/api/review"

Day = Annotated[str, Query(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$|^$", description="A day in UTC: 2026-01-31.")]
Below = Annotated[float, Query(ge=0, le=1, description="Certainty below this is low.")]
TurnId = Annotated[str, Path(max_length=64, description="The turn, as the answer's `golden.turn` names it.")]
CaseId = Annotated[str, Path(max_length=64)]
RunId = Annotated[str, Path(max_length=64)]
_KEEP_ALIVE_S = 10.0
_VERBS: tuple[tuple[str, ReviewState, str], ...] = (
    ("resolve", "resolved", "It is dealt with."),
    ("ignore", "ignored", "There is nothing to do."),
    ("reopen", "open", "It is to be reviewed again."),
)


class CaseList(BaseModel):
    """The test cases, the oldest first."""

    cases: tuple[ReviewCase, ...]


class RunList(BaseModel):
    """Runs of test cases, the newest first."""

    runs: tuple[CaseRun, ...]


def review_routes(service: RecordsService, guard: Guard) -> APIRouter:
    """Return the routes below ``/api/review``."""
    router = guarded_router(PREFIX, "review", guard, "manage")
    # Before the routes of one turn: none is called "cases".
    _add_cases(router, service)
    _add_runs(router, service)
    _add_turns(router, service)
    for verb, state, words in _VERBS:
        _add_decision(router, service, verb, state, words)
    return router


def _add_turns(router: APIRouter, service: RecordsService) -> None:
    @router.get("", summary="List what is to be reviewed")
    def list_review(
        actor: Acting,
        concern: Annotated[list[Concern] | None, Query(description="Any of these; all where none is named.")] = None,
        state: Annotated[
            ReviewState | Literal["any"], Query(description="What was decided; open: nothing yet.")
        ] = "open",
        certainty_below: Below = LOW_CERTAINTY,
        first_day: Day = "",
        last_day: Day = "",
        limit: Limit = 50,
        after: After = "",
    ) -> ReviewPage:
        """List thumbs down, refusals, unknown terms, uncertain and degraded answers, the newest first.

        A turn is there where you may read all that its answer could rest on: the groups of whoever asked, and the
        documents that it names.
        """
        wanted = ReviewFilter(
            concerns=tuple(concern or CONCERNS),
            state=None if state == "any" else state,
            certainty_below=certainty_below,
            first_day=first_day,
            last_day=last_day,
        )
        return service.review(actor, wanted, after=after, limit=limit)

    @router.get("/{turn_id}", summary="Show a turn")
    def show(
        turn_id: TurnId, actor: Acting, response: Response, certainty_below: Below = LOW_CERTAINTY
    ) -> ReviewDetails:
        """Show a turn with those before it in its conversation, the oldest first."""
        turn = service.turn(actor, turn_id, certainty_below=certainty_below)
        response.headers["etag"] = turn.etag
        return turn

    @router.post("/{turn_id}/case", status_code=201, summary="Make a test case")
    def make_case(turn_id: TurnId, given: NewCase, actor: Acting) -> ReviewCase:
        """Make a test case of a turn: a line of a quiz that `golden eval quiz` asks.

        Where nobody called the answer wrong, its outcome, first cited page and first reading are what is expected.
        """
        fields = given.model_dump(exclude={"with_history"}, exclude_unset=True)
        return service.make_case(actor, turn_id, fields, with_history=given.with_history)

    @router.post("/{turn_id}/replay", summary="Ask a question again")
    async def replay(turn_id: TurnId, actor: Acting, request: Request) -> StreamingResponse:
        """Ask a kept question again with the settings, documents and dictionary of now, as server-sent events.

        Events hold ``golden`` on the way (steps and the draft, as of a chat completion) and ``replay`` at the end. It
        is asked with the document groups that both you and whoever asked may read. Nothing of it is kept, and it counts
        nowhere but against your limits.
        """
        # What is wrong with the question is raised here, while the status can still say so.
        events = await service.replay(actor, turn_id)
        told = _replay_stream(events, turn_id, service.engine_name, request_id_of(request))
        return StreamingResponse(told, media_type=MEDIA_TYPE, headers=HEADERS)


def _add_decision(router: APIRouter, service: RecordsService, verb: str, state: ReviewState, words: str) -> None:
    def decide(
        turn_id: TurnId, given: Decision, actor: Acting, response: Response, if_match: IfMatch = None
    ) -> ReviewTurn:
        turn = service.decide(actor, turn_id, state, note=given.note, version=record_version(if_match))
        response.headers["etag"] = turn.etag
        return turn

    decide.__name__ = f"{verb}_turn"
    decide.__doc__ = f"{words} With If-Match only where nobody decided since."
    add: Callable[..., Any] = router.post(f"/{{turn_id}}/{verb}", summary=f"{verb.capitalize()} a turn")
    add(decide)


def _add_cases(router: APIRouter, service: RecordsService) -> None:
    @router.get("/cases", summary="List test cases")
    def list_cases(actor: Acting) -> CaseList:
        """List the test cases that were made of turns, the oldest first."""
        return CaseList(cases=service.cases(actor))

    @router.get("/cases/export", summary="Export test cases", response_class=Response)
    def export_cases(actor: Acting) -> Response:
        """Export the test cases as a quiz: `golden eval quiz cases.jsonl` asks them and scores the answers."""
        headers = {"content-disposition": 'attachment; filename="cases.jsonl"'}
        return Response(service.export_cases(actor), media_type="application/jsonl", headers=headers)

    @router.put("/cases/{case_id}", summary="Change a test case")
    def change_case(
        case_id: CaseId, given: CaseChange, actor: Acting, response: Response, if_match: IfMatch = None
    ) -> ReviewCase:
        """Change a test case; with If-Match only the version that you saw."""
        changed = service.change_case(actor, case_id, given.model_dump(), version=record_version(if_match))
        response.headers["etag"] = changed.etag
        return changed

    @router.delete("/cases/{case_id}", status_code=204, summary="Remove a test case")
    def remove_case(case_id: CaseId, actor: Acting) -> None:
        """Remove a test case."""
        service.remove_case(actor, case_id)


def _add_runs(router: APIRouter, service: RecordsService) -> None:
    @router.post("/cases/run", status_code=202, summary="Run the test cases")
    async def run_cases(actor: Acting) -> CaseRun:
        """Ask every test case that you may see, in the background, and score the answers; one run at a time.

        Each is asked with the document groups that both you and whoever asked it first may read. Nothing of it is kept
        as a conversation, and no unknown term is counted.
        """
        return await service.start_run(actor)

    @router.get("/cases/runs", summary="List runs of the test cases")
    def list_runs(
        actor: Acting, limit: Annotated[int, Query(ge=1, le=200, description="How many at most.")] = 50
    ) -> RunList:
        """List the newest runs that may be shown to you: those of whoever reads no group that you do not."""
        return RunList(runs=service.runs(actor, limit=limit))

    @router.delete("/cases/runs/{run_id}", summary="Stop a run")
    async def cancel_run(run_id: RunId, actor: Acting) -> CaseRun:
        """Stop a run; what was asked so far stays. Another server's run ends within seconds."""
        return await service.cancel_run(actor, run_id)

    @router.get("/cases/runs/{run_id}", summary="Show a run")
    def show_run(run_id: RunId, actor: Acting) -> RunDetails:
        """Show a run with how each case went, those that failed first."""
        return service.run(actor, run_id)


async def _replay_stream(
    events: AsyncGenerator[AnswerEvent, None], turn_id: str, engine: str, request_id: str
) -> AsyncIterator[str]:
    begun = perf_counter()
    try:
        async with aclosing(with_pauses(events, _KEEP_ALIVE_S)) as heard:
            async for event in heard:
                if event is None:
                    yield ": still there\n\n"
                elif isinstance(event, AnswerReady):
                    seconds = round(perf_counter() - begun, 3)
                    out = Replay(turn=turn_id, answer=event.answer, seconds=seconds, engine=engine)
                    yield event_of({"replay": out.model_dump(mode="json", by_alias=True)})
                elif progress := progress_of(event):
                    yield event_of({"golden": progress})
    except Exception as error:
        _, problem = problem_of(error, request_id)
        yield event_of(ProblemBody(error=problem).values())
    yield DONE
