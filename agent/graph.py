"""The graph: which node follows which. Wiring and nothing else."""

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any, get_args

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from agent.nodes import answering, reading, retrieval
from agent.recording import recorded
from agent.routes import AfterStart, route_gate, route_readings, route_review, route_start
from agent.services import Services
from agent.state import State

Graph = CompiledStateGraph[State, Services, State, State]

_NODES = (
    reading.rewrite_question,
    reading.identify_jargon,
    reading.classify_context,
    reading.look_up_jargon,
    reading.report_unknown_terms,
    reading.ask_which_sense,
    retrieval.augment_question,
    retrieval.retrieve,
    retrieval.judge_relevance,
    retrieval.judge_answerability,
    retrieval.expand_query,
    answering.decline,
    answering.write_answer,
    answering.find_citations,
    answering.judge_faithfulness,
    answering.review,
    answering.refine_answer,
    answering.estimate_certainty,
)


def build_graph() -> Graph:
    """Build the graph that one question runs through."""
    graph = StateGraph(State, context_schema=Services)
    for node in _NODES:
        graph.add_node(node.__name__, recorded(node))
    graph.add_conditional_edges(START, _on_the_loop(route_start), list(get_args(AfterStart)))
    graph.add_edge("rewrite_question", "identify_jargon")
    graph.add_edge("rewrite_question", "classify_context")
    graph.add_edge(["identify_jargon", "classify_context"], "look_up_jargon")
    graph.add_conditional_edges("look_up_jargon", _on_the_loop(route_readings))
    graph.add_edge("augment_question", "retrieve")
    graph.add_edge("retrieve", "judge_relevance")
    graph.add_edge("judge_relevance", "judge_answerability")
    graph.add_conditional_edges("judge_answerability", _on_the_loop(route_gate))
    graph.add_edge("expand_query", "retrieve")
    for writer in ("write_answer", "refine_answer"):
        graph.add_edge(writer, "find_citations")
        graph.add_edge(writer, "judge_faithfulness")
    graph.add_edge(["find_citations", "judge_faithfulness"], "review")
    graph.add_conditional_edges("review", _on_the_loop(route_review))
    for last in ("report_unknown_terms", "ask_which_sense", "decline", "estimate_certainty"):
        graph.add_edge(last, END)
    return graph.compile()


def _on_the_loop(route: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
    """Return ``route`` as a coroutine function: any other is run in a thread, and the way there costs more than it."""

    @wraps(route)
    async def run(*arguments: Any, **named: Any) -> Any:
        return route(*arguments, **named)

    return run


def draw_mermaid() -> str:
    """Draw the graph as Mermaid text."""
    return build_graph().get_graph().draw_mermaid()
