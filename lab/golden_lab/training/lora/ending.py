"""The end of a training: the weights that are kept in their place, and what came of it."""

import shutil

from golden_lab.training.lora.checkpoints import Checkpoints, Standing, copy_weights
from golden_lab.training.lora.lesson import Lesson
from golden_lab.training.lora.machine import library_versions, peak_memory_bytes
from golden_lab.training.lora.pacing import Course
from golden_lab.training.lora.result import TrainingResult, write_result
from golden_lab.training.recipes.form import Recipe
from golden_lab.training.run_folder import RunFolder


def result_of(recipe: Recipe, lesson: Lesson, standing: Standing, *, sha256: str) -> TrainingResult:
    """Return what a training came to, which stands at its end."""
    trainable, total = lesson.model.get_nb_trainable_parameters()
    course = Course.plan(recipe.training, len(lesson.learned))
    validated = bool(lesson.held_out)
    seen = standing.step / course.steps_per_epoch
    return TrainingResult(
        recipe=recipe.name,
        model=lesson.base,
        revision=lesson.revision,
        data_sha256=sha256,
        examples=len(lesson.learned),
        held_out=len(lesson.held_out),
        left_out=len(lesson.left_out),
        steps=standing.step,
        best_step=standing.best_step if validated else standing.step,
        epochs=round(seen, 4),
        stopped_early=standing.stopped,
        training_loss_before=standing.training_loss_before or 0.0,
        training_loss_after=standing.training_loss_after or 0.0,
        validation_loss_before=standing.validation_loss_before,
        validation_loss_after=standing.best_loss,
        tokens_read=standing.tokens_read,
        tokens_learned=round(seen * sum(len(each.completion) for each in lesson.learned)),
        seconds=round(standing.seconds, 3),
        trainable_parameters=trainable,
        total_parameters=total,
        device=str(lesson.model.device),
        dtype=str(lesson.model.dtype).removeprefix("torch."),
        peak_memory_bytes=peak_memory_bytes(lesson.model.device),
        versions=library_versions(),
    )


def finish(run: RunFolder, lesson: Lesson, standing: Standing, result: TrainingResult) -> None:
    """Put the weights that are kept into their place, then the result, then remove what is not needed any more."""
    checkpoints = Checkpoints(run.checkpoints)
    found = checkpoints.newest()
    assert found is not None, "the last step is always saved"
    unfinished = run.adapter.with_name("adapter.unfinished")
    for stale in (unfinished, run.adapter):
        shutil.rmtree(stale, ignore_errors=True)
    copy_weights(checkpoints.best(standing) if lesson.held_out else found[0], unfinished)
    lesson.tokenizer.save_pretrained(str(unfinished))
    unfinished.rename(run.adapter)
    write_result(run.result, result)
    shutil.rmtree(run.checkpoints, ignore_errors=True)
