"""Calls: what a tool is given, and what it gives back."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from agent.questions import remove_controls
from contracts.question import LOCAL_ACCOUNT, Asker
from serving.access import Actor
from serving.mcp.desk import KnowledgeDesk

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp_types import CallToolRequestParams

_FACE = "mcp"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of a tool: what it works with, who makes it, and what came over the wire."""

    desk: KnowledgeDesk
    actor: Actor
    context: "ServerRequestContext[Any, Any]"
    params: "CallToolRequestParams"

    def asker(self, department: str = "") -> Asker:
        """Return who asks, from ``department`` where the call says so."""
        return Asker(
            department=remove_controls(department).strip() or self.actor.department,
            groups=self.actor.groups,
            account=self.actor.account or LOCAL_ACCOUNT,
            name=self.actor.name,
            face=_FACE,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a tool found: for programs, and in words. ``pages`` are the resources (name, uri) that it rests on."""

    value: BaseModel
    text: str
    pages: tuple[tuple[str, str], ...] = ()
