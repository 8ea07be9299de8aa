"""The graph: its nodes and the routes between them."""

import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Literal, Protocol, get_args

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from agent import answer_nodes, question_nodes
from agent.document_summaries import summary_subject
from agent.draft_choice import is_supported
from agent.services import Services
from agent.small_talk import small_talk_in
from agent.state import State, Update, Work
from agent.steps.question import AfterLookUp, next_after
from contracts.answer import Step, StepStarted
from tools.language.abstention import says_unknown

ToRead = Literal["understand_question", "rewrite_question", "identify_jargon", "classify_context"]
AfterSummary = Literal["__end__", ToRead]
AfterStart = Literal["reply_to_small_talk", "describe_library", "summarise_document", ToRead]
AfterSearch = Literal["judge_passages", "judge_relevance"]
AfterGate = Literal["write_answer", "expand_query", "show_closest_passages"]
ToCheck = Literal["check_answer", "find_citations", "judge_faithfulness"]
AfterReview = Literal["refine_answer", ToCheck]
AfterChoice = Literal["quote_answer", "show_closest_passages", "estimate_certainty"]
Graph = CompiledStateGraph[State, Services, State, State]
Node = Callable[[State, Runtime[Services]], Awaitable[Work]]

# The longest path through the graph takes about 20 steps; more would be an endless loop.
MAX_STEPS = 40


# In the order of the graph.
NODES: tuple[Node, ...] = (
    question_nodes.reply_to_small_talk,
    question_nodes.describe_library,
    question_nodes.summarise_document,
    question_nodes.understand_question,
    question_nodes.rewrite_question,
    question_nodes.identify_jargon,
    question_nodes.classify_context,
    question_nodes.look_up_jargon,
    question_nodes.report_unknown_terms,
    question_nodes.ask_which_sense,
    question_nodes.augment_question,
    question_nodes.retrieve,
    question_nodes.judge_passages,
    question_nodes.judge_relevance,
    question_nodes.judge_answerability,
    question_nodes.expand_query,
    question_nodes.show_closest_passages,
    answer_nodes.write_answer,
    answer_nodes.review,
    answer_nodes.refine_answer,
    answer_nodes.check_answer,
    answer_nodes.find_citations,
    answer_nodes.judge_faithfulness,
    answer_nodes.choose_draft,
    answer_nodes.quote_answer,
    answer_nodes.estimate_certainty,
)


# The routes are coroutines, because the graph would run plain functions in a thread.
async def route_start(state: State, runtime: Runtime[Services]) -> Sequence[AfterStart]:
    """Choose the node for small talk, for the description of the library, for a summary or for other questions."""
    small_talk = small_talk_in(state.question, is_first=not state.history)
    if small_talk is not None:
        return ["describe_library" if small_talk == "capabilities" else "reply_to_small_talk"]
    return ["summarise_document"] if summary_subject(state.question) else _to_read(state, runtime)


async def route_summary(state: State, runtime: Runtime[Services]) -> Sequence[AfterSummary]:
    """End if there is a summary; otherwise read the question like any other."""
    return ["__end__"] if state.answer is not None else _to_read(state, runtime)


def _to_read(state: State, runtime: Runtime[Services]) -> list[ToRead]:
    """Read the question in one call if there is a reader; otherwise start with a rewrite if there is a history."""
    if runtime.context.question_reader is not None:
        return ["understand_question"]
    return ["rewrite_question"] if state.history else ["identify_jargon", "classify_context"]


async def route_readings(state: State) -> AfterLookUp:
    """Choose the next node based on how the jargon was interpreted."""
    return next_after(state.readings)


async def route_search(state: State, runtime: Runtime[Services]) -> AfterSearch:
    """Judge the passages in one call if there is a combined judge."""
    return "judge_relevance" if runtime.context.passage_judge is None else "judge_passages"


async def route_gate(state: State, runtime: Runtime[Services]) -> AfterGate:
    """Write the answer if the passages contain it; otherwise search again once, or else quote the closest passages."""
    policy = runtime.context.policy
    if policy.is_answerable(state.answerability.probability):
        return "write_answer"
    # If a search finds nothing at all, the library is empty, so other words would not find anything either.
    if state.passages and not state.expansions:
        return "expand_query"
    return "show_closest_passages"


async def route_review(state: State, runtime: Runtime[Services]) -> Sequence[AfterReview]:
    """Rewrite the draft if a critique asks for it; otherwise check it."""
    return ["refine_answer"] if state.critique else await route_checks(state, runtime)


async def route_checks(state: State, runtime: Runtime[Services]) -> list[ToCheck]:
    """Check the answer in one call if there is a combined checker."""
    in_one_call = runtime.context.judges_of(state.draft).answer_checker is not None
    return ["check_answer"] if in_one_call else ["find_citations", "judge_faithfulness"]


async def route_choice(state: State, runtime: Runtime[Services]) -> AfterChoice:
    """Replace an unsupported answer with a quotation if the passages very probably contain the answer."""
    if is_supported(state.checked_draft):
        return "estimate_certainty"
    policy, draft = runtime.context.policy, state.draft
    # If the model found no answer, it may be right, so a higher probability is required.
    least = policy.sure_answerability if says_unknown(draft.text) else policy.answerability_threshold
    written = runtime.context.embedded is not None and draft.provenance.implementation != "embedded"
    return "quote_answer" if written and state.answerability.probability >= least else "show_closest_passages"


def build_graph() -> Graph:
    """Build the graph that each question runs through."""
    graph = StateGraph(State, context_schema=Services)
    for node in NODES:
        graph.add_node(node.__name__, _timed(node))
    graph.add_conditional_edges(START, route_start, list(get_args(AfterStart)))
    graph.add_conditional_edges("summarise_document", route_summary, list(get_args(AfterSummary)))
    graph.add_edge("rewrite_question", "identify_jargon")
    graph.add_edge("rewrite_question", "classify_context")
    graph.add_edge(["identify_jargon", "classify_context"], "look_up_jargon")
    graph.add_edge("understand_question", "look_up_jargon")
    graph.add_conditional_edges("look_up_jargon", route_readings)
    graph.add_edge("augment_question", "retrieve")
    graph.add_conditional_edges("retrieve", route_search)
    graph.add_edge("judge_relevance", "judge_answerability")
    for judge in ("judge_passages", "judge_answerability"):
        graph.add_conditional_edges(judge, route_gate)
    graph.add_edge("expand_query", "retrieve")
    graph.add_edge("write_answer", "review")
    graph.add_conditional_edges("review", route_review, list(get_args(AfterReview)))
    for writer in ("refine_answer", "quote_answer"):
        graph.add_conditional_edges(writer, route_checks, list(get_args(ToCheck)))
    graph.add_edge(["find_citations", "judge_faithfulness"], "choose_draft")
    graph.add_edge("check_answer", "choose_draft")
    graph.add_conditional_edges("choose_draft", route_choice)
    for last in (
        "reply_to_small_talk",
        "describe_library",
        "report_unknown_terms",
        "ask_which_sense",
        "show_closest_passages",
        "estimate_certainty",
    ):
        graph.add_edge(last, END)
    return graph.compile()


class _TimedNode(Protocol):
    async def __call__(self, state: State, runtime: Runtime[Services]) -> Update: ...


def _timed(node: Node) -> _TimedNode:
    """Return the function that the graph runs: it streams the start of ``node``, and adds its step to the update."""

    async def run(state: State, runtime: Runtime[Services]) -> Update:
        runtime.stream_writer(StepStarted(node=node.__name__))
        started = time.perf_counter()
        with runtime.context.llm_time.counted():
            work = await node(state, runtime)
        step = Step(
            node=node.__name__,
            finding=work.finding,
            milliseconds=(time.perf_counter() - started) * 1_000,
            provenance=work.provenance,
        )
        return {**work.update, "steps": (step,)}

    return run
