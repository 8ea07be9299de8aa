"""What a node of the graph is: a step on the state, that says what changes and what it found."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from langgraph.runtime import Runtime

from agent.services import Services
from agent.state import State, Update
from contracts.provenance import Provenance


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What a node did: what changes, a line about it for people, and who judged."""

    update: Update = field(default_factory=Update)
    finding: str = ""
    provenance: Provenance | None = None


Node = Callable[[State, Runtime[Services]], Awaitable[Work]]
