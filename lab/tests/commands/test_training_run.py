"""``golden-lab train run`` as a process: killed at any time it goes on to the same weights."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from golden_lab.cli import app
from golden_lab.training.data.examples import write_examples
from golden_lab.training.lora.result import RunFolder
from golden_lab.training.recipes import recipe_text
from lab.tests.training.lora.colours import colours, recipe, tiny_base

torch = pytest.importorskip("torch")
pytest.importorskip("peft")
pytestmark = pytest.mark.torch

_ENVIRONMENT = os.environ | {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}


@pytest.fixture
def plant(tmp_path: Path) -> list[str]:
    """Make a model, data and a recipe; return the command but for the folder of the run."""
    torch.set_num_threads(1)
    base = tiny_base(tmp_path / "base")
    write_examples(tmp_path / "colours.jsonl", colours())
    shape = {"epochs": 4, "batch_size": 3, "accumulation": 2, "checkpoint_every_steps": 1, "schedule": "linear"}
    lesson = recipe(tmp_path, {"lora": {"dropout": 0.2}}, validation_share=0.25, **shape)
    (tmp_path / "lesson.toml").write_text(recipe_text(lesson), "utf-8")
    return ["train", "run", str(tmp_path / "lesson.toml"), str(tmp_path / "colours.jsonl"), "--model", str(base)]


def start(*arguments: str, **more: Any) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "golden_lab", *arguments]
    return subprocess.Popen(
        command, env=_ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more
    )


def weights(run: RunFolder) -> dict[str, torch.Tensor]:
    from safetensors.torch import load_file

    return load_file(run.adapter / "adapter_model.safetensors")


def saves_its_second_checkpoint(run: RunFolder) -> bool:
    whole = [(each / "trainer_state.json").exists() for each in run.checkpoints.glob("checkpoint-*")]
    return any(whole) and not all(whole)


def kill_when(is_time: Callable[[], bool], process: "subprocess.Popen[str]") -> None:
    while not is_time():
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.0005)
    process.kill()
    process.communicate()


@pytest.mark.slow
def test_a_killed_training_ends_as_one_that_was_not(tmp_path: Path, plant: list[str]) -> None:
    whole, killed = RunFolder(tmp_path / "whole"), RunFolder(tmp_path / "killed")
    done = CliRunner().invoke(app, [*plant, "--out", str(whole.root)])
    assert done.exit_code == 0, done.output
    again = [*plant, "--out", str(killed.root)]
    kill_when(lambda: saves_its_second_checkpoint(killed), start(*again))
    resumed, problems = start(*again).communicate()
    assert resumed, problems
    expected, found = weights(whole), weights(killed)
    assert expected.keys() == found.keys()
    assert all(torch.equal(expected[name], found[name]) for name in expected)
    first, second = (json.loads(run.result.read_text()) for run in (whole, killed))
    assert {key for key in first if first[key] != second[key]} <= {"seconds"}
    rows = json.loads((killed.root / "history.json").read_text())
    steps = [row["step"] for row in rows if "loss" in row]
    assert steps == list(range(1, first["steps"] + 1))
