"""The whole bot on a small language model: every question ends in bounded time, and a fallback says so."""

import asyncio
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from contracts.answer import Answer
from golden_retriever.settings import load_settings
from golden_retriever.wiring.application import open_application
from tests.example_library import read_examples
from tests.golden_retriever.served import environment_for, golden, serving
from tests.live.conftest import HANGS_S, SLOT_TOKENS, LiveServer

pytestmark = [pytest.mark.live, pytest.mark.slow]

ANSWERED = "Which second command byte erases a block?"
# One that the documents answer, one that they do not, one with a term of two meanings.
QUESTIONS = (ANSWERED, "Who painted the ceiling of the chapel?", "What happens to a PLR frame?")
# A weak model writes as long as it is let: what it has not written by then falls back.
TIMEOUT_S = 20


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Read documents and dictionary once, without a language model."""
    folder = tmp_path_factory.mktemp("library")
    asyncio.run(read_examples(folder / "data", "interfaces-handbook.pdf"))
    return folder / "data"


def assert_notices_given(answer: Answer) -> None:
    """Hold an answer to its notices: a step that did not run on the model says why, and nothing rests on nothing."""
    assert answer.text.strip()
    for step in answer.steps:
        if step.provenance is not None and step.provenance.degraded:
            assert any(reason.startswith(step.node) for reason in answer.degraded)
    for sentence in answer.sentences:
        assert sentence.label != "faithful" or sentence.citations, sentence


@pytest.mark.parametrize("profile", ["balanced", "quality"])
async def test_questions_at_the_same_time_end_one_by_one(server: LiveServer, data: Path, profile: str) -> None:
    settings = load_settings(
        data_dir=data, llm=server.llm, llm_api_key=server.local.key, llm_timeout_s=TIMEOUT_S, profile=profile, top_k=2
    )
    questions = QUESTIONS if profile == "balanced" else (ANSWERED,)
    async with open_application(settings, one_shot=True) as application, asyncio.timeout(HANGS_S):
        answers = await asyncio.gather(*(application.chatbot.ask(question) for question in questions))
    assert tuple(answer.question for answer in answers) == questions
    for answer in answers:
        assert_notices_given(answer)
    await asyncio.to_thread(server.wait_for_busy, 0)


def test_a_file_is_served_for_a_command_and_ends_with_a_server_that_is_killed(
    model_file: Path, data: Path, tmp_path: Path
) -> None:
    environment = environment_for(data, llm=model_file, llm_timeout_s=TIMEOUT_S, llm_max_context_tokens=SLOT_TOKENS)
    asked = golden("ask", ANSWERED, "--json", environment=environment, folder=tmp_path)
    assert asked.returncode == 0, asked.stderr
    assert json.loads(asked.stdout)["text"].strip()

    with serving(tmp_path, environment) as bot:
        assert "tokens/s" in bot.output
        body = {"model": "golden", "stream": True, "messages": [{"role": "user", "content": ANSWERED}]}
        with httpx.stream("POST", f"{bot.address}/v1/chat/completions", json=body, timeout=HANGS_S) as reply:
            lines = [line for line in reply.iter_lines() if line]
        assert reply.status_code == 200
        assert len(lines) > 2
        assert lines[-1] == "data: [DONE]"
        (llama,) = [each for each in children(bot.process.pid) if b"llama_process" in (each / "cmdline").read_bytes()]
        bot.process.kill()
        bot.process.wait()
        until = time.monotonic() + HANGS_S
        while llama.exists() and time.monotonic() < until:
            time.sleep(0.05)
    assert not llama.exists()


def children(process: int) -> list[Path]:
    """Return the folders of Linux of a process's children."""
    named = Path(f"/proc/{process}/task/{process}/children")
    return [Path("/proc") / each for each in named.read_text().split()]


_SERVE = """
import asyncio, pathlib, sys
from golden_retriever.language_models.local_server import serving_file

async def serve():
    async with serving_file(pathlib.Path(sys.argv[1]), max_context_tokens=400_000):
        pass

asyncio.run(serve())
"""


def test_too_little_memory_is_said(model_file: Path) -> None:
    def confine() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (6_000_000_000, 6_000_000_000))

    command = [sys.executable, "-c", _SERVE, str(model_file)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(each for each in sys.path if each)}
    ended = subprocess.run(command, env=environment, preexec_fn=confine, capture_output=True, text=True, check=False)
    assert "needs more memory than is free here" in ended.stderr, ended.stderr
