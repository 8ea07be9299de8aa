"""Routes: which node comes next."""

from collections.abc import Sequence
from typing import Literal

from langgraph.runtime import Runtime

from agent.refining import is_supported
from agent.services import Services
from agent.state import State
from contracts.jargon import Reading

AfterStart = Literal["rewrite_question", "identify_jargon", "classify_context"]
AfterLookUp = Literal["report_unknown_terms", "ask_which_sense", "augment_question"]
AfterGate = Literal["write_answer", "expand_query", "decline"]
AfterReview = Literal["refine_answer", "decline", "estimate_certainty"]

# The routes are coroutines: the graph would run plain functions in a thread.


async def route_start(state: State) -> Sequence[AfterStart]:
    """Read a question without history at once: it stands alone already."""
    return ["rewrite_question"] if state.history else ["identify_jargon", "classify_context"]


async def route_readings(state: State) -> AfterLookUp:
    """Go on by how the jargon was read."""
    return next_after(state.readings)


def next_after(readings: Sequence[Reading]) -> AfterLookUp:
    """Return what follows ``readings``: an unknown term stops the question, and nothing is guessed."""
    statuses = {reading.status for reading in readings}
    if "unknown" in statuses:
        return "report_unknown_terms"
    if "ambiguous" in statuses:
        return "ask_which_sense"
    return "augment_question"


async def route_gate(state: State, runtime: Runtime[Services]) -> AfterGate:
    """Write only what the passages hold; look once more in other words; else decline."""
    policy = runtime.context.policy
    if policy.is_answerable(state.answerability.probability):
        return "write_answer"
    # If a search finds nothing at all, the library is empty: other words find nothing either.
    if state.passages and state.expansions < policy.max_expansions:
        return "expand_query"
    return "decline"


async def route_review(state: State) -> AfterReview:
    """Write again if a critique asks for it; do not give an answer of which nothing is supported."""
    if state.critique:
        return "refine_answer"
    return "estimate_certainty" if is_supported(state.citations, state.faithfulness) else "decline"
