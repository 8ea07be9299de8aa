"""The begin of a run and its resumption: what it was begun with is written down, and must not change."""

import fcntl
import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contracts.errors import Conflict
from golden_lab.training.data.examples import TrainingExample
from golden_lab.training.recipes.form import Recipe, load_recipe
from golden_lab.training.run_folder import RunFolder


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSource:
    """Where examples are from: the ``path`` of their file ("" for none) and the SHA-256 of its bytes."""

    path: str
    sha256: str

    @classmethod
    def of_file(cls, path: Path) -> "DataSource":
        """Digest a file."""
        with path.open("rb") as file:
            return cls(path=str(path.resolve()), sha256=hashlib.file_digest(file, "sha256").hexdigest())

    @classmethod
    def of_examples(cls, examples: Sequence[TrainingExample]) -> "DataSource":
        """Digest examples that are from no file."""
        lines = b"".join(each.model_dump_json().encode() + b"\n" for each in examples)
        return cls(path="", sha256=hashlib.sha256(lines).hexdigest())


@contextmanager
def sole_run(run: RunFolder) -> Iterator[None]:
    """Own the folder of a run as long as this lasts.

    Raises:
        Conflict: another process is at work in it.
    """
    run.root.mkdir(parents=True, exist_ok=True)
    with run.lock.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Conflict(f"another process trains in {run.root}: wait for it, or choose another folder") from error
        yield


def base_of(run: RunFolder, recipe: Recipe, source: DataSource, *, model: str, resume: bool) -> str:
    """See that a run can begin or go on, and return the name of its base model; nothing is written.

    ``model`` is "" for the recipe's, or for the one that the run was begun with.

    Raises:
        Conflict: the run has ended; or it has begun and is not to be resumed; or recipe, data or model are others than
            those that it was begun with; the text names what differs.
    """
    if run.result.is_file():
        raise Conflict(f"the training in {run.root} has ended (result.json is there): choose another folder")
    if not run.data.is_file():
        return _absolute(model or recipe.model.name)
    if not resume:
        raise Conflict(f"a training has begun in {run.root}: go on with --resume, or choose another folder")
    begun = json.loads(run.data.read_text("utf-8"))
    before, now = load_recipe(run.recipe).model_dump(), recipe.model_dump()
    changed = [_told(key, before[key], now[key]) for key in now if before[key] != now[key]]
    if changed:
        raise Conflict(
            f"the training in {run.root} was begun with another recipe ({'; '.join(changed)}): resume it with "
            f"{run.recipe}, or choose another folder"
        )
    if begun["sha256"] != source.sha256:
        raise Conflict(
            f"the data have changed since the training in {run.root} began: {source.path or 'the examples'} had the "
            f"SHA-256 {begun['sha256'][:12]}…, and has {source.sha256[:12]}… now; bring the file back, or choose "
            "another folder"
        )
    if model and _absolute(model) != begun["model"]:
        raise Conflict(
            f"the training in {run.root} was begun on the model {begun['model']}, not on {model}: choose another folder"
        )
    return str(begun["model"])


def _told(key: str, before: Any, now: Any) -> str:
    if not isinstance(now, dict):
        return f"{key} was {before!r}, is {now!r}"
    return "; ".join(
        f"{key}.{name} was {before[name]!r}, is {now[name]!r}" for name in now if before[name] != now[name]
    )


def _absolute(model: str) -> str:
    return str(Path(model).resolve()) if Path(model).is_dir() else model
