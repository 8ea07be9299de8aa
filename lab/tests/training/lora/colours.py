"""The task that tiny models learn in tests (is a colour warm or cold?), and the recipe for it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from golden_lab.training.data.examples import ExampleMessage, TrainingExample
from golden_lab.training.recipes import Recipe
from lab.tests.training.tiny_model import Convention, make_tiny_model

_WARM = ("red", "orange", "rust", "amber", "scarlet")
_COLD = ("blue", "cyan", "navy", "teal", "azure")
_THINGS = ("door", "lamp", "coat", "wall")

_RECIPE = """
name = "colours"
description = "Whether a colour is warm or cold."
source = "made for this test"
[model]
name = "nobody/nothing"
[data]
prompt = "none.toml"
[lora]
rank = 8
alpha = 16
targets = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
[training]
epochs = 2
batch_size = 4
learning_rate = 1e-2
gradient_checkpointing = false
validation_share = 0
"""


def colours(form: str = "messages") -> tuple[TrainingExample, ...]:
    """Return 40 examples, as messages or as frozen prompts; the group is the thing that has the colour."""
    rows = [(colour, "warm") for colour in _WARM] + [(colour, "cold") for colour in _COLD]
    return tuple(
        _example(form, f"{colour}-{thing}", f"Is a {colour} {thing} warm or cold?", label, thing)
        for colour, label in rows
        for thing in _THINGS
    )


def _example(form: str, name: str, question: str, label: str, group: str) -> TrainingExample:
    if form == "messages":
        turns = (ExampleMessage(role="user", content=question),)
        return TrainingExample(id=name, group=group, messages=turns, completion=label)
    frozen = f"<|start_of_role|>user<|end_of_role|>{question}<|end_of_text|>\n<|start_of_role|>colour<|end_of_role|>"
    return TrainingExample(id=name, group=group, prompt=frozen, completion=label)


def tiny_base(folder: Path, convention: Convention = "llama") -> Path:
    """Write a tiny model whose tokenizer knows the words of ``colours``."""
    texts = [each.messages[0].content + each.completion for each in colours()]
    return make_tiny_model(folder, texts, convention=convention)


def recipe(folder: Path, tables: Mapping[str, Mapping[str, Any]] | None = None, **training: Any) -> Recipe:
    """Return the recipe of the test with some values changed."""
    path = folder / "colours.toml"
    path.write_text(_RECIPE, "utf-8")
    values = Recipe.load(path).model_dump()
    for table, changes in {**(tables or {}), "training": training}.items():
        values[table] |= changes
    return Recipe.model_validate(values)
