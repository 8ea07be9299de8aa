"""Routes of feedback: whoever asked says what they think of an answer; reviewers read it."""

from typing import Annotated

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response

from library.records.values import ReviewFilter, Verdict
from serving.access import RequestGuard
from serving.dictionary.problems import problems
from serving.dictionary.routing import Acting, guarded_router, in_thread
from serving.records.base import RecordsDesk, account_of
from serving.records.paging import After, Limit, place_of, word_of
from serving.records.rendering import feedback_out, review_turns
from serving.records.wire import FeedbackIn, FeedbackOut, FeedbackPage

PREFIX = "/api/feedback"

TurnId = Annotated[str, Path(max_length=64, description="The turn, as the answer's `golden.turn` names it.")]
_LOW_CERTAINTY = ReviewFilter(concerns=()).certainty_below


def feedback_routes(desk: RecordsDesk, guard: RequestGuard) -> tuple[APIRouter, APIRouter]:
    """Return the routes below ``/api/feedback``: those of askers, and that of reviewers."""
    asking = guarded_router(PREFIX, "feedback", guard, "ask")
    reviewing = guarded_router(PREFIX, "feedback", guard, "manage")

    @asking.post("", summary="Say what you think of an answer", responses=problems(400, 404, 413, 415))
    async def give(given: FeedbackIn, actor: Acting, response: Response) -> FeedbackOut:
        """Say what you think of an answer that you got; again changes it."""
        said = await in_thread(
            desk.feedback.give,
            account_of(actor),
            given.turn,
            given.verdict,
            reason=given.reason,
            text=given.text,
        )
        out = feedback_out(said)
        response.headers["etag"] = out.etag
        return out

    @asking.get("/{turn_id}", summary="Show your feedback", responses=problems(404))
    async def show(turn_id: TurnId, actor: Acting, response: Response) -> FeedbackOut:
        """Show what you said of an answer."""
        out = feedback_out(await in_thread(desk.feedback.find, account_of(actor), turn_id))
        response.headers["etag"] = out.etag
        return out

    @asking.delete("/{turn_id}", status_code=204, summary="Take your feedback back", responses=problems(404))
    async def take_back(turn_id: TurnId, actor: Acting) -> None:
        """Delete what you said of an answer."""
        await in_thread(desk.feedback.take_back, account_of(actor), turn_id)

    @reviewing.get("", summary="List feedback", responses=problems())
    async def list_feedback(
        actor: Acting,
        verdict: Annotated[Verdict | None, Query(description="Only thumbs up, or down.")] = None,
        limit: Limit = 50,
        after: After = "",
    ) -> FeedbackPage:
        """List the answers of which something was said, the last said first: those that rest on what you may read."""
        found = await in_thread(
            desk.feedback.page, actor.groups, verdict=verdict, after=place_of(after), limit=limit + 1
        )
        page = found[:limit]
        last = page[-1].feedback if len(found) > limit else None
        return FeedbackPage(
            items=review_turns(page, certainty_below=_LOW_CERTAINTY),
            next=word_of(last.changed_at, last.turn_id) if last is not None else None,
        )

    return asking, reviewing
