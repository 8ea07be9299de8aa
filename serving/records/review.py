"""Routes of the review desk: what somebody should look at, what they decide, and the test cases they make of it."""

from collections.abc import Callable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from fastapi.responses import Response

from contracts.errors import Conflict
from library.records.values import Concern, KeptTurn, ReviewFilter, ReviewState
from serving.access import Actor, RequestGuard
from serving.dictionary.preconditions import PreconditionFailed
from serving.dictionary.problems import problems
from serving.dictionary.routing import Acting, guarded_router, in_thread
from serving.records.base import RecordsDesk
from serving.records.feedback import TurnId
from serving.records.paging import After, IfMatch, Limit, etag_of, place_of, seen_version
from serving.records.rendering import case_out, next_turn, review_turns, review_values, turn_out
from serving.records.replay import add_replay
from serving.records.wire import CaseIn, CaseOut, DecisionIn, ReviewDetails, ReviewPage, ReviewTurn

PREFIX = "/api/review"

EVERY_CONCERN: tuple[Concern, ...] = ("thumbs_down", "declined", "unknown_term", "low_certainty", "degraded")
Day = Annotated[str, Query(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$|^$", description="A day in UTC: 2026-01-31.")]
Below = Annotated[float, Query(ge=0, le=1, description="Certainty below this is low.")]
_LOW = ReviewFilter(concerns=()).certainty_below


def review_routes(desk: RecordsDesk, guard: RequestGuard) -> APIRouter:
    """Return the routes below ``/api/review``."""
    router = guarded_router(PREFIX, "review", guard, "manage")
    _queue(router, desk)
    _one(router, desk)
    add_replay(router, desk)
    for verb, state, words in (
        ("resolve", "resolved", "It is dealt with."),
        ("ignore", "ignored", "There is nothing to do."),
        ("reopen", "open", "It is on the desk again."),
    ):
        _decision(router, desk, verb, state, words)  # type: ignore[arg-type]
    return router


def _queue(router: APIRouter, desk: RecordsDesk) -> None:
    @router.get("", summary="List what is to be reviewed", responses=problems())
    async def list_review(
        actor: Acting,
        concern: Annotated[list[Concern] | None, Query(description="Any of these; all where none is named.")] = None,
        state: Annotated[
            ReviewState | Literal["any"], Query(description="What was decided; open: nothing yet.")
        ] = "open",
        certainty_below: Below = _LOW,
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
            concerns=tuple(concern or EVERY_CONCERN),
            state=None if state == "any" else state,
            certainty_below=certainty_below,
            first_day=first_day,
            last_day=last_day,
        )
        found = await in_thread(desk.reviewer.page, actor.groups, wanted, after=place_of(after), limit=limit + 1)
        return ReviewPage(
            items=review_turns(found[:limit], certainty_below=certainty_below),
            total=await in_thread(desk.reviewer.count, actor.groups, wanted),
            next=next_turn(found[:limit], len(found) > limit),
        )


def _one(router: APIRouter, desk: RecordsDesk) -> None:
    @router.get("/{turn_id}", summary="Show a turn", responses=problems(404))
    async def show(turn_id: TurnId, actor: Acting, response: Response, certainty_below: Below = _LOW) -> ReviewDetails:
        """Show a turn with those before it in its conversation, the oldest first."""
        turn = await in_thread(desk.reviewer.find, actor.groups, turn_id)
        before = await in_thread(desk.reviewer.before, actor.groups, turn_id)
        response.headers["etag"] = etag_of(turn.review.version)
        return ReviewDetails(
            **review_values(turn, certainty_below=certainty_below), before=[turn_out(each) for each in before]
        )

    @router.post("/{turn_id}/case", status_code=201, summary="Make a test case", responses=problems(400, 404, 413, 415))
    async def make_case(turn_id: TurnId, given: CaseIn, actor: Acting) -> CaseOut:
        """Make a test case of a turn: a line of a quiz that `golden eval quiz` asks.

        Where nobody called the answer wrong, its outcome, first cited page and first reading are what is expected.
        """
        turn = await in_thread(desk.reviewer.find, actor.groups, turn_id)
        before = await in_thread(desk.reviewer.before, actor.groups, turn_id) if given.with_history else ()
        fields = given.model_dump(exclude={"with_history"}, exclude_unset=True)
        history = tuple(each.answer.question for each in before)
        return case_out(await in_thread(desk.cases.make, turn, fields, history=history, who=actor.name))


def _decision(router: APIRouter, desk: RecordsDesk, verb: str, state: ReviewState, words: str) -> None:
    async def decide(
        turn_id: TurnId, given: DecisionIn, actor: Acting, response: Response, if_match: IfMatch = None
    ) -> ReviewTurn:
        turn = await _decided(desk, actor, turn_id, state, given.note, seen_version(if_match))
        response.headers["etag"] = etag_of(turn.review.version)
        return ReviewTurn(**review_values(turn, certainty_below=_LOW))

    decide.__name__ = f"{verb}_turn"
    decide.__doc__ = f"{words} With If-Match only where nobody decided since."
    add: Callable[..., Any] = router.post(
        f"/{{turn_id}}/{verb}", summary=f"{verb.capitalize()} a turn", responses=problems(400, 404, 412, 413, 415)
    )
    add(decide)


async def _decided(
    desk: RecordsDesk, actor: Actor, turn_id: str, state: ReviewState, note: str, version: int | None
) -> KeptTurn:
    try:
        return await in_thread(
            desk.reviewer.decide, actor.groups, turn_id, state, note=note, who=actor.name, version=version
        )
    except Conflict as error:
        raise PreconditionFailed(str(error)) from error
