"""A training, from examples to the weights of an adapter."""

import errno
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from contracts.errors import ConfigurationError, Conflict, GoldenError, InvalidInput, Unavailable
from golden_lab.training.data.examples import TrainingExample
from golden_lab.training.lora.formatting import ExampleTokeniser, TokenisedExample, hold_out, tokenise_all
from golden_lab.training.lora.loading import (
    add_lora,
    load_base,
    load_tokenizer,
    require_gpu_packages,
    require_training_packages,
    without_warnings_of_renaming,
)
from golden_lab.training.lora.result import (
    TrainingProgress,
    TrainingResult,
    library_versions,
    peak_memory_bytes,
    write_json,
    write_result,
)
from golden_lab.training.lora.run_begin import DataSource, base_of, sole_run
from golden_lab.training.lora.trainer import Course, build_trainer, last_checkpoint, last_logged, mean_loss
from golden_lab.training.recipes.form import Recipe, recipe_text
from golden_lab.training.run_folder import RunFolder

# Of torch and of safetensors, which write on their own and tell of a full disk in a text only.
_SIGNS_OF_NO_SPACE = ("No space left", "File too large", "Disk quota", "PytorchStreamWriter", "inline_container")


def train(
    recipe: Recipe,
    examples: Sequence[TrainingExample],
    folder: Path,
    *,
    model: str = "",
    resume: bool = False,
    source: DataSource | None = None,
    on_progress: Callable[[TrainingProgress], None] = lambda _: None,
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
    _check(recipe, examples)
    run = RunFolder(folder)
    origin = source or DataSource.of_examples(examples)
    with sole_run(run), _plain_errors(run), without_warnings_of_renaming():
        base = base_of(run, recipe, origin, model=model, resume=resume)
        lesson = _Lesson(recipe, examples, base)
        begun = _begin(run, recipe, origin, lesson)
        trainer = build_trainer(
            lesson.model, run.checkpoints, recipe.training, lesson.learned, lesson.held_out,
            pad=lesson.pad, on_progress=on_progress,
        )  # fmt: skip
        found = last_checkpoint(run.checkpoints)
        trainer.train(resume_from_checkpoint=str(found) if found else None)
        result = _result_of(recipe, lesson, trainer.state, origin.sha256, begun["validation_loss_before"])
        _finish(run, lesson, trainer, result)
    return result


def _check(recipe: Recipe, examples: Sequence[TrainingExample]) -> None:
    """See, before anything is loaded, that recipe and machine fit, and that the examples have ids of their own."""
    for what, needed, instead in (
        ('quantization = "nf4"', recipe.model.quantization == "nf4", 'quantization = "none" and optimizer = "adamw"'),
        (
            'optimizer = "paged-adamw-8bit"',
            recipe.training.optimizer == "paged-adamw-8bit",
            'optimizer = "adamw"',
        ),
    ):
        if needed:
            require_gpu_packages(what, instead=f"set {instead} in a recipe of your own")
    seen: set[str] = set()
    for each in examples:
        if each.id in seen:
            raise InvalidInput(f"two examples have the id {each.id!r}: give each its own", field="data")
        seen.add(each.id)


class _Lesson:
    """A model with new matrices, the examples that it learns or is validated on, and the ids of those left out."""

    learned: tuple[TokenisedExample, ...]
    held_out: tuple[TokenisedExample, ...]

    def __init__(self, recipe: Recipe, examples: Sequence[TrainingExample], base: str) -> None:
        from transformers import set_seed

        training = recipe.training
        self.base = base
        # A name of a hub has a revision; of another model than the recipe's, that is not known.
        revision = recipe.model.revision if base == recipe.model.name else "main"
        self.tokenizer = load_tokenizer(base, revision=revision)
        loaded = load_base(base, revision=revision, dtype=recipe.model.dtype, quantization=recipe.model.quantization)
        stops = getattr(loaded.generation_config, "eos_token_id", None) or []
        tokeniser = ExampleTokeniser(self.tokenizer, stops=stops if isinstance(stops, list) else [stops])
        most = getattr(loaded.config, "max_position_embeddings", None) or training.max_tokens
        tokenised, self.left_out = tokenise_all(tokeniser, examples, max_tokens=min(training.max_tokens, most))
        groups = {each.id: each.held_out_with for each in examples}
        self.learned, self.held_out = hold_out(
            tokenised, [groups[each.id] for each in tokenised], share=training.validation_share, seed=training.seed
        )
        set_seed(training.seed)
        self.model = add_lora(loaded, recipe.lora, gradient_checkpointing=training.gradient_checkpointing)
        self.revision = getattr(loaded.config, "_commit_hash", None) or revision
        pad = self.tokenizer.pad_token_id
        self.pad: int = pad if pad is not None else self.tokenizer.eos_token_id


def _begin(run: RunFolder, recipe: Recipe, source: DataSource, lesson: _Lesson) -> dict[str, Any]:
    """Write down what a run begins with, or return what it was begun with."""
    division = {"held_out": [each.id for each in lesson.held_out], "left_out": list(lesson.left_out)}
    if run.data.is_file():
        begun: dict[str, Any] = json.loads(run.data.read_text("utf-8"))
        if any(begun[key] != division[key] for key in division):
            raise Conflict(
                f"the tokenizer or the chat template of the model {lesson.base} has changed since the training in "
                f"{run.root} began, and other examples are too long now; bring the model back, or choose another folder"
            )
        return begun
    before = (
        mean_loss(lesson.model, lesson.held_out, batch_size=recipe.training.batch_size, pad=lesson.pad)
        if lesson.held_out
        else None
    )
    begun = {"model": lesson.base, "path": source.path, "sha256": source.sha256, **division}
    begun["validation_loss_before"] = before
    run.recipe.write_text(recipe_text(recipe), "utf-8")
    # Last: where it is, the run has begun.
    write_json(run.data, begun)
    return begun


def _result_of(
    recipe: Recipe, lesson: _Lesson, state: Any, sha256: str, validation_loss_before: float | None
) -> TrainingResult:
    trainable, total = lesson.model.get_nb_trainable_parameters()
    course = Course.plan(recipe.training, len(lesson.learned))
    losses = [each["loss"] for each in state.log_history if "loss" in each]
    seen = state.global_step / course.steps_per_epoch
    return TrainingResult(
        recipe=recipe.name,
        model=lesson.base,
        revision=lesson.revision,
        data_sha256=sha256,
        examples=len(lesson.learned),
        held_out=len(lesson.held_out),
        left_out=len(lesson.left_out),
        steps=state.global_step,
        best_step=state.best_global_step if lesson.held_out else state.global_step,
        epochs=round(seen, 4),
        stopped_early=state.global_step < course.steps,
        training_loss_before=losses[0],
        training_loss_after=losses[-1],
        validation_loss_before=validation_loss_before,
        validation_loss_after=state.best_metric if lesson.held_out else None,
        tokens_read=int(state.num_input_tokens_seen),
        tokens_learned=round(seen * sum(len(each.completion) for each in lesson.learned)),
        seconds=round(float(last_logged(state.log_history, "seconds") or 0.0), 3),
        trainable_parameters=trainable,
        total_parameters=total,
        device=str(lesson.model.device),
        dtype=str(lesson.model.dtype).removeprefix("torch."),
        peak_memory_bytes=peak_memory_bytes(lesson.model.device),
        versions=library_versions(),
    )


def _finish(run: RunFolder, lesson: _Lesson, trainer: Any, result: TrainingResult) -> None:
    """Put the weights that are kept into their place, then the result, then remove what is not needed any more."""
    unfinished = run.adapter.with_name("adapter.unfinished")
    for stale in (unfinished, run.adapter):
        shutil.rmtree(stale, ignore_errors=True)
    lesson.model.save_pretrained(str(unfinished))
    lesson.tokenizer.save_pretrained(str(unfinished))
    unfinished.rename(run.adapter)
    trainer.state.save_to_json(str(run.history))
    write_result(run.result, result)
    shutil.rmtree(run.checkpoints, ignore_errors=True)


@contextmanager
def _plain_errors(run: RunFolder) -> Iterator[None]:
    """Turn what the libraries raise for lack of memory or disk into errors for people."""
    import torch
    from safetensors import SafetensorError

    try:
        yield
    except GoldenError:
        raise
    except torch.OutOfMemoryError as error:
        raise ConfigurationError(
            "the GPU has too little memory for this training: in a recipe of your own, halve batch_size and double "
            'accumulation (the effective batch stays), lower max_tokens, or set quantization = "nf4"; then begin in '
            "another folder"
        ) from error
    except (OSError, RuntimeError, SafetensorError) as error:
        full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        if not full and not any(sign in str(error) for sign in _SIGNS_OF_NO_SPACE):
            raise
        raise Unavailable(
            f"there is no space left to write to in {run.root}: make some, then go on with --resume from the last "
            "checkpoint"
        ) from error
