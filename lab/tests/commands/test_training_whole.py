"""From documents to an adapter of one's own that judges in the bot: each step by its command."""

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from golden_lab.training.data.examples import TrainingExample, read_examples
from lab.tests.adapter_server import adapter_server
from lab.tests.programs import LAB
from lab.tests.training.taught_model import teach
from lab.tests.training.tiny_model import make_tiny_model
from tests.golden_retriever.served import GOLDEN, environment_for, golden, serving

pytest.importorskip("torch")
pytest.importorskip("peft")
pytestmark = [pytest.mark.torch, pytest.mark.slow]

DOCUMENTS = {
    "pump.md": "# Pump P-200\n\nThe P-200 pump runs at 48 V. Its bearing is greased every 500 hours.\n",
    "crane.md": "# Crane K-7\n\nThe K-7 crane stops at a wind speed of 15 m/s. Its rope is replaced in Lyon.\n",
    "press.md": "# Press M-4\n\nThe M-4 press closes with 60 kN. Its oil is changed every 90 days.\n",
    "oven.md": "# Oven T-9\n\nThe T-9 oven runs at 230 V. Its door is checked every 30 days.\n",
}
QUESTIONS = {
    "pump.md": "At what voltage does the P-200 pump run?",
    "crane.md": "At what wind speed does the K-7 crane stop?",
    "press.md": "With what force does the M-4 press close?",
    "oven.md": "How often is the door of the T-9 oven checked?",
}
# Of these the documents hold nothing.
CANTEEN = (
    "What does a lunch in the canteen cost?",
    "Who cooks in the canteen on Mondays?",
    "Which soup does the canteen offer today?",
    "When does the canteen close for lunch?",
)
# Asked of the documents in words that were not trained on.
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
targets = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
[training]
epochs = 4
batch_size = 4
learning_rate = 1e-2
gradient_checkpointing = false
validation_share = 0
"""


@dataclass(frozen=True)
class House:
    """What was made on the way."""

    folder: Path
    base: Path
    exports: Path

    def environment(self, **settings: object) -> dict[str, str]:
        # Threads of their own would wait for one another more than they compute.
        alone = {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
        return environment_for(self.folder / "bot", profile="embedded", **settings) | alone

    def run(self, *arguments: str | Path, **settings: object) -> str:
        program = LAB if arguments[0] == "train" else GOLDEN
        result = golden(*arguments, environment=self.environment(**settings), folder=self.folder, program=program)
        assert result.returncode == 0, result.stderr
        return result.stdout


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    """Documents, cases, examples, a base model, a training and its export."""
    folder = tmp_path_factory.mktemp("house")
    for name, text in DOCUMENTS.items():
        (folder / name).write_text(text, "utf-8")
    made = House(folder, folder / "tiny-granite", folder / "exports")
    made.run("ingest", *DOCUMENTS)
    asked = [
        {"question": QUESTIONS[name], "passage": text.split("\n\n")[1].strip()} for name, text in DOCUMENTS.items()
    ]
    (folder / "cases.jsonl").write_text("".join(f"{json.dumps(case)}\n" for case in cases(asked)), "utf-8")
    made.run("train", "intrinsic", "answerability", "cases.jsonl", "examples.jsonl")
    make_base(made.base, read_examples(folder / "examples.jsonl"))
    (folder / "recipe.toml").write_text(RECIPE, "utf-8")
    made.run("train", "run", "recipe.toml", "examples.jsonl", "--out", "run", "--model", made.base)
    made.run("train", "export", "run", "--out", "exports")
    return made


def cases(asked: list[dict[str, str]]) -> Iterator[dict[str, Any]]:
    """Yield each question with its own passage among others, and a question of another subject with the same."""
    for number, each in enumerate(asked):
        others = [other["passage"] for other in asked if other is not each]
        for place in range(len(asked)):
            passages = [{"text": text} for text in (*others[:place], each["passage"], *others[place:])][: place + 1]
            for answerable, question in ((True, each["question"]), (False, CANTEEN[number % len(CANTEEN)])):
                name = f"{number}-{place}-{'in' if answerable else 'out'}"
                yield {"id": name, "question": question, "passages": passages, "answerable": answerable}


def make_base(folder: Path, examples: tuple[TrainingExample, ...]) -> None:
    """Make a tiny Granite that takes everything for unanswerable."""
    make_tiny_model(folder, [each.prompt + each.completion for each in examples], convention="granite")
    teach(folder, [(each.prompt, "unanswerable") for each in examples[:6]])


def step(answer: dict[str, Any], node: str = "judge_answerability") -> dict[str, Any]:
    found: dict[str, Any] = next(each for each in answer["steps"] if each["node"] == node)
    return found


def test_an_adapter_of_one_s_own_judges_in_the_bot(house: House, tmp_path: Path) -> None:
    chosen = {"engines": "answerability=adapter", "adapters_dir": house.exports}
    declared = tomllib.loads((house.exports / "answerability.toml").read_text("utf-8"))
    with adapter_server(house.base, **{"house-gate": house.exports / "house-gate"}) as url:
        with serving(house.folder, house.environment(llm=url, **chosen)) as bot:
            answers = [bot.ask(question).json()["choices"][0]["message"] for question in (PUMP, CANTEEN[0])]
        assert [each["golden"]["outcome"] for each in answers] == ["answered", "closest_passages"]
        assert "48 V" in answers[0]["content"]
        for each in answers:
            judged = step(each["golden"])
            assert (judged["implementation"], judged["model"], judged["degraded"]) == ("adapter", "house-gate", "")
        own = json.loads(house.run("ask", "--json", PUMP, llm=url, **chosen))
        assert own["outcome"] == "answered"
        assert step(own)["provenance"]["prompt_version"] == declared["version"]
        # The base model under the same prompt judges otherwise: it is the adapter that speaks.
        text = (house.exports / "answerability.toml").read_text("utf-8")
        (tmp_path / "answerability.toml").write_text(text.replace('"house-gate"', '"tiny-granite"'), "utf-8")
        by_base = json.loads(house.run("ask", "--json", PUMP, llm=url, **{**chosen, "adapters_dir": tmp_path}))
    judged = step(by_base)["provenance"]
    assert by_base["outcome"] == "closest_passages"
    assert (judged["implementation"], judged["model"]) == ("adapter", "tiny-granite")
    assert not judged["degraded"]


def test_the_command_for_vllm_has_the_exported_adapter(house: House) -> None:
    chosen = {"engines": "answerability=adapter", "adapters_dir": house.exports}
    line = house.run("vllm", "command", llm="http://127.0.0.1:8000/v1", **chosen)
    path = (house.exports / "house-gate").resolve()
    assert line.startswith("vllm serve tiny-granite ")
    assert f"--enable-lora --max-loras 1 --max-lora-rank 8 --lora-modules house-gate={path}" in line
    assert {each.name for each in path.iterdir()} >= {"adapter_config.json", "adapter_model.safetensors", "README.md"}
