"""A training, from examples to the weights of an adapter."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from golden_lab.training.data.examples import TrainingExample
from golden_lab.training.lora.beginning import DataSource, see_that_it_can_begin, sole_run, write_begin
from golden_lab.training.lora.checkpoints import Checkpoints, Standing
from golden_lab.training.lora.ending import finish, result_of
from golden_lab.training.lora.failures import in_plain_words
from golden_lab.training.lora.formatting import collate
from golden_lab.training.lora.lesson import Lesson, prepare, see_that_it_can_be_trained
from golden_lab.training.lora.loading import require_training_packages, without_warnings_of_renaming
from golden_lab.training.lora.pacing import Course, Pace, callback_of
from golden_lab.training.lora.progress import ProgressLog, TrainingProgress
from golden_lab.training.lora.result import TrainingResult
from golden_lab.training.lora.validation import half_precision, mean_loss
from golden_lab.training.recipes.form import Recipe, TrainingOfRecipe
from golden_lab.training.run_folder import RunFolder

_OPTIMIZERS = {"adamw": "adamw_torch", "paged-adamw-8bit": "paged_adamw_8bit"}


def train(
    recipe: Recipe,
    examples: Sequence[TrainingExample],
    folder: Path,
    *,
    model: str = "",
    resume: bool = False,
    source: DataSource | None = None,
    on_progress: Callable[[TrainingProgress], None] | None = None,
) -> TrainingResult:
    """Train an adapter as ``recipe`` says, into ``folder`` (see ``RunFolder``). Blocking, for seconds or for hours.

    model: a folder, or a name on a hub, instead of the recipe's. resume: go on with a training that was killed, from
    its last checkpoint; it ends with the weights that it would have ended with. source: the file that the examples are
    from. on_progress: told after each step of the optimizer.

    Raises:
        InvalidInput: an example cannot be trained on, or none is left, or none can be held out.
        ConfigurationError: packages or a GPU are missing, the model cannot be loaded or has no chat template or none of
            the layers, the training diverges or needs more memory than there is.
        Conflict: the run has ended, or goes on in another process, or was begun with something else.
        Unavailable: the disk is full; what was trained so far can be resumed.
    """
    require_training_packages()
    see_that_it_can_be_trained(recipe, examples)
    run = RunFolder(folder)
    origin = source or DataSource.of_examples(examples)
    with sole_run(run), in_plain_words(run):
        base = see_that_it_can_begin(run, recipe, origin, model=model, resume=resume)
        lesson = prepare(recipe, examples, base)
        held_out = [each.id for each in lesson.held_out]
        write_begin(run, recipe, origin, model=base, held_out=held_out, left_out=lesson.left_out)
        standing = _run(run, recipe, lesson, on_progress)
        result = result_of(recipe, lesson, standing, sha256=origin.sha256)
        finish(run, lesson, standing, result)
    return result


def _run(
    run: RunFolder, recipe: Recipe, lesson: Lesson, on_progress: Callable[[TrainingProgress], None] | None
) -> Standing:
    """Train from the last whole checkpoint, or from the begin; return how far it came."""
    checkpoints = Checkpoints(run.checkpoints)
    checkpoints.clear_unfinished()
    found = checkpoints.newest()
    course = Course.plan(recipe.training, len(lesson.learned))
    validate = (
        partial(mean_loss, lesson.model, lesson.held_out, batch_size=recipe.training.batch_size, pad=lesson.pad)
        if lesson.held_out
        else None
    )
    standing = found[1] if found else Standing(validation_loss_before=validate() if validate else None)
    if standing.stopped or standing.step >= course.steps:
        return standing
    log = ProgressLog(run.progress, keep_to=standing.step)

    def tell(progress: TrainingProgress) -> None:
        log.add(progress)
        if on_progress is not None:
            on_progress(progress)

    pace = Pace(
        training=recipe.training,
        course=course,
        checkpoints=checkpoints,
        standing=standing,
        validate=validate,
        tell=tell,
    )
    try:
        with without_warnings_of_renaming():
            trainer = _trainer(run, recipe.training, lesson, course, pace)
            trainer.train(resume_from_checkpoint=str(found[0]) if found else None)
    finally:
        log.close()
    return pace.standing


def _trainer(run: RunFolder, training: TrainingOfRecipe, lesson: Lesson, course: Course, pace: Pace) -> Any:
    """Return transformers' trainer for a lesson.

    Not TRL's: given prompts and completions, it counts the template's line break behind the end mark as learned, puts
    the tokenizer's end mark where the template has another, and cuts what is too long. Of examples that are in tokens
    already it would do what this one does.
    """
    from transformers import PrinterCallback, Trainer, TrainingArguments

    on_gpu = lesson.model.device.type == "cuda"
    half = half_precision(lesson.model)
    warmup = round(training.warmup_share * course.steps)
    arguments = TrainingArguments(
        output_dir=str(run.checkpoints),
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
        # Pace says when to validate and when to save.
        eval_strategy="no",
        save_strategy="no",
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
    trainer = Trainer(
        model=lesson.model,
        args=arguments,
        train_dataset=list(lesson.learned),
        data_collator=partial(collate, pad=lesson.pad),
        callbacks=[callback_of(pace)],
    )
    trainer.remove_callback(PrinterCallback)
    return trainer
