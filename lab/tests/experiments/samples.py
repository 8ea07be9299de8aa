"""Handmade experiments, with arms whose answers contain their own grade."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from golden_lab.engine import Engine
from golden_lab.experiments.form import Experiment
from golden_lab.wiring.engines import build_engine
from golden_retriever.settings import Settings
from lab.tests.benchmarks.annotated_sets import write_rows
from tests.hashing_embedder import HashingEmbedder
from tests.scripted_chat import ScriptedChatModel
from tools.chat.base import ChatReply, ChatRequest

PROMPT = 'version = "1"\ndescription = "d"\nuser = "Passage: {passage}\\nAsked: {question}"\n'
THREE_ARMS = """
name = "three"
description = "Three arms."
source = "a test"
scorer = "judge"
cases = "passage-questions"
pairs = [["tuned", "control"], ["memory", "tuned"]]
published_on = "other data"
published = [{ arm = "control", by = "people", values = { weighted = 3.146 } }]
arms = [
    { name = "control", model = "base", context = "gold", prompt = "prompt.toml" },
    { name = "tuned", model = "adapter", context = "gold", prompt = "prompt.toml" },
    { name = "memory", model = "adapter", context = "gold", prompt = "bare.toml" },
]
"""


def experiment(folder: Path, text: str = THREE_ARMS) -> Experiment:
    (folder / "prompt.toml").write_text(PROMPT, encoding="utf-8")
    (folder / "bare.toml").write_text(PROMPT.replace("Passage: {passage}\\n", ""), encoding="utf-8")
    (folder / "own.toml").write_text(text, encoding="utf-8")
    return Experiment.load(folder / "own.toml")


def write_questions(path: Path, count: int) -> Path:
    """Write passages with questions: for number 7, "Which is rail 7?"."""
    rows = [
        {"id": f"q{at}", "passage": f"Rail {at} is at {at} V.", "question": f"Which is rail {at}?", "answer": f"{at} V",
         "source": {"document": "d", "page": 1}}
        for at in range(count)
    ]  # fmt: skip
    return write_rows(path, rows)


REFERENCE = "The kettle boils one litre. The handle is made of wood."


def condition_row(name: str, condition: str, *chunks: str) -> dict[str, object]:
    """Make a case of a condition, as in the files of cases."""
    return {
        "id": name, "source": "d", "condition": condition, "query": "The kettle shall boil one litre.",
        "chunks": chunks, "relevant": [True] * len(chunks), "reference": REFERENCE,
        "messages": [{"role": "user", "content": f"{condition} {name}"}],
    }  # fmt: skip


def asked_number(request: ChatRequest) -> int:
    return int(re.findall(r"rail (\d+)\?", request.messages[-1].content)[-1])


def worth(request: ChatRequest) -> str:
    """Answer with grade 2 or 3 for the base model, 4 or 5 for the adapter, and 1 or 2 without a passage."""
    at = asked_number(request)
    best = {"base": 2, "adapter": 4}[request.model] if "Rail" in request.messages[-1].content else 1
    return f"Rail {at} has an answer worth {best + at % 2} of five."


def judging_chat() -> ScriptedChatModel:
    """Return a judge model that gives each answer the grade that the answer contains."""

    def grade(request: ChatRequest) -> str:
        found = re.findall(r" worth (\d)", request.messages[-1].content)
        return json.dumps({"explanation": "e", "score": int(found[0]) if found else 1})

    return ScriptedChatModel(grade, model="judge")


def engine_with(chat: ScriptedChatModel | None = None) -> Engine:
    engine = build_engine(Settings(), embedder=HashingEmbedder())
    return engine if chat is None else replace(engine, name="llm", model=chat.model, chat=chat)


def arms_chat(reply: Callable[[ChatRequest], str | ChatReply] = worth) -> ScriptedChatModel:
    return ScriptedChatModel(reply, model="base")
