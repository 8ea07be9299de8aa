"""A training as it is watched: a bar on a terminal, a line now and then on a pipe."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn

if TYPE_CHECKING:
    from golden_lab.training.lora.result import TrainingProgress

# On a pipe: a line that often, and one for each validation.
_PLAIN_EVERY_S = 10.0


@contextmanager
def watching(console: Console) -> Iterator[Callable[["TrainingProgress"], None]]:
    """Give what shows a training's steps on ``console``."""
    if not console.is_terminal:
        yield _plain(console)
        return
    with Progress(
        TextColumn("[bold]training"), BarColumn(bar_width=24), TextColumn("{task.description}"), console=console
    ) as bar:
        task = bar.add_task("loading", total=None)
        validated = ""

        def show(progress: "TrainingProgress") -> None:
            nonlocal validated
            if progress.validation_loss is not None:
                validated = f" · validation {progress.validation_loss:.4f}"
            told = escape(progress_line(progress, validated=validated))
            bar.update(task, total=progress.steps, completed=progress.step, description=told)

        yield show


def _plain(console: Console) -> Callable[["TrainingProgress"], None]:
    last = -_PLAIN_EVERY_S

    def show(progress: "TrainingProgress") -> None:
        nonlocal last
        validated = progress.validation_loss is not None
        if validated or progress.step == progress.steps or time.monotonic() - last >= _PLAIN_EVERY_S:
            last = time.monotonic()
            told = f" · validation {progress.validation_loss:.4f}" if validated else ""
            console.print(progress_line(progress, validated=told), markup=False, soft_wrap=True)

    return show


def progress_line(progress: "TrainingProgress", *, validated: str = "") -> str:
    """Return a step in a line; ``validated`` is what stands there of the validation."""
    left = timedelta(seconds=round(progress.seconds_left))
    return (
        f"epoch {progress.epoch:.2f} · step {progress.step}/{progress.steps} · loss {progress.loss:.4f}{validated} · "
        f"{progress.tokens_per_s:.0f} tokens/s · {left} left"
    )
