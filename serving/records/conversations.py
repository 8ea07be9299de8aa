"""Routes of conversations: each account sees, exports, renames and deletes its own, and nobody's else."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response, StreamingResponse

from contracts.errors import Conflict
from library.records.values import MAX_CONVERSATION_ID_CHARACTERS
from serving.access import RequestGuard
from serving.dictionary.preconditions import PreconditionFailed
from serving.dictionary.problems import problems
from serving.dictionary.routing import Acting, guarded_router, in_thread
from serving.records.base import RecordsDesk, account_of
from serving.records.exporting import Told, as_json, as_markdown, told_of, turns_of
from serving.records.paging import After, IfMatch, Limit, etag_of, place_of, seen_version, word_of
from serving.records.rendering import conversation_out, conversation_values, next_turn, turn_out
from serving.records.wire import ConversationDetails, ConversationOut, ConversationPage, Deleted, TitleIn

PREFIX = "/api/conversations"

Format = Annotated[Literal["markdown", "json"], Query(description="What to export it as.")]
ConversationId = Annotated[str, Path(max_length=MAX_CONVERSATION_ID_CHARACTERS, examples=["b7a2"])]
_KINDS = {"markdown": ("text/markdown; charset=utf-8", "md"), "json": ("application/json", "json")}
_EXPORTED: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/markdown": {}, "application/json": {}}, "description": "The file."}
}


def conversation_routes(desk: RecordsDesk, guard: RequestGuard) -> APIRouter:
    """Return the routes below ``/api/conversations``."""
    router = guarded_router(PREFIX, "conversations", guard, "ask")
    _looking(router, desk)
    _exporting(router, desk)
    _changing(router, desk)
    return router


def _looking(router: APIRouter, desk: RecordsDesk) -> None:
    @router.get("", summary="List your conversations", responses=problems())
    async def list_conversations(
        actor: Acting,
        text: Annotated[str, Query(max_length=400, description="Stands in title, questions or answers.")] = "",
        limit: Limit = 50,
        after: After = "",
    ) -> ConversationPage:
        """List your conversations, the last changed first."""
        found = await in_thread(
            desk.conversations.page, account_of(actor), text=text, after=place_of(after), limit=limit + 1
        )
        page = found[:limit]
        following = word_of(page[-1].changed_at, page[-1].id) if len(found) > limit else None
        return ConversationPage(
            conversations=[conversation_out(each) for each in page], next=following, kept=desk.keeps, days=desk.days
        )

    # Before the routes of one: no conversation is called "export".
    @router.get(
        "/export",
        summary="Export all your conversations",
        response_class=Response,
        responses={**_EXPORTED, **problems()},
    )
    async def export_all(actor: Acting, format: Format = "markdown") -> Response:
        """Export all your conversations as one file."""
        keeper, account = desk.conversations, account_of(actor)
        # What is wrong at once is told by a status.
        await in_thread(keeper.page, account, limit=1)
        return _file(told_of(keeper, account, actor.groups), format, "conversations")


def _exporting(router: APIRouter, desk: RecordsDesk) -> None:
    @router.get("/{conversation_id}", summary="Show a conversation", responses=problems(404))
    async def show(
        conversation_id: ConversationId, actor: Acting, response: Response, limit: Limit = 50, after: After = ""
    ) -> ConversationDetails:
        """Show one of your conversations with a page of its turns, the oldest first."""
        keeper, account, place = desk.conversations, account_of(actor), place_of(after)
        conversation = await in_thread(keeper.find, account, conversation_id)
        found = await in_thread(keeper.turns, account, conversation_id, actor.groups, after=place, limit=limit + 1)
        response.headers["etag"] = etag_of(conversation.version)
        return ConversationDetails(
            **conversation_values(conversation),
            turns=[turn_out(each) for each in found[:limit]],
            next=next_turn(found[:limit], len(found) > limit),
        )

    @router.get(
        "/{conversation_id}/export",
        summary="Export a conversation",
        response_class=Response,
        responses={**_EXPORTED, **problems(404)},
    )
    async def export(conversation_id: ConversationId, actor: Acting, format: Format = "markdown") -> Response:
        """Export one of your conversations as a file."""
        keeper, account = desk.conversations, account_of(actor)
        conversation = await in_thread(keeper.find, account, conversation_id)
        turns = turns_of(keeper, account, conversation.id, actor.groups)
        return _file(iter([(conversation, turns)]), format, "conversation")


def _changing(router: APIRouter, desk: RecordsDesk) -> None:
    @router.patch("/{conversation_id}", summary="Rename a conversation", responses=problems(400, 404, 412, 413, 415))
    async def rename(
        conversation_id: ConversationId, given: TitleIn, actor: Acting, response: Response, if_match: IfMatch = None
    ) -> ConversationOut:
        """Give one of your conversations a title."""
        version = seen_version(if_match)
        try:
            renamed = await in_thread(
                desk.conversations.rename, account_of(actor), conversation_id, given.title, version=version
            )
        except Conflict as error:
            raise PreconditionFailed(str(error)) from error
        response.headers["etag"] = etag_of(renamed.version)
        return conversation_out(renamed)

    @router.delete("/{conversation_id}", status_code=204, summary="Delete a conversation", responses=problems(404))
    async def delete(conversation_id: ConversationId, actor: Acting) -> None:
        """Delete one of your conversations: its questions, answers and feedback."""
        await in_thread(desk.conversations.delete, account_of(actor), conversation_id)

    @router.delete("", summary="Delete all your conversations", responses=problems())
    async def delete_all(actor: Acting) -> Deleted:
        """Delete all your conversations."""
        gone = await in_thread(desk.conversations.delete_all, account_of(actor))
        return Deleted(conversations=gone)


def _file(told: Iterator[Told], format: str, name: str) -> Response:
    kind, suffix = _KINDS[format]
    pieces = as_json(told) if format == "json" else as_markdown(told)
    headers = {"content-disposition": f'attachment; filename="{name}.{suffix}"'}
    # Read and written piece by piece, in a thread: nobody's years of questions stand in memory at once.
    return StreamingResponse(pieces, media_type=kind, headers=headers)
