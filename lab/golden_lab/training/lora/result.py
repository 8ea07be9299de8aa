"""How a training goes and how it ended."""

import json
import resource
import sys
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from contracts.errors import NotFound

_LIBRARIES = ("torch", "transformers", "peft", "accelerate", "tokenizers", "safetensors", "bitsandbytes")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingProgress:
    """What stands after a step of the optimizer.

    step: from 1 to ``steps``. epoch: passes over the data. loss: the mean over the counted tokens of the step's batch,
    in nats. validation_loss: the same over what is held out, where it has just been measured (the step is told a second
    time then). tokens_per_s: read tokens, padding not counted. seconds: since the training began, without the time in
    which it did not run. seconds_left: at this pace, to the last epoch.
    """

    step: int
    steps: int
    epoch: float
    loss: float
    learning_rate: float
    tokens_per_s: float
    seconds: float
    seconds_left: float
    validation_loss: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingResult:
    """How a training ended, and on what it ran.

    model: the base model, a name or a folder; revision: the commit of a hub's model, else what the recipe says.
    examples, held_out, left_out: how many were trained on, validated on, and too long. steps: of the optimizer;
    best_step: whose weights were kept. Losses are means over the counted tokens, in nats: the training's of the first
    and of the last step's batch, the validation's before the first step and of the kept weights (None without a
    validation). tokens_read: padding not counted; tokens_learned: those that count in the loss. peak_memory_bytes: of
    the GPU, or of this process without one. versions: of the libraries, by name.
    """

    recipe: str
    model: str
    revision: str
    data_sha256: str
    examples: int
    held_out: int
    left_out: int
    steps: int
    best_step: int
    epochs: float
    stopped_early: bool
    training_loss_before: float
    training_loss_after: float
    validation_loss_before: float | None
    validation_loss_after: float | None
    tokens_read: int
    tokens_learned: int
    seconds: float
    trainable_parameters: int
    total_parameters: int
    device: str
    dtype: str
    peak_memory_bytes: int
    versions: tuple[tuple[str, str], ...]


def write_result(path: Path, result: TrainingResult) -> None:
    """Write a result, whole or not at all."""
    write_json(path, asdict(result) | {"versions": dict(result.versions)})


def read_result(path: Path) -> TrainingResult:
    """Read a result.

    Raises:
        NotFound: there is none: the training has not ended, or not well.
    """
    if not path.is_file():
        raise NotFound(f"{path} is not there: the training has not ended; go on with golden-lab train run --resume")
    values = json.loads(path.read_text("utf-8"))
    return TrainingResult(**values | {"versions": tuple(values["versions"].items())})


def write_json(path: Path, values: object) -> None:
    """Write values as JSON, whole or not at all."""
    unfinished = path.with_name(f".{path.name}.unfinished")
    unfinished.write_text(json.dumps(values, indent=2, ensure_ascii=False) + "\n", "utf-8")
    unfinished.replace(path)


def library_versions() -> tuple[tuple[str, str], ...]:
    """Return the versions of Python and of the libraries that are installed of those that train."""
    found = []
    for name in _LIBRARIES:
        try:
            found.append((name, version(name)))
        except PackageNotFoundError:
            continue
    return (("python", sys.version.partition(" ")[0]), *found)


def peak_memory_bytes(device: Any) -> int:
    """Return the most memory that was taken: of the GPU for tensors, or of this process where there is no GPU."""
    import torch

    if device.type == "cuda":
        return int(torch.cuda.max_memory_allocated(device))
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # In KiB, but for macOS.
    return most if sys.platform == "darwin" else most * 1024
