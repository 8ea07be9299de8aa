"""Recording: each node leaves a step with its finding and its time, in the state and on the stream."""

import time
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Protocol

from langgraph.runtime import Runtime

from agent.services import Services
from agent.state import State, Update
from contracts.answer import AnswerEvent, Step, StepFinished, StepStarted
from contracts.provenance import Provenance


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What a node did: its update, a line about it for people, and who judged."""

    update: Update = field(default_factory=Update)
    finding: str = ""
    provenance: Provenance | None = None


class RecordedNode(Protocol):
    """A node as the graph runs it."""

    async def __call__(self, state: State, runtime: Runtime[Services]) -> Update:
        """Return what changes."""
        ...


# Who hears the events of the question in this task. The graph's own stream wakes its whole machinery up for each of
# them, and a language model's every word is one.
_HEARER: ContextVar[Callable[[AnswerEvent], None] | None] = ContextVar("hearer", default=None)


def heard_by(hear: Callable[[AnswerEvent], None]) -> None:
    """Let ``hear`` have the events of what runs in this task from now on, in the place of the graph's stream."""
    _HEARER.set(hear)


def recorded(node: Callable[[State, Runtime[Services]], Awaitable[Work]]) -> RecordedNode:
    """Make a graph node of a function that returns its ``Work``; the step carries the function's name."""
    name = getattr(node, "__name__", type(node).__name__)

    async def run(state: State, runtime: Runtime[Services]) -> Update:
        hear = _HEARER.get()
        if hear is not None:
            runtime = runtime.override(stream_writer=hear)
        runtime.stream_writer(StepStarted(node=name))
        start = time.perf_counter()
        work = await node(state, runtime)
        milliseconds = (time.perf_counter() - start) * 1_000
        step = Step(node=name, finding=work.finding, milliseconds=milliseconds, provenance=work.provenance)
        runtime.stream_writer(StepFinished(step=step))
        return {**work.update, "steps": (step,)}

    run.__name__ = name
    run.__doc__ = node.__doc__
    return run
