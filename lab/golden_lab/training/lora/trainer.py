"""The trainer from transformers, adapted to tokenised examples."""

import math
import shutil
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from contracts.errors import ConfigurationError
from golden_lab.training.lora.tokens import IGNORED, TokenisedExample, collate
from golden_lab.training.recipes import TrainingOfRecipe

# Called after each step and each validation, with the step, the number of steps, and a line to show.
OnProgress = Callable[[int, int, str], None]
_OPTIMIZERS = {"adamw": "adamw_torch", "paged-adamw-8bit": "paged_adamw_8bit"}


def build_trainer(
    model: Any,
    folder: Path,
    training: TrainingOfRecipe,
    learned: Sequence[TokenisedExample],
    held_out: Sequence[TokenisedExample],
    *,
    pad: int,
    half: str,
    on_progress: OnProgress,
) -> Any:
    """Return a trainer that stores checkpoints in ``folder`` and, if it validates, ends with the best weights.

    ``half`` is "bfloat16" or "float16" if it computes in half precision, otherwise "".

    TRL's trainer is not used: with prompts and completions, it also trains on the template's line break after the end
    token, replaces the template's end token with the tokenizer's, and truncates long examples. For tokenised examples
    it would do the same as this one.
    """
    from transformers import EarlyStoppingCallback, PrinterCallback

    callbacks: list[Any] = [_progress(training, on_progress)]
    if training.patience and held_out:
        callbacks.append(EarlyStoppingCallback(early_stopping_patience=training.patience))
    trainer = _trainer_class()(
        model=model,
        args=_arguments(folder, training, half=half, on_gpu=model.device.type == "cuda", validates=bool(held_out)),
        train_dataset=list(learned),
        eval_dataset=list(held_out) or None,
        data_collator=partial(collate, pad=pad),
        callbacks=callbacks,
    )
    trainer.remove_callback(PrinterCallback)
    return trainer


def _arguments(folder: Path, training: TrainingOfRecipe, *, half: str, on_gpu: bool, validates: bool) -> Any:
    from transformers import TrainingArguments

    arguments = TrainingArguments(
        output_dir=str(folder),
        num_train_epochs=training.epochs,
        per_device_train_batch_size=training.batch_size,
        per_device_eval_batch_size=training.batch_size,
        gradient_accumulation_steps=training.accumulation,
        learning_rate=training.learning_rate,
        lr_scheduler_type=training.schedule,
        weight_decay=training.weight_decay,
        optim=_OPTIMIZERS[training.optimizer],
        bf16=half == "bfloat16",
        fp16=half == "float16",
        use_cpu=not on_gpu,
        dataloader_pin_memory=on_gpu,
        eval_strategy="epoch" if validates else "no",
        save_strategy="epoch",
        save_total_limit=1,
        load_best_model_at_end=validates,
        metric_for_best_model="eval_loss" if validates else None,
        greater_is_better=False,
        prediction_loss_only=True,
        restore_callback_states_from_checkpoint=True,
        logging_strategy="steps",
        logging_steps=1,
        logging_nan_inf_filter=False,
        remove_unused_columns=False,
        label_names=["labels"],
        report_to=[],
        disable_tqdm=True,
        seed=training.seed,
        data_seed=training.seed,
    )
    # Several GPUs would multiply the batch size that the recipe sets.
    arguments._n_gpu = min(arguments.n_gpu, 1)
    return arguments


def _trainer_class() -> Any:
    """Return a subclass of transformers' trainer that computes logits only from the first learned token on.

    Examples have long prompts and short replies, and computing the logits of a large vocabulary takes a third of the
    time with a small model, and gigabytes of memory with a large one.
    """
    import torch
    from transformers import Trainer

    class CompletionTrainer(Trainer):  # type: ignore[misc, unused-ignore]
        def compute_loss(
            self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None
        ) -> Any:
            labels = inputs["labels"]
            # The prediction of the first learned token is at the position before it.
            first = int((labels != IGNORED).any(0).nonzero()[0]) - 1
            rest = {name: value for name, value in inputs.items() if name != "labels"}
            outputs = model(**rest, logits_to_keep=labels.shape[1] - first)
            losses = torch.nn.functional.cross_entropy(
                outputs.logits[:, :-1].flatten(0, 1).float(),
                labels[:, first + 1 :].flatten(),
                ignore_index=IGNORED,
                reduction="mean" if num_items_in_batch is None else "sum",
            )
            loss = losses if num_items_in_batch is None else losses / num_items_in_batch
            return (loss, outputs) if return_outputs else loss

    return CompletionTrainer


def _progress(training: TrainingOfRecipe, on_progress: OnProgress) -> Any:
    """Return the callback that saves between epochs, reports each step, and stops training that has diverged."""
    from transformers import TrainerCallback

    class Progress(TrainerCallback):  # type: ignore[misc, unused-ignore]
        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> Any:
            control.should_save |= state.global_step % training.checkpoint_every_steps == 0
            return control

        def on_log(self, args: Any, state: Any, control: Any, *, logs: Any = None, **_: Any) -> None:
            step, loss = state.global_step, (logs or {}).get("loss")
            if loss is not None and not math.isfinite(loss):
                raise ConfigurationError(
                    f"the loss is {loss} after step {step}: the training has diverged; lower training.learning_rate in "
                    'the recipe, or set dtype = "bfloat16" if it is float16'
                )
            for name, label in (("loss", "loss"), ("eval_loss", "validation loss")):
                if name in (logs or {}) and state.max_steps:
                    told = f"epoch {state.epoch:.2f} · step {step}/{state.max_steps} · {label} {logs[name]:.4f}"
                    on_progress(step, state.max_steps, told)

    return Progress()


def last_checkpoint(folder: Path) -> Path | None:
    """Return the last complete checkpoint (its state is written last); remove incomplete ones, left by a killed run."""
    whole = []
    for each in folder.glob("checkpoint-*"):
        if (each / "trainer_state.json").is_file():
            whole.append(each)
        else:
            shutil.rmtree(each, ignore_errors=True)
    return max(whole, key=lambda each: int(each.name.rpartition("-")[2]), default=None)
