"""The routes of conversations, feedback, review and the overview. Reviewers decide on the review page."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel

from contracts.case_runs import ReviewCase
from contracts.records import (
    CONCERNS,
    LOW_CERTAINTY,
    MAX_CONVERSATION_ID_CHARACTERS,
    Concern,
    Conversation,
    ConversationDetails,
    ConversationPage,
    Feedback,
    ReviewFilter,
    ReviewPage,
    ReviewState,
)
from contracts.usage import UsageOverview
from serving.records.bodies import CaseFields, GivenFeedback, TitleChange
from serving.records.service import ExportFormat, RecordsService
from serving.routing import Acting, IfMatch, guarded_router, version_in

CONVERSATIONS, FEEDBACK, REVIEW, OVERVIEW = "/api/conversations", "/api/feedback", "/api/review", "/api/overview"

Limit = Annotated[int, Query(ge=1, le=200, description="The maximum number of items per page.")]
After = Annotated[str, Query(max_length=1_000, description="Where to continue: `next` of the previous page.")]
Day = Annotated[str, Query(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$|^$", description="A day in UTC: 2026-01-31.")]
Below = Annotated[float, Query(ge=0, le=1, description="Certainty below this counts as low.")]
TurnId = Annotated[str, Path(max_length=64, description="The turn: the answer's `golden.turn`.")]
Format = Annotated[ExportFormat, Query(description="The format of the export.")]
ConversationId = Annotated[str, Path(max_length=MAX_CONVERSATION_ID_CHARACTERS, examples=["b7a2"])]
_KINDS = {"markdown": ("text/markdown; charset=utf-8", "md"), "json": ("application/json", "json")}


class Deleted(BaseModel):
    """How many conversations were deleted."""

    conversations: int


def records_routers(service: RecordsService) -> Sequence[APIRouter]:
    """Return the routes under ``/api/conversations``, ``/api/feedback``, ``/api/review`` and ``/api/overview``.

    The creator of ``service`` closes it.
    """
    return (
        _conversation_routes(service),
        _feedback_routes(service),
        _review_routes(service),
        _overview_routes(service),
    )


def _conversation_routes(service: RecordsService) -> APIRouter:
    router = guarded_router(CONVERSATIONS, "conversations", "ask")

    @router.get("", summary="List your conversations")
    def list_conversations(
        actor: Acting,
        text: Annotated[str, Query(max_length=400, description="Text in the title, questions or answers.")] = "",
        limit: Limit = 50,
        after: After = "",
    ) -> ConversationPage:
        """List your conversations, most recently changed first."""
        return service.conversations(actor, text=text, after=after, limit=limit)

    @router.delete("", summary="Delete all your conversations")
    def delete_all(actor: Acting) -> Deleted:
        """Delete all your conversations."""
        return Deleted(conversations=service.delete_all(actor))

    # These come before the routes of one conversation: no conversation has the id "export".
    @router.get("/export", summary="Export all your conversations", response_class=Response)
    def export_all(actor: Acting, format: Format = "markdown") -> Response:
        """Export all your conversations as one file."""
        return _file(service.export(actor, format), format, "conversations")

    @router.get("/{conversation_id}", summary="Show a conversation")
    def show(
        conversation_id: ConversationId, actor: Acting, response: Response, limit: Limit = 50, after: After = ""
    ) -> ConversationDetails:
        """Show one of your conversations with a page of its turns, oldest first."""
        found = service.conversation(actor, conversation_id, after=after, limit=limit)
        response.headers["etag"] = found.etag
        return found

    @router.get("/{conversation_id}/export", summary="Export a conversation", response_class=Response)
    def export(conversation_id: ConversationId, actor: Acting, format: Format = "markdown") -> Response:
        """Export one of your conversations as a file."""
        return _file(service.export(actor, format, conversation_id), format, "conversation")

    @router.patch("/{conversation_id}", summary="Rename a conversation")
    def rename(
        conversation_id: ConversationId, given: TitleChange, actor: Acting, response: Response, if_match: IfMatch = None
    ) -> Conversation:
        """Give one of your conversations a title."""
        renamed = service.rename(actor, conversation_id, given.title, version=version_in(if_match))
        response.headers["etag"] = renamed.etag
        return renamed

    @router.delete("/{conversation_id}", status_code=204, summary="Delete a conversation")
    def delete(conversation_id: ConversationId, actor: Acting) -> None:
        """Delete one of your conversations: its questions, answers and feedback."""
        service.delete(actor, conversation_id)

    return router


def _feedback_routes(service: RecordsService) -> APIRouter:
    router = guarded_router(FEEDBACK, "feedback", "ask")

    @router.post("", summary="Give feedback on an answer")
    def give(given: GivenFeedback, actor: Acting, response: Response) -> Feedback:
        """Give feedback on an answer; doing so again replaces it."""
        feedback = service.give_feedback(actor, given.turn, given.verdict, reason=given.reason, text=given.text)
        response.headers["etag"] = feedback.etag
        return feedback

    return router


def _review_routes(service: RecordsService) -> APIRouter:
    router = guarded_router(REVIEW, "review", "manage")

    @router.get("", summary="List answers to review")
    def list_review(
        actor: Acting,
        concern: Annotated[list[Concern] | None, Query(description="Any of these; all if none is given.")] = None,
        state: Annotated[ReviewState | Literal["any"], Query(description="The decision; open: none yet.")] = "open",
        certainty_below: Below = LOW_CERTAINTY,
        first_day: Day = "",
        last_day: Day = "",
        limit: Limit = 50,
        after: After = "",
    ) -> ReviewPage:
        """List turns with thumbs down, refusals, unknown terms, or uncertain or degraded answers, newest first.

        A turn is listed if you may read everything that its answer could be based on: the groups of the person who
        asked, and the documents that it names.
        """
        wanted = ReviewFilter(
            concerns=tuple(concern or CONCERNS),
            state=None if state == "any" else state,
            certainty_below=certainty_below,
            first_day=first_day,
            last_day=last_day,
        )
        return service.review(actor, wanted, after=after, limit=limit)

    @router.post("/{turn_id}/case", status_code=201, summary="Make a test case")
    def make_case(turn_id: TurnId, given: CaseFields, actor: Acting) -> ReviewCase:
        """Make a test case from a turn: a line of a quiz for `golden eval quiz`.

        If nobody rated the answer as wrong, its outcome, first cited page and first reading are expected.
        """
        fields = given.model_dump(exclude={"with_history"}, exclude_unset=True)
        return service.make_case(actor, turn_id, fields, with_history=given.with_history)

    @router.get("/cases/export", summary="Export test cases", response_class=Response)
    def export_cases(actor: Acting) -> Response:
        """Export the test cases as a quiz: `golden eval quiz cases.jsonl` asks them and scores the answers."""
        headers = {"content-disposition": 'attachment; filename="cases.jsonl"'}
        return Response(service.export_cases(actor), media_type="application/jsonl", headers=headers)

    return router


def _overview_routes(service: RecordsService) -> APIRouter:
    router = guarded_router(OVERVIEW, "overview", "manage")

    @router.get("", summary="Count questions by day")
    def overview(actor: Acting, first_day: Day = "", last_day: Day = "") -> UsageOverview:
        """Count questions by day in UTC: the last 30 days, unless others are named (at most 400).

        Only questions that you may review count; deleted conversations do not.
        """
        return service.overview(actor, first_day, last_day)

    return router


def _file(pieces: Iterator[str], format: str, name: str) -> Response:
    kind, suffix = _KINDS[format]
    headers = {"content-disposition": f'attachment; filename="{name}.{suffix}"'}
    # Read and written piece by piece, in a thread, so that years of questions are never in memory at once.
    return StreamingResponse(pieces, media_type=kind, headers=headers)
