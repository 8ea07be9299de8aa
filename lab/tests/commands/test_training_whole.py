"""From documents to an adapter of your own in the bot: each step by its command."""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

from golden_lab.training.data.examples import read_examples
from lab.tests.command_line import LAB
from lab.tests.training.tiny_model import make_tiny_model
from tests.golden_retriever.served import GOLDEN, environment_for, golden, serving
from tests.tools.chat.server import serving as serving_model

pytest.importorskip("torch")
pytest.importorskip("peft")
pytestmark = [pytest.mark.torch, pytest.mark.slow]

PASSAGES = {
    "pump.md": "The P-200 pump runs at 48 V. Its bearing is greased every 500 hours.",
    "crane.md": "The K-7 crane stops at a wind speed of 15 m/s. Its rope is replaced in Lyon.",
}
QUESTIONS = {
    "pump.md": "At what voltage does the P-200 pump run?",
    "crane.md": "At what wind speed does the K-7 crane stop?",
}
# The documents hold nothing about it.
LUNCH = "What does a lunch in the canteen cost?"
# Asked in words that were not trained on.
PUMP = "At which voltage does the P-200 pump run?"
RECIPE = """
name = "house-gate"
description = "Says whether the passages about our machines hold the answer."
source = "made for this test"
[model]
name = "tiny-granite"
[data]
intrinsic = "answerability"
[lora]
rank = 8
alpha = 16
targets = ["q_proj", "v_proj"]
[training]
epochs = 1
batch_size = 4
learning_rate = 1e-2
gradient_checkpointing = false
validation_share = 0
"""
# Threads of their own would wait for one another more than they compute.
ALONE = {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}


class AdapterServer:
    """A server of the adapter "house-gate", which knows about pumps only; keeps the prompts that it was asked."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    def app(self) -> FastAPI:
        """Return the routes."""
        app = FastAPI()

        @app.get("/v1/models")
        def models() -> dict[str, Any]:
            return {"object": "list", "data": [{"id": name, "object": "model"} for name in ("base", "house-gate")]}

        @app.post("/v1/completions")
        async def complete(request: Request) -> JSONResponse:
            body = await request.json()
            self.asked.append(body)
            text = "answerable" if PUMP in body["prompt"] else "unanswerable"
            choice = {"index": 0, "finish_reason": "stop", "logprobs": None, "text": text}
            return JSONResponse({"id": "1", "object": "x", "created": 1, "model": body["model"], "choices": [choice]})

        return app


def run(folder: Path, *arguments: str | Path, **settings: object) -> str:
    environment = environment_for(folder / "bot", profile="embedded", **settings) | ALONE
    program = LAB if arguments[0] == "train" else GOLDEN
    result = golden(*arguments, environment=environment, folder=folder, program=program)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents, cases, examples, a base model, a training and its export."""
    folder = tmp_path_factory.mktemp("house")
    for name, text in PASSAGES.items():
        (folder / name).write_text(f"# {name}\n\n{text}\n", "utf-8")
    run(folder, "ingest", *PASSAGES)
    (folder / "cases.jsonl").write_text("".join(f"{json.dumps(case)}\n" for case in cases()), "utf-8")
    run(folder, "train", "intrinsic", "answerability", "cases.jsonl", "examples.jsonl")
    texts = [each.prompt + each.completion for each in read_examples(folder / "examples.jsonl")]
    base = make_tiny_model(folder / "tiny-granite", texts, convention="granite")
    (folder / "recipe.toml").write_text(RECIPE, "utf-8")
    run(folder, "train", "run", "recipe.toml", "examples.jsonl", "--out", "run", "--model", base)
    run(folder, "train", "export", "run", "--out", "exports")
    return folder


def cases() -> Iterator[dict[str, Any]]:
    """Yield each question, and one about lunch, with all passages."""
    passages = [{"text": text} for text in PASSAGES.values()]
    for name, question in QUESTIONS.items():
        yield {"id": f"{name} in", "question": question, "passages": passages, "answerable": True}
        yield {"id": f"{name} out", "question": LUNCH, "passages": passages, "answerable": False}


def test_an_adapter_of_your_own_judges_in_the_bot(folder: Path) -> None:
    exports, server = folder / "exports", AdapterServer()
    declared = tomllib.loads((exports / "answerability.toml").read_text("utf-8"))
    with serving_model(server.app()) as address:
        chosen = {"engines": "answerability=adapter", "adapters_dir": exports, "llm": f"{address}/v1"}
        with serving(folder, environment_for(folder / "bot", profile="embedded", **chosen) | ALONE) as bot:
            answers = [bot.ask(question).json()["choices"][0]["message"] for question in (PUMP, LUNCH)]
    assert [each["golden"]["outcome"] for each in answers] == ["answered", "closest_passages"]
    assert "48 V" in answers[0]["content"]
    for each in answers:
        judged = next(step for step in each["golden"]["steps"] if step["node"] == "judge_answerability")
        assert (judged["implementation"], judged["model"], judged["degraded"]) == ("adapter", "house-gate", "")
    assert {each["model"] for each in server.asked} == {"house-gate"}
    # What the bot asks has the frame of what was trained on.
    trained = read_examples(folder / "examples.jsonl")[0].prompt
    assert all(each["prompt"].endswith(trained[-40:]) for each in server.asked)
    assert declared["model"] == "house-gate"
