"""The states that a killed training goes on from: each is whole, or is not there."""

import json
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

from golden_lab.training.lora.result import write_json

_MARK = "whole.json"
_WEIGHTS = ("adapter_config.json", "adapter_model.safetensors")


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How far a training is, besides what its weights, optimizer, schedule and random numbers say.

    best_loss: the least validation loss, after ``best_step`` (0: none yet). without_gain: the validations since then.
    """

    step: int = 0
    seconds: float = 0.0
    best_step: int = 0
    best_loss: float | None = None
    without_gain: int = 0
    stopped: bool = False
    training_loss_before: float | None = None
    training_loss_after: float | None = None
    validation_loss_before: float | None = None
    tokens_read: int = 0


class Checkpoints:
    """The folder of checkpoints.

    transformers writes a checkpoint file by file; a mark, written last and at once, says that it is whole. Only then
    the older ones go. Best weights lie beside, in a folder that is renamed into its place.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def newest(self) -> tuple[Path, Standing] | None:
        """Return the last whole checkpoint and how far it is; None: there is none."""
        marks = sorted(self._folder.glob(f"checkpoint-*/{_MARK}"), key=lambda each: _step(each.parent))
        if not marks:
            return None
        return marks[-1].parent, Standing(**json.loads(marks[-1].read_text("utf-8")))

    def complete(self, standing: Standing) -> None:
        """Mark the checkpoint of this step as whole, and remove what is not needed any more."""
        folder = self._folder / f"checkpoint-{standing.step}"
        write_json(folder / _MARK, asdict(standing))
        self._remove_all_but({folder, self.best(standing)})

    def clear_unfinished(self) -> None:
        """Remove what a kill left half-written."""
        found = self.newest()
        self._remove_all_but({found[0], self.best(found[1])} if found else set())

    def best(self, standing: Standing) -> Path:
        """Return the folder of the best weights."""
        return self._folder / f"best-{standing.best_step}"

    def keep_best(self, model: object, standing: Standing) -> None:
        """Write the weights of an adapter as the best ones."""
        unfinished = self._folder / "best-unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        model.save_pretrained(str(unfinished))  # type: ignore[attr-defined]
        place = self.best(standing)
        shutil.rmtree(place, ignore_errors=True)
        unfinished.rename(place)

    def _remove_all_but(self, kept: set[Path]) -> None:
        for each in self._folder.glob("*"):
            if each not in kept:
                shutil.rmtree(each, ignore_errors=True)


def copy_weights(source: Path, target: Path) -> None:
    """Copy an adapter's weights and their configuration; nothing else that stands beside them."""
    target.mkdir(parents=True, exist_ok=True)
    for name in _WEIGHTS:
        shutil.copyfile(source / name, target / name)


def _step(folder: Path) -> int:
    return int(folder.name.rpartition("-")[2])
