"""What `golden ask` asks a server for: a conversation that the server remembers, and the answer whole."""

import json
from typing import Any

from agent.chatbot import Chatbot
from agent.conversations import RecentConversations
from library.records.rows import answer_from_json
from tests.agent.scripted import Script
from tests.servers import OneModel
from tests.serving.running import Service, serve

QUESTION = "What is VPP on DDR4?"


def body(question: str, **golden: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": question}], "golden": golden}


async def test_a_remembered_conversation_goes_on_without_its_earlier_messages() -> None:
    script = Script()
    bot = Chatbot(script.services(), conversations=RecentConversations())
    async with serve(script, models=OneModel(bot, "golden")) as service, service.http() as http:
        for question in (QUESTION, "And on DDR5?"):
            asked = body(question, conversation="levels", remembered=True)
            assert (await http.post("/v1/chat/completions", json=asked)).status_code == 200
        asked = body("And on DDR3?", conversation="levels", remembered=True)
        asked["messages"] = [{"role": "user", "content": QUESTION}, *asked["messages"]]
        refused = await http.post("/v1/chat/completions", json=asked)
    turns = await bot.history("levels", account="local")
    assert [turn.text for turn in turns if turn.role == "user"] == [QUESTION, "And on DDR5?"]
    assert refused.status_code == 400
    assert "remembered" in refused.json()["error"]["message"]


async def test_a_full_answer_is_the_one_that_the_bot_gave(service: Service) -> None:
    async with service.http() as http:
        plain = (await http.post("/v1/chat/completions", json=body(QUESTION))).json()
        full = (await http.post("/v1/chat/completions", json=body(QUESTION, full_answer=True))).json()
        streamed = await http.post("/v1/chat/completions", json=body(QUESTION, full_answer=True) | {"stream": True})
    assert plain["choices"][0]["message"]["golden"]["answer"] is None
    golden = full["choices"][0]["message"]["golden"]
    answer = answer_from_json(golden["answer"])
    assert (answer.status, answer.question) == (golden["outcome"], QUESTION)
    assert [each.passage_text != "" for each in answer.citations] == [True] * len(golden["citations"])
    events = [json.loads(line[6:]) for line in streamed.text.splitlines() if line.startswith("data: {")]
    (last,) = [each["golden"]["answer"] for each in events if "outcome" in each.get("golden", {})]
    assert answer_from_json(last).text == answer.text
