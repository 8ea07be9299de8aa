"""What a client may send with a question, and what is read past."""

from typing import Any

from agent.chatbot import Chatbot
from tests.agent.scripted import ListedConversations, Script
from tests.serving.running import Service, serve
from tests.serving.test_sources import chunks_of

PATH = "/v1/chat/completions"
ASK: dict[str, Any] = {"messages": [{"role": "user", "content": "What is VPP on DDR4?"}]}


async def streamed(service: Service, **fields: Any) -> str:
    """Return the content of a stream."""
    choices = [choice for chunk in await chunks_of(service, **fields) for choice in chunk["choices"]]
    return "".join(choice["delta"].get("content") or "" for choice in choices)


async def test_the_footer_can_be_left_out(service: Service) -> None:
    without = {"golden": {"footer": False}}
    text = await streamed(service, **without)
    assert text == "VPP is 2.5 V on DDR4 [1]."
    async with serve(Script(), footer=False) as bare:
        plain = await streamed(bare)
        asked = await streamed(bare, golden={"footer": True})
    assert plain == text
    assert asked.endswith("**Sources**\n\n- [1] bus.pdf, page 3")


async def test_what_does_not_matter_here_is_read_past(service: Service) -> None:
    fields = {
        "temperature": 9,
        "top_p": "high",
        "tools": [{"type": "function", "function": {"name": "f"}}],
        "response_format": {"type": "text"},
        "logprobs": True,
        "never_heard_of": {"deeply": ["nested"]},
        "stop": None,
        "max_tokens": None,
        "user": "ada",
        "metadata": {"ticket": "4711"},
    }
    async with service.http() as http:
        response = await http.post(PATH, json={**ASK, **fields})
        odd = b'{"messages": [{"role": "user", "content": "What is VPP\\ud800 on DDR4?", "name": "x"}]}'
        surrogate = await http.post(PATH, content=odd, headers={"content-type": "application/json"})
    assert response.status_code == 200
    assert response.json()["choices"][0]["message"]["content"].startswith("VPP is 2.5 V on DDR4 [1].")
    assert surrogate.status_code in (200, 400)
    assert "Traceback" not in surrogate.text


async def test_a_picture_of_an_earlier_turn_does_not_end_the_conversation(service: Service) -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,"}}
    messages: list[dict[str, Any]] = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "What is this?"}, picture]},
        {"role": "assistant", "content": None, "tool_calls": []},
        {"role": "tool", "content": "42", "tool_call_id": "1"},
        {"role": "user", "content": "What is VPP on DDR4?"},
    ]
    async with service.http() as http:
        answered = await http.post(PATH, json={"messages": messages})
        refused = await http.post(PATH, json={"messages": messages[:2]})
    assert answered.status_code == 200
    assert refused.status_code == 400
    assert refused.json()["error"]["param"] == "messages[1].content"
    assert "image_url" in refused.json()["error"]["message"]
    (history,) = service.script.rewriter.histories
    assert [turn.text for turn in history][:1] == ["What is this?"]


async def test_who_asks_stands_with_the_answer_that_is_kept() -> None:
    script, kept = Script(), ListedConversations()
    bot = Chatbot(script.services(), conversations=kept)
    async with serve(script, chatbot=bot) as service, service.http() as http:
        answer = (await http.post(PATH, json={**ASK, "user": " Ada\tLovelace "})).json()
        await http.post(PATH, json={**ASK, "user": "x" * 500})
    first, second = (turn.asker for turn in kept.kept)
    assert (first.name, first.channel) == ("Ada Lovelace", "api")
    assert second.name == "x" * 100
    assert answer["choices"][0]["message"]["golden"]["turn_id"]
