"""The caller, as the server sees them: information that a page needs before it shows anything."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from agent.services import ExampleQuestions
from contracts.jargon import Context
from contracts.keys import SCOPES
from contracts.question import LOCAL_ACCOUNT
from serving.access import Actor, Scope
from serving.routing import Acting, guarded_router

PREFIX = "/api/me"

# Returns the contexts of the dictionary with their descriptions.
ContextsReader = Callable[[], Awaitable[tuple[Context, ...]]]
# Returns whether readers of these groups (None: all) have any document.
DocumentsCheck = Callable[[frozenset[str] | None], Awaitable[bool]]


class Me(BaseModel):
    """The caller, what they may do, and what this server offers them."""

    model_config = ConfigDict(frozen=True)

    name: str = Field(description="Your name in histories; empty if users are not identified and no name is set.")
    account: str = Field(description="The account that owns your conversations; the same on every visit.")
    scopes: tuple[Scope, ...]
    groups: tuple[str, ...] | None = Field(description="The document groups that you may read; null: all.")
    department: str = Field(description="Your context, unless a question names another; may be empty.")
    asks_everyone: bool = Field(description="Whether each request must be authenticated.")
    can_log_out: bool = Field(description="Whether you have a login that `POST /logout` ends.")
    contact: str = Field(description="The contact for unknown terms.")
    departments: tuple[str, ...] = Field(description="The names of the dictionary's contexts.")
    examples: tuple[str, ...] = Field(description="Up to four example questions that are known to be answered.")
    has_documents: bool = Field(description="Whether there is a document that you may read.")
    keeps_conversations: bool = Field(description="Whether conversations are kept after the server stops.")
    writer: str = Field(description="The language model that writes the answers; empty if documents are quoted.")
    version: str = Field(description="The version of the server.")


@dataclass(frozen=True, slots=True, kw_only=True)
class MeService:
    """Describes the caller and the server.

    ``department`` is the caller's context unless their key has one. ``keeps_conversations`` means that conversations
    outlive the process. ``writer`` is the language model that writes the answers, "" if documents are quoted instead.
    ``example_questions`` returns questions that the documents in an asker's groups answer.
    """

    contexts: ContextsReader
    contact: str
    department: str
    keeps_conversations: bool
    version: str
    writer: str
    example_questions: ExampleQuestions
    has_documents: DocumentsCheck

    async def describe(self, actor: Actor) -> Me:
        """Return the description for ``actor``."""
        contexts = await self.contexts()
        return Me(
            name=actor.name,
            account=actor.account or LOCAL_ACCOUNT,
            scopes=tuple(each for each in SCOPES if each in actor.scopes),
            groups=None if actor.groups is None else tuple(sorted(actor.groups)),
            department=actor.department or self.department,
            # Callers who are not authenticated have no account.
            asks_everyone=bool(actor.account),
            can_log_out=actor.by_session,
            contact=self.contact,
            departments=tuple(context.name for context in contexts),
            examples=await self.example_questions(actor.groups),
            has_documents=await self.has_documents(actor.groups),
            keeps_conversations=self.keeps_conversations,
            writer=self.writer,
            version=self.version,
        )


def me_router(service: MeService) -> APIRouter:
    """Return the route ``/api/me``, for everybody who may ask."""
    router = guarded_router(PREFIX, "me", "ask")

    @router.get("", summary="Show who you are to this server")
    async def show_me(actor: Acting) -> Me:
        """Show your name, what you may do and read, and example questions."""
        return await service.describe(actor)

    return router
