"""Requests that chat front ends make for themselves: told from questions by their structure, answered in their form."""

import json
from typing import Any

import pytest

from serving.tasks import find_task, title_of
from serving.wire import Message
from tests.agent.scripted import Script
from tests.serving.running import Service, serve

ANSWERED = (
    "VPP is 2.5 V on DDR4 [1].\n\n**Interpreted as**\n\n- **VPP** → Pump Voltage, the only meaning in the dictionary."
    "\n\n**Sources**\n\n- [1] bus.pdf, page 3"
)
HISTORY = f"<chat_history>\nUSER: What is VPP on DDR4?\nASSISTANT: {ANSWERED}\n</chat_history>"


def open_webui(kind: str, order: str, example: str, *, history: str = HISTORY) -> str:
    """Write a prompt as Open WebUI's templates are built, in words of our own."""
    return (
        f"### Task:\n{order}\n### Guidelines:\n- Be short.\n### Output:\nJSON format: "
        f'{{ "{kind}": {example} }}\n### Chat History:\n{history}'
    )


FOLLOW_UPS = open_webui("follow_ups", "Suggest 3-5 relevant follow-up questions.", '["Question 1?", "Question 2?"]')
TITLE = open_webui("title", "Generate a concise, 3-5 word title with an emoji.", '"your concise title here"')
TAGS = open_webui("tags", "Generate 1-3 broad tags.", '["tag1", "tag2"]')
AUTOCOMPLETE = open_webui("text", "You are an autocompletion system.", '"<your_completion>"')
QUERIES = open_webui("queries", "Determine the necessity of generating search queries.", '["query1"]')
LIBRECHAT = (
    "Provide a concise, 5-word-or-less title for the conversation, using title case conventions. Only return the title "
    f"itself.\n\nConversation:\nUser: What is VPP on DDR4?\nAI: {ANSWERED}"
)
LIBRECHAT_OLD = (
    "Please generate a concise, 5-word-or-less title for the conversation, using its same language, with no "
    'punctuation.\n\n||>User:\n"What is VPP on DDR4?"\n||>Response:\n"2.5 V"\n\n||>Title:'
)


def asked(text: Any, *before: tuple[str, str]) -> list[Message]:
    return [
        *(Message.model_validate({"role": role, "content": content}) for role, content in before),
        Message.model_validate({"role": "user", "content": text}),
    ]


def test_front_end_task_is_recognised(subtests: pytest.Subtests) -> None:
    for prompt, kind, as_json in [
        (TITLE, "title", True),
        (TAGS, "tags", True),
        (FOLLOW_UPS, "follow_ups", True),
        (QUERIES, "queries", True),
        (AUTOCOMPLETE, "text", True),
        (TITLE.replace("### Task:\n", "# Title Generator\n\n"), "title", True),
        ("\n".join(TAGS.split("### Chat History:\n")[::-1]), "tags", True),
        (LIBRECHAT, "title", False),
        (LIBRECHAT_OLD, "title", False),
    ]:
        with subtests.test(prompt=prompt, kind=kind, as_json=as_json):
            task = find_task(asked(prompt))
            assert task is not None
            assert (task.kind, task.as_json) == (kind, as_json)
            assert task.questions == ("What is VPP on DDR4?",)


def test_question_about_tasks_parts_or_other_roles_is_not_a_task(subtests: pytest.Subtests) -> None:
    for question in [
        'What does "### Task:" mean in a prompt of Open WebUI?',
        "### Task: which register holds the level?",
        "### Task:\nFind the VPP of DDR4.\n### Output:\nOne number.",
        TAGS.replace("</chat_history>", ""),
        'How do I send { "title": "x" } to the API?',
        "Provide the title of the document about VPP.",
        "Generate a title for my report about VPP, 5 words or less.",
        "",
    ]:
        with subtests.test(question=question):
            assert find_task(asked(question)) is None
    assert find_task([Message(role="assistant", content=TITLE)]) is None
    assert find_task(asked([{"type": "text", "text": TITLE}])) is None


def test_title_names_the_subject_of_the_question(subtests: pytest.Subtests) -> None:
    for question, title in [
        ("What is  VPP on DDR4?", "What is VPP on DDR4?"),
        (
            "Which of the old pumps in the northern hall need the PLR checked?",
            "Which of the old pumps in the northern hall need the PLR…",
        ),
        ("   ", "New Chat"),
        ("x" * 100, "x" * 60 + "…"),
    ]:
        with subtests.test(question=question, title=title):
            assert title_of(question) == title


async def answer_to(service: Service, prompt: str) -> str:
    message = (await service.ask(prompt)).choices[0].message
    assert (message.model_extra or {})["golden"]["outcome"] == "task"
    return message.content or ""


async def test_titles_tags_and_questions_have_the_requested_format() -> None:
    async with serve(Script()) as service:
        assert json.loads(await answer_to(service, TITLE)) == {"title": "What is VPP on DDR4?"}
        assert await answer_to(service, LIBRECHAT) == "What is VPP on DDR4?"
        assert json.loads(await answer_to(service, TAGS)) == {"tags": ["General"]}
        assert json.loads(await answer_to(service, FOLLOW_UPS)) == {
            "follow_ups": ["What does VPP stand for?", "What is the row cycle time?", "When does the DLL lock?"]
        }
        assert json.loads(await answer_to(service, QUERIES)) == {"queries": ["What is VPP on DDR4?"]}
        assert json.loads(await answer_to(service, AUTOCOMPLETE)) == {"text": ""}
        empty = FOLLOW_UPS.replace(HISTORY, "<chat_history></chat_history>")
        assert json.loads(await answer_to(service, empty)) == {"follow_ups": []}
    # None of them was treated as a question to the bot.
    assert service.script.identifier.asked == []
    assert service.script.searcher.queries == []


async def test_a_task_streams_too() -> None:
    async with serve(Script()) as service:
        stream = await service.ask(TITLE, stream=True, stream_options={"include_usage": True})
        chunks = [chunk async for chunk in stream]
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert json.loads(text) == {"title": "What is VPP on DDR4?"}
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert chunks[-1].usage is not None


@pytest.mark.parametrize("text", ["<chat_history>" * 200_000, "### Task:\n" + "\n" * 300_000, "Provide a " * 100_000])
def test_task_detection_is_fast_for_any_text(text: str) -> None:
    # This would take minutes if the time grew with the square of the length.
    assert find_task(asked(text)) is None
