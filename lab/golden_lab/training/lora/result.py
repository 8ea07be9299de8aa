"""How a training ended."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from contracts.errors import NotFound


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
    values = asdict(result) | {"versions": dict(result.versions)}
    write_json(path, values)


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
