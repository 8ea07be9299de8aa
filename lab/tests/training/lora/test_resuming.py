"""A training that is broken off anywhere and resumed ends with the very weights of one that was not."""

import json
from pathlib import Path

import pytest

from lab.tests.training.lora.lessons import colours, recipe, tiny_base

torch = pytest.importorskip("torch")
pytest.importorskip("peft")
pytestmark = [pytest.mark.torch, pytest.mark.slow]

from golden_lab.training.lora import TrainingProgress, train  # noqa: E402
from golden_lab.training.run_folder import RunFolder  # noqa: E402


class Broken(Exception):
    pass


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.set_num_threads(1)
    return tiny_base(tmp_path_factory.mktemp("base"))


def weights(folder: Path) -> dict[str, torch.Tensor]:
    from safetensors.torch import load_file

    return load_file(RunFolder(folder).adapter / "adapter_model.safetensors")


def breaking_at(*steps: int):
    def hear(progress: TrainingProgress) -> None:
        if progress.step in steps:
            raise Broken

    return hear


# 40 examples in batches of 3, two to a step: 7 steps an epoch, the last of a single batch. Dropout draws random numbers
# at each step, so that a random state that was lost would show.
SHAPE = {"epochs": 2, "batch_size": 3, "accumulation": 2, "checkpoint_every_steps": 2, "schedule": "cosine"}


@pytest.mark.parametrize("validation_share", [pytest.param(0, marks=pytest.mark.slow), 0.25])
def test_a_broken_training_ends_as_one_that_was_not(tmp_path: Path, base: Path, validation_share: float) -> None:
    lesson = recipe(tmp_path, {"lora": {"dropout": 0.3}}, validation_share=validation_share, warmup_share=0.2, **SHAPE)
    examples = colours()
    whole = train(lesson, examples, tmp_path / "whole", model=str(base))
    # Before the first checkpoint, in the midst of an epoch, behind its end, and at the very end.
    for number, step in enumerate((1, 4, 8, whole.steps)):
        run = tmp_path / "broken"
        with pytest.raises(Broken):
            train(lesson, examples, run, model=str(base), resume=number > 0, on_progress=breaking_at(step))
    resumed = train(lesson, examples, tmp_path / "broken", resume=True)
    expected, found = weights(tmp_path / "whole"), weights(tmp_path / "broken")
    assert expected.keys() == found.keys()
    assert all(torch.equal(expected[name], found[name]) for name in expected)
    assert (resumed.steps, resumed.best_step) == (whole.steps, whole.best_step)
    assert resumed.validation_loss_after == whole.validation_loss_after
    assert (resumed.tokens_read, resumed.training_loss_before) == (whole.tokens_read, whole.training_loss_before)
    told = [json.loads(RunFolder(tmp_path / run).history.read_text())["log_history"] for run in ("whole", "broken")]
    losses = [[(row["step"], row.get("loss"), row.get("eval_loss")) for row in rows] for rows in told]
    assert losses[0] == losses[1]
    assert [step for step, loss, _ in losses[0] if loss is not None] == list(range(1, whole.steps + 1))
