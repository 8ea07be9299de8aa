"""The folder of one training: where everything of it lies."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class RunFolder:
    """A training's files below ``root``. A training that was killed goes on from what lies here."""

    root: Path

    @property
    def recipe(self) -> Path:
        """The recipe that it follows, as it was at the start."""
        return self.root / "recipe.toml"

    @property
    def data(self) -> Path:
        """What it is trained on: the base model, path and SHA-256 of the file, the ids held out and left out."""
        return self.root / "data.json"

    @property
    def lock(self) -> Path:
        """Held by the process that trains."""
        return self.root / ".lock"

    @property
    def checkpoints(self) -> Path:
        """The states to go on from."""
        return self.root / "checkpoints"

    @property
    def history(self) -> Path:
        """The trainer's state at the end (JSON): ``log_history`` has a row a step and a row a validation."""
        return self.root / "history.json"

    @property
    def adapter(self) -> Path:
        """The weights that were kept, in PEFT's layout, and the tokenizer; there when training has ended."""
        return self.root / "adapter"

    @property
    def result(self) -> Path:
        """How it ended (JSON); written last: where it is, training has ended well."""
        return self.root / "result.json"
