"""Prompts about the same passages begin alike, byte by byte, so that a server's prefix cache reads them once."""

from collections.abc import Callable

from agent.chatbot import Chatbot
from golden_retriever.settings import Settings
from golden_retriever.wiring.judgements import build_services
from tests.agent.scripted import PASSAGES, SENSES, ListedDictionary, ScriptedLexicalIndex, ScriptedSearcher
from tests.conformance.checking_chats import check_answer, estimate_certainty
from tests.hashing_embedder import HashingEmbedder
from tools.chat.base import ChatRequest
from tools.chat.scripted import ScriptedChatModel
from tools.grounding import ground

QUESTION = "What is the voltage of VPP on DDR4?"
GROUNDING = ground([])["grounding"]
# By what only that task says, which judgement asks and what it is told.
TASKS: dict[str, tuple[str, Callable[[ChatRequest], str]]] = {
    "writer": ("Write the answer and nothing else.", lambda _: "Cats like warm sofas on long afternoons [1]."),
    "writer again": ("Write the answer again, and nothing else.", lambda _: "VPP is 2.5 V on DDR4 [1]."),
    "checks": ("what was written to answer it", check_answer),
    "certainty": ("one word yes or no", estimate_certainty),
}


def task_of(request: ChatRequest) -> str:
    """Name the task on the passages that are read for the answer; "" for one on others."""
    return next((name for name, (words, _) in TASKS.items() if words in request.messages[-1].content), "")


def reply(request: ChatRequest) -> str:
    task = task_of(request)
    # No label and no JSON: the embedded judgement stands in.
    return TASKS[task][1](request) if task else "?"


async def test_one_question_in_quality_shows_its_passages_to_every_judgement_with_the_same_bytes() -> None:
    chat = ScriptedChatModel(reply)
    services = build_services(
        Settings(llm="http://127.0.0.1:9/v1", profile="quality"),
        HashingEmbedder(),
        ScriptedSearcher(PASSAGES),
        ScriptedLexicalIndex(PASSAGES),
        ListedDictionary(SENSES, ()),
        chat,
    )
    answer = await Chatbot(services).ask(QUESTION)
    assert answer.outcome == "answered"
    assert [citation.quote for citation in answer.citations] == ["VPP is 2.5 V on DDR4."]
    asked = {task_of(each): each for each in chat.requests if task_of(each)}
    assert set(asked) == set(TASKS)
    shown = [request.messages[-1].content for request in asked.values()]
    beginning, mark, _ = shown[0].partition("\n\n# Task")
    assert mark
    assert beginning.startswith("# Passages, code ")
    assert all(len(request.messages) == 2 for request in asked.values())
    assert all(request.messages[0].content == GROUNDING for request in asked.values())
    assert all(each.startswith(beginning + mark) for each in shown)
    assert QUESTION not in beginning
