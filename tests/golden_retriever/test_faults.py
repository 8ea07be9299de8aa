"""The whole bot on a chat server that fails in random order: no question is lost, none hangs, none goes uncited."""

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent.chatbot import Chatbot
from contracts.answer import Answer
from golden_retriever.wiring.application import Application
from tests.example_library import bot_over
from tests.tools.chat.faulty_server import FAULTS_OF_REPLIES, SECRET, FaultyServer, faulty_server

pytestmark = pytest.mark.slow

LEVELS = {"DDR2": "1.8 V", "DDR3": "1.5 V", "DDR4": "1.2 V", "DDR5": "1.1 V", "LPDDR4": "0.9 V", "GDDR6": "1.35 V"}
# Far above every limit set here: a request that takes this long hangs.
_HANGS_S = 120.0


def manual() -> str:
    sections = [
        f"## {name}\n\nThe VCCQ level for {name} is {level}. Its supply rises within {number} ms.\n"
        for number, (name, level) in enumerate(LEVELS.items(), 11)
    ]
    return "# Widget manual\n\n" + "\n".join(sections)


def right_answer(body: dict[str, Any]) -> str:
    """Answer a writer's prompt with the level that it asks for."""
    name = re.findall(r"VCCQ level for (\w+)\?", body["messages"][-1]["content"])[-1]
    return f"For {name}, the VCCQ level is {LEVELS[name]}."


@pytest.fixture
async def application(tmp_path: Path, timeout_s: float) -> AsyncIterator[tuple[Application, FaultyServer]]:
    with faulty_server(seed=7) as server:
        server.answer = right_answer
        server.max_model_len = 32_000
        settings = {"llm": f"{server.url}#tiny", "llm_timeout_s": timeout_s, "llm_retries": 1}
        async with bot_over(tmp_path, {"manual.md": manual()}, summaries=False, **settings) as opened:
            yield opened, server


def written_by(answer: Answer) -> str:
    (step,) = [step for step in answer.steps if step.node == "write_answer"]
    return step.provenance.implementation


async def asked(application: Application, name: str) -> Answer:
    async with asyncio.timeout(_HANGS_S):
        return await application.chatbot.ask(f"What is the VCCQ level for {name}?")


@pytest.mark.parametrize("timeout_s", [1.0])
async def test_every_question_is_answered_with_a_citation_whatever_the_server_does(
    application: tuple[Application, FaultyServer],
) -> None:
    bot, server = application
    server.behaviour = "random"
    for name, level in LEVELS.items():
        answer = await asked(bot, name)
        assert answer.outcome == "answered", name
        assert level in answer.text
        assert answer.citations
        assert all(sentence.citations for sentence in answer.sentences)
        if written_by(answer) == "embedded":
            assert any("did not answer" in reason for reason in answer.degraded)
    assert server.asked

    server.close()
    away = await asked(bot, "DDR4")
    assert (written_by(away), away.outcome) == ("embedded", "answered")
    assert away.citations
    assert away.degraded

    server.behaviour = "well"
    server.open()
    answer = await asked(bot, "DDR3")
    async with asyncio.timeout(_HANGS_S):
        while written_by(answer) != "llm":
            await asyncio.sleep(0.1)
            answer = await asked(bot, "DDR3")
    assert answer.text == "For DDR3, the VCCQ level is 1.5 V [1]."
    assert not answer.degraded


@pytest.mark.parametrize("timeout_s", [20.0])
async def test_bad_output_of_the_model_does_no_harm(application: tuple[Application, FaultyServer]) -> None:
    bot, server = application
    for behaviour in (*FAULTS_OF_REPLIES, "429", "500", "unsupported"):
        server.behaviour = behaviour if behaviour != "unsupported" else "well"
        server.answer = right_answer if behaviour != "unsupported" else lambda body: "The VCCQ level for DDR3 is 7.7 V."
        answer = await asked(bot, "DDR3")
        assert answer.outcome == "answered", behaviour
        assert answer.text.startswith("The VCCQ level for DDR3 is 1.5 V [1].")
        assert [each.partition(":")[0] for each in answer.degraded] == [
            "quote_answer" if behaviour == "unsupported" else "write_answer"
        ]
        assert SECRET not in answer.model_dump_json()


@pytest.mark.parametrize("timeout_s", [_HANGS_S])
async def test_question_respects_its_time_limit_for_the_model(application: tuple[Application, FaultyServer]) -> None:
    bot, server = application
    policy = replace(bot.services.policy, llm_timeout_s=0.5)
    server.behaviour = "hang"
    async with asyncio.timeout(_HANGS_S / 2):
        answer = await Chatbot(replace(bot.services, policy=policy)).ask("What is the VCCQ level for DDR3?")
    assert answer.text.startswith("The VCCQ level for DDR3 is 1.5 V [1].")
    assert "within 0.5 s" in answer.degraded[0]
