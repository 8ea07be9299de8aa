"""What the tools work with."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from contracts.text import Chunk, Document
from serving.access import Actor

if TYPE_CHECKING:
    # The graph takes seconds to import: a process that talks over stdio answers before it is there.
    from mcp.server.context import ServerRequestContext

    from agent.chatbot import Chatbot
    from agent.services import Services


class PageSource(Protocol):
    """Keeps the documents' texts. Blocking; every method raises ``Unavailable`` where the library cannot be read."""

    def document(self, document_id: str) -> Document | None:
        """Return the document with this id, or None."""
        ...

    def document_chunks(self, document_id: str) -> tuple[Chunk, ...]:
        """Return every chunk of a document, by kind, then in their order."""
        ...

    def chunks(self, ids: Sequence[str]) -> Mapping[str, Chunk]:
        """Return the chunks with these ids; ids that do not exist are left out."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeDesk:
    """The bot, what its graph calls, and the texts of the pages."""

    chatbot: "Chatbot"
    services: "Services"
    pages: PageSource


# Brings the desk, when it is open. Raises what kept it from opening.
DeskSource = Callable[[], Awaitable[KnowledgeDesk]]

# Says who makes a call. Raises ``Unauthenticated`` where the key that they came with is not in force any longer.
ActorSource = Callable[["ServerRequestContext[Any, Any]"], Awaitable[Actor]]
