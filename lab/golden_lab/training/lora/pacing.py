"""What is done between the steps: validation, checkpoints, stopping early, telling how far it is."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from contracts.errors import ConfigurationError
from golden_lab.training.lora.checkpoints import Checkpoints, Standing
from golden_lab.training.lora.progress import TrainingProgress
from golden_lab.training.recipes.form import TrainingOfRecipe


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """How long a training is: steps of the optimizer in an epoch, and in all."""

    steps_per_epoch: int
    steps: int

    @classmethod
    def plan(cls, training: TrainingOfRecipe, examples: int) -> "Course":
        """Count the steps for so many examples; the last batch of an epoch may be smaller."""
        per_epoch = math.ceil(math.ceil(examples / training.batch_size) / training.accumulation)
        return cls(steps_per_epoch=per_epoch, steps=math.ceil(training.epochs * per_epoch))

    def validates_after(self, step: int, evaluations_per_epoch: int) -> bool:
        """Say whether a validation is due: so often in an epoch, and at the end."""

        def passed(at: int) -> int:
            return at * evaluations_per_epoch // self.steps_per_epoch

        return step == self.steps or passed(step) > passed(step - 1)


class Pace:
    """Keeps a training's pace: after each step it validates, keeps the best weights, stops early, asks for a save."""

    def __init__(
        self,
        *,
        training: TrainingOfRecipe,
        course: Course,
        checkpoints: Checkpoints,
        standing: Standing,
        validate: Callable[[], float] | None,
        tell: Callable[[TrainingProgress], None],
    ) -> None:
        self.standing = standing
        self._training = training
        self._course = course
        self._checkpoints = checkpoints
        self._validate = validate
        self._tell = tell
        self._validation_loss: float | None = None
        self._began = time.monotonic()
        self._seconds_before = standing.seconds
        self._tokens_before = standing.tokens_read

    def begin(self) -> None:
        """Start the clock: what was loaded before does not count."""
        self._began = time.monotonic()

    def after_step(self, step: int, model: Any) -> tuple[bool, bool]:
        """Validate where it is due; return whether to save a checkpoint, and whether to stop."""
        self._validation_loss = None
        self.standing = replace(self.standing, step=step)
        due = bool(self._validate) and self._course.validates_after(step, self._training.evaluations_per_epoch)
        if due:
            self._judge(model)
        save = due or step == self._course.steps or step % self._training.checkpoint_every_steps == 0
        return save, self.standing.stopped

    def _judge(self, model: Any) -> None:
        assert self._validate is not None
        loss = self._validation_loss = self._validate()
        best = self.standing.best_loss
        if best is None or loss < best:
            self.standing = replace(self.standing, best_loss=loss, best_step=self.standing.step, without_gain=0)
            self._checkpoints.keep_best(model, self.standing)
            return
        without_gain = self.standing.without_gain + 1
        stopped = bool(self._training.patience) and without_gain >= self._training.patience
        self.standing = replace(self.standing, without_gain=without_gain, stopped=stopped)

    def after_log(self, *, loss: float, learning_rate: float, epoch: float, tokens_read: int) -> None:
        """Take note of a step's loss, and tell it.

        Raises:
            ConfigurationError: the loss is no number any more: the training has diverged.
        """
        step = self.standing.step
        if not math.isfinite(loss):
            raise ConfigurationError(
                f"the loss is {loss} after step {step}: the training has diverged; lower training.learning_rate in the "
                'recipe, or set dtype = "bfloat16" where it is float16'
            )
        began = self.standing.training_loss_before
        seconds = self._seconds_before + time.monotonic() - self._began
        self.standing = replace(
            self.standing,
            training_loss_before=loss if began is None else began,
            training_loss_after=loss,
            tokens_read=tokens_read,
            seconds=seconds,
        )
        self._tell(
            TrainingProgress(
                step=step,
                steps=self._course.steps,
                epoch=round(epoch, 4),
                loss=loss,
                learning_rate=learning_rate,
                tokens_per_s=tokens_read / max(seconds, 1e-9),
                seconds=seconds,
                seconds_left=seconds / step * (self._course.steps - step),
                validation_loss=self._validation_loss,
            )
        )

    def after_save(self) -> None:
        """Mark the checkpoint, which is written now, as whole."""
        self._checkpoints.complete(self.standing)


def callback_of(pace: Pace) -> Any:
    """Return ``pace`` as a callback of transformers' trainer."""
    from transformers import TrainerCallback

    class PaceCallback(TrainerCallback):  # type: ignore[misc, unused-ignore]
        def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            pace.begin()

        def on_step_end(self, args: Any, state: Any, control: Any, *, model: Any = None, **_: Any) -> Any:
            save, stop = pace.after_step(state.global_step, model)
            control.should_save = control.should_save or save
            control.should_training_stop = control.should_training_stop or stop
            return control

        def on_log(self, args: Any, state: Any, control: Any, *, logs: Any = None, **_: Any) -> None:
            if logs and "loss" in logs:
                pace.after_log(
                    loss=float(logs["loss"]),
                    learning_rate=float(logs["learning_rate"]),
                    epoch=float(state.epoch),
                    tokens_read=int(state.num_input_tokens_seen),
                )

        def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            pace.after_save()

    return PaceCallback()
