"""The phases that users see while an answer is prepared, and the nodes of each phase."""

from typing import Literal

Phase = Literal["read_question", "search", "read_passages", "write", "check"]

NODES_OF: dict[Phase, tuple[str, ...]] = {
    "read_question": ("understand_question", "rewrite_question", "identify_jargon", "classify_context",
                      "look_up_jargon", "augment_question"),
    "search": ("retrieve", "expand_query", "describe_library", "summarise_document"),
    "read_passages": ("judge_passages", "judge_relevance", "judge_answerability"),
    "write": ("write_answer", "refine_answer", "quote_answer", "show_closest_passages"),
    "check": ("check_answer", "find_citations", "judge_faithfulness", "review", "choose_draft", "estimate_certainty"),
}  # fmt: skip
_PHASE_OF = {node: phase for phase, nodes in NODES_OF.items() for node in nodes}


def phase_of(node: str) -> Phase | None:
    """Return the phase that a node belongs to; None if the node only replies."""
    return _PHASE_OF.get(node)
