"""Routes: which node comes next. Pure functions of the state and the policy."""

from collections.abc import Sequence
from typing import Literal

from langgraph.runtime import Runtime

from agent.refining import is_supported
from agent.services import Services
from agent.state import State

AfterStart = Literal["rewrite_question", "identify_jargon", "classify_context"]
AfterLookUp = Literal["report_unknown_terms", "ask_which_sense", "augment_question"]
AfterGate = Literal["write_answer", "expand_query", "decline"]
AfterReview = Literal["refine_answer", "decline", "estimate_certainty"]


def route_start(state: State) -> Sequence[AfterStart]:
    """A question without history stands alone already."""
    return ["rewrite_question"] if state.history else ["identify_jargon", "classify_context"]


def route_readings(state: State) -> AfterLookUp:
    """An unknown term stops the question: whatever else it holds, nothing is guessed."""
    statuses = {reading.status for reading in state.readings}
    if "unknown" in statuses:
        return "report_unknown_terms"
    if "ambiguous" in statuses:
        return "ask_which_sense"
    return "augment_question"


def route_gate(state: State, runtime: Runtime[Services]) -> AfterGate:
    """Write only what the passages hold; look once more in other words; else decline."""
    policy = runtime.context.policy
    if policy.lets_through(state.answerability.probability):
        return "write_answer"
    # A search that brought nothing at all met an empty library: other words bring nothing either.
    if state.passages and state.expansions < policy.max_expansions:
        return "expand_query"
    return "decline"


def route_review(state: State) -> AfterReview:
    """Write again where a critique asks for it; an answer of which nothing is supported is not given."""
    if state.critique:
        return "refine_answer"
    return "estimate_certainty" if is_supported(state.citations, state.faithfulness) else "decline"
