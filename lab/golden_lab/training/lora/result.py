"""The folder and the result of a training run."""

import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from pydantic import BaseModel

from contracts.errors import NotFound

_LIBRARIES = ("torch", "transformers", "peft", "accelerate", "tokenizers", "safetensors", "bitsandbytes")


class RunFolder:
    """The files of a training run in ``root``; a killed run resumes from them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        # The inputs at the start (see ``Begun``), and the recipe.
        self.begun, self.recipe = root / "begun.json", root / "recipe.toml"
        # The states to resume from.
        self.checkpoints = root / "checkpoints"
        # The best weights, in PEFT's layout, and the tokenizer.
        self.adapter = root / "adapter"
        # The result; written last, so it exists only if the training was completed.
        self.result = root / "result.json"


class Begun(BaseModel, frozen=True):
    """The inputs of a training run, which must not change: the base model, the data file and its SHA-256.

    ``recipe`` is the recipe as text; ``held_out`` and ``left_out`` are the ids of validation and overlong examples.
    """

    model: str
    path: str
    sha256: str
    recipe: str
    held_out: tuple[str, ...]
    left_out: tuple[str, ...]
    validation_loss: float | None


class TrainingResult(BaseModel, frozen=True):
    """The result of a training run, and the machine and libraries used.

    model: the base model, a name or a folder; revision: the commit on the hub, otherwise as in the recipe. examples,
    held_out, left_out: numbers of examples used for training, used for validation, and left out as too long. steps: of
    the optimizer; best_step: the step whose weights were kept. Losses are means, in nats: the training loss on the
    first and on the last batch, the validation loss before the first step and with the kept weights (None without
    validation). seconds: how long the last process ran. versions: of the libraries, by name.
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
    seconds: float
    trainable_parameters: int
    total_parameters: int
    device: str
    versions: dict[str, str]


def read_result(path: Path) -> TrainingResult:
    """Read a result.

    Raises:
        NotFound: there is none, because the training has not ended or has failed.
    """
    if not path.is_file():
        raise NotFound(f"{path} does not exist because training has not ended; golden-lab train run continues it")
    return TrainingResult.model_validate_json(path.read_text("utf-8"))


def write_model(path: Path, values: BaseModel) -> None:
    """Write values atomically as JSON."""
    unfinished = path.with_name(f".{path.name}.unfinished")
    unfinished.write_text(values.model_dump_json(indent=2) + "\n", "utf-8")
    unfinished.replace(path)


def library_versions() -> dict[str, str]:
    """Return the versions of Python and of the installed training libraries."""
    found = {"python": sys.version.partition(" ")[0]}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
