"""A training run, from examples to the weights of an adapter."""

import hashlib
import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contracts.errors import ConfigurationError, Conflict, InvalidInput
from golden_lab.training.data.examples import TrainingExample
from golden_lab.training.lora.models import (
    add_lora,
    load_base,
    load_tokenizer,
    quiet_libraries,
    require_packages,
)
from golden_lab.training.lora.result import Begun, RunFolder, TrainingResult, library_versions, write_model
from golden_lab.training.lora.tokens import ExampleTokeniser, TokenisedExample, hold_out, tokenise_all
from golden_lab.training.lora.trainer import OnProgress, build_trainer, last_checkpoint
from golden_lab.training.recipes import BaseModelOfRecipe, Recipe, recipe_text


@dataclass(frozen=True, kw_only=True)
class _Lesson:
    """A model with new matrices, its training and validation examples, and the ids of those left out."""

    model: Any
    tokenizer: Any
    revision: str
    learned: tuple[TokenisedExample, ...]
    held_out: tuple[TokenisedExample, ...]
    left_out: tuple[str, ...]


def train(
    recipe: Recipe,
    examples: Sequence[TrainingExample],
    folder: Path,
    *,
    model: str = "",
    source: Path | None = None,
    on_progress: OnProgress = lambda step, steps, told: None,
) -> TrainingResult:
    """Train an adapter according to ``recipe`` in ``folder`` (see ``RunFolder``). Blocks for seconds to hours.

    A killed training run continues from its last checkpoint when this is called again, and ends with the same weights
    as an uninterrupted run. model: a folder, a GGUF file, or a name on a hub, instead of the recipe's. source: the file
    with the examples.

    Raises:
        InvalidInput: an example cannot be used for training, no example is left, or none can be held out.
        ConfigurationError: packages or a GPU are missing, the model cannot be loaded or lacks a chat template or the
            target layers, or training diverges or runs out of memory.
        Conflict: the run has ended, or was started with other inputs.
    """
    require_packages(recipe)
    import torch
    from transformers import set_seed

    _refuse_doubles(examples)
    run, name = RunFolder(folder), model or recipe.model.name
    name = str(Path(name).resolve()) if Path(name).exists() else name
    begun = _begun(run, recipe, _digest(examples, source), name)
    # If a different model is used, its revision is unknown.
    base = (
        recipe.model
        if name == recipe.model.name
        else recipe.model.model_copy(update={"name": name, "revision": "main"})
    )
    try:
        with quiet_libraries():
            lesson = _prepare(recipe, base, examples)
            trainer = build_trainer(
                lesson.model, run.checkpoints, recipe.training, lesson.learned, lesson.held_out,
                pad=_pad(lesson.tokenizer), half=_half(lesson.model, base), on_progress=on_progress,
            )  # fmt: skip
            if begun is None:
                begun = _begin(run, recipe, lesson, trainer, _digest(examples, source), name, source)
            found = last_checkpoint(run.checkpoints)
            set_seed(recipe.training.seed)
            output = trainer.train(resume_from_checkpoint=str(found) if found else None)
            return _finish(run, recipe, lesson, trainer.state, begun, seconds=output.metrics["train_runtime"])
    except torch.OutOfMemoryError as error:
        raise ConfigurationError(
            "the GPU has too little memory for this training: in your own recipe, halve batch_size and double "
            'accumulation (the effective batch stays the same), lower max_tokens, or set quantization = "nf4"; then '
            "start in a different folder"
        ) from error


def _refuse_doubles(examples: Sequence[TrainingExample]) -> None:
    seen: set[str] = set()
    for each in examples:
        if each.id in seen:
            raise InvalidInput(f"two examples have the id {each.id!r}: ids must be unique", field="data")
        seen.add(each.id)


def _digest(examples: Sequence[TrainingExample], source: Path | None) -> str:
    if source is not None:
        return hashlib.sha256(source.read_bytes()).hexdigest()
    return hashlib.sha256(b"\n".join(each.model_dump_json().encode() for each in examples)).hexdigest()


def _begun(run: RunFolder, recipe: Recipe, sha256: str, model: str) -> Begun | None:
    """Return the inputs of the training run in a folder; None if it has not started.

    Raises:
        Conflict: it has ended, or was started with a different recipe, data or model; the message says which.
    """
    if run.result.is_file():
        raise Conflict(f"the training in {run.root} has ended (result.json is there): choose another folder")
    if not run.begun.is_file():
        return None
    begun = Begun.model_validate_json(run.begun.read_text("utf-8"))
    now = {"recipe": recipe_text(recipe), "data": sha256, "model": model}
    before = {"recipe": begun.recipe, "data": begun.sha256, "model": begun.model}
    changed = [name for name in now if now[name] != before[name]]
    if changed:
        raise Conflict(
            f"the training in {run.root} was started with a different {' and '.join(changed)} (see {run.begun.name}): "
            "restore what was used, or choose another folder"
        )
    return begun


def _prepare(recipe: Recipe, base: BaseModelOfRecipe, examples: Sequence[TrainingExample]) -> _Lesson:
    from transformers import set_seed

    training = recipe.training
    tokenizer, loaded = load_tokenizer(base.name, revision=base.revision), load_base(base)
    stops = getattr(loaded.generation_config, "eos_token_id", None) or []
    tokeniser = ExampleTokeniser(tokenizer, stops=stops if isinstance(stops, list) else [stops])
    most = getattr(loaded.config, "max_position_embeddings", None) or training.max_tokens
    tokenised, left_out = tokenise_all(tokeniser, examples, max_tokens=min(training.max_tokens, most))
    groups = {each.id: each.held_out_with for each in examples}
    learned, held_out = hold_out(
        tokenised, [groups[each.id] for each in tokenised], share=training.validation_share, seed=training.seed
    )
    set_seed(training.seed)
    return _Lesson(
        model=add_lora(loaded, recipe.lora, gradient_checkpointing=training.gradient_checkpointing),
        tokenizer=tokenizer,
        revision=getattr(loaded.config, "_commit_hash", None) or base.revision,
        learned=learned,
        held_out=held_out,
        left_out=left_out,
    )


def _pad(tokenizer: Any) -> int:
    pad = tokenizer.pad_token_id
    return int(pad if pad is not None else tokenizer.eos_token_id)


def _half(model: Any, base: BaseModelOfRecipe) -> str:
    """Return "bfloat16" or "float16" if the model computes in it on a GPU, else ""."""
    if model.device.type != "cuda":
        return ""
    stored = "bfloat16" if base.quantization == "nf4" else str(model.dtype).removeprefix("torch.")
    dtype = stored if base.dtype == "auto" else base.dtype
    return "" if dtype == "float32" else dtype


def _begin(
    run: RunFolder, recipe: Recipe, lesson: _Lesson, trainer: Any, sha256: str, model: str, source: Path | None
) -> Begun:
    """Store the inputs of a run."""
    begun = Begun(
        model=model,
        path=str(source.resolve()) if source else "",
        sha256=sha256,
        recipe=recipe_text(recipe),
        held_out=tuple(each.id for each in lesson.held_out),
        left_out=lesson.left_out,
        validation_loss=trainer.evaluate()["eval_loss"] if lesson.held_out else None,
    )
    run.root.mkdir(parents=True, exist_ok=True)
    run.recipe.write_text(recipe_text(recipe), "utf-8")
    # Written last: if it exists, the run has started.
    write_model(run.begun, begun)
    return begun


def _finish(
    run: RunFolder, recipe: Recipe, lesson: _Lesson, state: Any, begun: Begun, *, seconds: float
) -> TrainingResult:
    """Store the weights to keep, then the result, and remove files that are no longer needed."""
    trainable, total = lesson.model.get_nb_trainable_parameters()
    losses = [each["loss"] for each in state.log_history if "loss" in each]
    result = TrainingResult(
        recipe=recipe.name,
        model=begun.model,
        revision=lesson.revision,
        data_sha256=begun.sha256,
        examples=len(lesson.learned),
        held_out=len(lesson.held_out),
        left_out=len(lesson.left_out),
        steps=state.global_step,
        best_step=state.best_global_step if lesson.held_out else state.global_step,
        epochs=round(state.epoch, 4),
        stopped_early=state.global_step < state.max_steps,
        training_loss_before=losses[0],
        training_loss_after=losses[-1],
        validation_loss_before=begun.validation_loss,
        validation_loss_after=state.best_metric if lesson.held_out else None,
        seconds=round(seconds, 3),
        trainable_parameters=trainable,
        total_parameters=total,
        device=str(lesson.model.device),
        versions=library_versions(),
    )
    shutil.rmtree(run.adapter, ignore_errors=True)
    lesson.model.save_pretrained(str(run.adapter))
    lesson.tokenizer.save_pretrained(str(run.adapter))
    (run.root / "history.json").write_text(json.dumps(state.log_history, indent=1), "utf-8")
    write_model(run.result, result)
    shutil.rmtree(run.checkpoints, ignore_errors=True)
    return result
