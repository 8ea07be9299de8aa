"""transformers' trainer for tokenised examples: when it validates and saves, and what it tells on the way."""

import math
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from contracts.errors import ConfigurationError
from golden_lab.training.lora.formatting import IGNORED, TokenisedExample, collate
from golden_lab.training.lora.result import TrainingProgress
from golden_lab.training.recipes.form import TrainingOfRecipe

_OPTIMIZERS = {"adamw": "adamw_torch", "paged-adamw-8bit": "paged_adamw_8bit"}


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


def build_trainer(
    model: Any,
    folder: Path,
    training: TrainingOfRecipe,
    learned: Sequence[TokenisedExample],
    held_out: Sequence[TokenisedExample],
    *,
    pad: int,
    on_progress: Callable[[TrainingProgress], None],
) -> Any:
    """Return a trainer that keeps its checkpoints in ``folder`` and ends with the best weights where it validates.

    Not TRL's: given prompts and completions, it counts the template's line break behind the end mark as learned, puts
    the tokenizer's end mark where the template has another, and cuts what is too long. Of examples that are in tokens
    already it would do what this one does.
    """
    from transformers import EarlyStoppingCallback, PrinterCallback, Trainer

    class TokenTrainer(Trainer):  # type: ignore[misc, unused-ignore]
        """Validates with each counted token weighing the same; no random number is drawn for it."""

        def evaluate(self, *_: Any, **__: Any) -> dict[str, float]:
            metrics = {"eval_loss": mean_loss(model, held_out, batch_size=training.batch_size, pad=pad)}
            self.log(metrics)
            self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, metrics)
            return metrics

    course = Course.plan(training, len(learned))
    callbacks: list[Any] = [_schedule(training, course, validates=bool(held_out), on_progress=on_progress)]
    if training.patience and held_out:
        callbacks.append(EarlyStoppingCallback(early_stopping_patience=training.patience))
    trainer = TokenTrainer(
        model=model,
        args=_arguments(model, folder, training, course, validates=bool(held_out)),
        train_dataset=list(learned),
        eval_dataset=list(held_out) or None,
        data_collator=partial(collate, pad=pad),
        callbacks=callbacks,
    )
    trainer.remove_callback(PrinterCallback)
    return trainer


def _arguments(model: Any, folder: Path, training: TrainingOfRecipe, course: Course, *, validates: bool) -> Any:
    """Return what ``training`` means to the trainer; the callback says when to validate and when to save."""
    from transformers import TrainingArguments

    on_gpu, half = model.device.type == "cuda", half_precision(model)
    warmup = round(training.warmup_share * course.steps)
    arguments = TrainingArguments(
        output_dir=str(folder),
        num_train_epochs=training.epochs,
        per_device_train_batch_size=training.batch_size,
        gradient_accumulation_steps=training.accumulation,
        learning_rate=training.learning_rate,
        lr_scheduler_type="constant_with_warmup" if warmup and training.schedule == "constant" else training.schedule,
        warmup_steps=warmup,
        weight_decay=training.weight_decay,
        max_grad_norm=training.gradient_clipping,
        optim=_OPTIMIZERS[training.optimizer],
        bf16=half == "bfloat16",
        fp16=half == "float16",
        use_cpu=not on_gpu,
        dataloader_pin_memory=on_gpu,
        # Never by themselves: the callback says when.
        eval_strategy="steps" if validates else "no",
        save_strategy="steps",
        eval_steps=course.steps + 1,
        save_steps=course.steps + 1,
        save_total_limit=1,
        load_best_model_at_end=validates,
        metric_for_best_model="eval_loss" if validates else None,
        greater_is_better=False,
        restore_callback_states_from_checkpoint=True,
        logging_strategy="steps",
        logging_steps=1,
        logging_nan_inf_filter=False,
        include_num_input_tokens_seen="non_padding",
        remove_unused_columns=False,
        label_names=["labels"],
        report_to=[],
        disable_tqdm=True,
        seed=training.seed,
        data_seed=training.seed,
    )
    # Several GPUs would multiply the batch behind the recipe's back.
    arguments._n_gpu = min(arguments.n_gpu, 1)
    return arguments


def _schedule(
    training: TrainingOfRecipe, course: Course, *, validates: bool, on_progress: Callable[[TrainingProgress], None]
) -> Any:
    """Return the callback that asks for validations and checkpoints, and tells each step."""
    from transformers import TrainerCallback

    class Schedule(TrainerCallback):  # type: ignore[misc, unused-ignore]
        _began = 0.0
        _last: TrainingProgress | None = None

        def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            self._began = time.monotonic() - float(last_logged(state.log_history, "seconds") or 0.0)

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> Any:
            step = state.global_step
            due = validates and course.validates_after(step, training.evaluations_per_epoch)
            control.should_evaluate = due
            control.should_save = due or step == course.steps or step % training.checkpoint_every_steps == 0
            return control

        def on_log(self, args: Any, state: Any, control: Any, *, logs: Any = None, **_: Any) -> None:
            if not logs or "loss" not in logs:
                return
            step, loss, seconds = state.global_step, float(logs["loss"]), time.monotonic() - self._began
            if not math.isfinite(loss):
                raise ConfigurationError(
                    f"the loss is {loss} after step {step}: the training has diverged; lower training.learning_rate in "
                    'the recipe, or set dtype = "bfloat16" where it is float16'
                )
            state.log_history[-1]["seconds"] = seconds
            self._last = TrainingProgress(
                step=step,
                steps=course.steps,
                epoch=round(float(state.epoch), 4),
                loss=loss,
                learning_rate=float(logs["learning_rate"]),
                tokens_per_s=int(state.num_input_tokens_seen) / max(seconds, 1e-9),
                seconds=seconds,
                seconds_left=seconds / step * (course.steps - step),
            )
            on_progress(self._last)

        def on_evaluate(self, args: Any, state: Any, control: Any, metrics: Any = None, **_: Any) -> None:
            if self._last is not None:
                on_progress(replace(self._last, validation_loss=metrics["eval_loss"]))

    return Schedule()


def last_logged(history: Sequence[dict[str, Any]], name: str) -> Any:
    """Return the last value of ``name`` in a trainer's log; None where there is none."""
    return next((each[name] for each in reversed(history) if name in each), None)


def last_checkpoint(folder: Path) -> Path | None:
    """Return the last whole checkpoint, whose state is written last; remove those that a kill left half-written."""
    import shutil

    whole = []
    for each in folder.glob("checkpoint-*"):
        if (each / "trainer_state.json").is_file():
            whole.append(each)
        else:
            shutil.rmtree(each, ignore_errors=True)
    return max(whole, key=lambda each: int(each.name.rpartition("-")[2]), default=None)


def mean_loss(model: Any, examples: Sequence[TokenisedExample], *, batch_size: int, pad: int) -> float:
    """Return the mean cross entropy, in nats, over all counted tokens of ``examples``: each token weighs the same.

    The model is in the same mode afterwards as before, and no random number is drawn.
    """
    import torch

    trains = model.training
    model.eval()
    total, counted = 0.0, 0
    # Alike lengths beside one another: less padding.
    rows = sorted(examples, key=len)
    try:
        # Not inference_mode: some models keep tensors of a forward pass, which training could not use then.
        with torch.no_grad(), _autocast(model):
            for start in range(0, len(rows), batch_size):
                batch = collate(rows[start : start + batch_size], pad=pad)
                tokens = int((batch["labels"][:, 1:] != IGNORED).sum())
                loss = model(**{key: value.to(model.device) for key, value in batch.items()}).loss
                total += float(loss) * tokens
                counted += tokens
    finally:
        model.train(trains)
    return total / max(counted, 1)


def half_precision(model: Any) -> str:
    """Return "bfloat16" or "float16" where the model computes in it on a GPU, else ""."""
    import torch

    if model.device.type != "cuda":
        return ""
    named = {torch.bfloat16: "bfloat16", torch.float16: "float16"}
    four_bits = getattr(getattr(model, "config", None), "quantization_config", None)
    dtype = getattr(four_bits, "bnb_4bit_compute_dtype", None) or model.dtype
    return named.get(dtype, "")


def _autocast(model: Any) -> AbstractContextManager[Any]:
    """Compute as training does: in half precision on a GPU whose model is in it."""
    import torch

    half = half_precision(model)
    return torch.autocast("cuda", getattr(torch, half) if half else None, enabled=bool(half))
