"""``golden-lab train run``, ``export``, ``cross-encoder`` and ``recipes``."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from golden_lab.cli.progress import shown_progress

if TYPE_CHECKING:
    from golden_lab.training.cross_encoder.examples import CrossEncoderExample
    from golden_lab.training.lora.result import TrainingResult


def recipes(
    name: Annotated[str, typer.Argument(help="Print this recipe's file.")] = "",
) -> None:
    """List the included recipes, or print one."""
    from golden_lab.training.recipes import Recipe

    if name:
        typer.echo(Recipe.find(name).path.read_text("utf-8").rstrip())
        return
    for each in map(Recipe.find, Recipe.names()):
        typer.echo(f"{each.name}\n  {each.description}\n  {each.model.name}; {each.source}")


def run(
    recipe: Annotated[str, typer.Argument(help="A recipe's name (golden-lab train recipes), or a TOML file.")],
    data: Annotated[Path, typer.Argument(help="The training file, one example per JSON line.")],
    out: Annotated[Path, typer.Option("--out", help="The folder for this training run.")],
    model: Annotated[
        str, typer.Option("--model", help="A folder, a GGUF file or a hub name, instead of the recipe's model.")
    ] = "",
) -> None:
    """Train a LoRA adapter on examples. If it was interrupted, run the same command again to continue."""
    from golden_lab.training.data.examples import read_examples
    from golden_lab.training.lora.models import require_packages
    from golden_lab.training.recipes import Recipe

    chosen = Recipe.find(recipe)
    examples = read_examples(data)
    require_packages(chosen)
    from golden_lab.training.lora.run import train

    with shown_progress() as show:
        result = train(
            chosen,
            examples,
            out,
            model=model,
            source=data,
            on_progress=lambda step, steps, told: show(told, step, steps, "validation" in told),
        )
    for line in _result_lines(result):
        typer.echo(line)
    typer.echo(f"adapter: {out / 'adapter'}")


def _result_lines(result: "TrainingResult") -> tuple[str, ...]:
    """Return the result of a training run as text."""
    early = ", stopped early" if result.stopped_early else ""
    lines = [
        f"{result.recipe} on {result.model}: {result.steps} steps, {result.epochs:g} epochs{early}",
        f"examples: {result.examples} trained on, {result.held_out} held out, {result.left_out} too long and left out",
        f"training loss: {result.training_loss_before:.4f} at first, {result.training_loss_after:.4f} at last",
    ]
    if result.validation_loss_before is not None and result.validation_loss_after is not None:
        lines.append(
            f"validation loss: {result.validation_loss_before:.4f} before, {result.validation_loss_after:.4f} after "
            f"step {result.best_step}, whose weights are kept"
        )
    share = result.trainable_parameters / result.total_parameters
    lines.append(
        f"trained: {result.trainable_parameters:,} of {result.total_parameters:,} parameters ({share:.2%}), on "
        f"{result.device}, {result.seconds:.0f} s"
    )
    return tuple(lines)


def export(
    run: Annotated[Path, typer.Argument(help="The folder of a finished training run.")],
    out: Annotated[Path, typer.Option("--out", help="The folder to export into.")],
    name: Annotated[str, typer.Option(help="The adapter's name on the server; default: the recipe's.")] = "",
    adapter: Annotated[
        Path | None, typer.Option(help="The adapter file whose prompt was used, as in train intrinsic.")
    ] = None,
    messages: Annotated[
        bool, typer.Option(help="The prompt for language models was used, even though an adapter is published.")
    ] = False,
    base_model: Annotated[str, typer.Option(help="The base model's name on the server.")] = "",
    licence: Annotated[str, typer.Option(help="The adapter's licence as a hub identifier, such as apache-2.0.")] = "",
    force: Annotated[bool, typer.Option("--force", help="Replace existing files.")] = False,
) -> None:
    """Export an adapter for vLLM and llama.cpp, with a model card and, for an intrinsic, its declaration."""
    from evaluation.revision import revision
    from golden_lab.training.export.adapter import ExportOrder, export_run
    from golden_lab.training.lora.result import RunFolder, read_result
    from golden_lab.training.recipes import Recipe
    from golden_lab.wiring.training_prompts import trained_prompt
    from golden_retriever.settings import load_settings

    read_result(RunFolder(run).result)
    recipe = Recipe.load(RunFolder(run).recipe)
    judged = recipe.data.intrinsic
    order = ExportOrder(
        run=run,
        out=out,
        name=name or recipe.name,
        prompt=trained_prompt(load_settings(), judged, adapter, messages=messages) if judged else None,
        base_model=base_model,
        licence=licence,
        code_revision=revision(),
        force=force,
    )
    done = export_run(order)
    typer.echo(f"adapter      {done.adapter}   (rank {done.rank}, {done.version})")
    typer.echo(f"llama.cpp    {done.gguf or f'not written: {done.no_gguf}'}")
    typer.echo(f"base model   {done.base_model}   (--base-model, if it is served under another name)")
    if done.declaration:
        typer.echo(f"declaration  {done.declaration}")
        typer.echo("\nServe it (docs/guides/adapters.md), and use it with GOLDEN_LLM and these settings:")
        typer.echo(f"          GOLDEN_ADAPTERS_DIR={out.resolve()} GOLDEN_ENGINES={judged}=adapter")
        if done.gguf:
            typer.echo("On llama.cpp: golden serve --model FILE.gguf, with the same two settings")


def cross_encoder(
    data: Annotated[Path, typer.Option("--data", help="The folder with one folder per data set.")],
    out: Annotated[Path, typer.Option("--out", help="The folder for weights, model card and training state.")],
    manuals: Annotated[
        Path | None,
        typer.Option(
            "--manuals", help="A folder with folders of HTML manuals to train on.", exists=True, file_okay=False
        ),
    ] = None,
    asked: Annotated[
        Path | None,
        typer.Option(
            "--asked",
            help="The data folder with the corpora training and organisations.",
            exists=True,
            file_okay=False,
        ),
    ] = None,
    start: Annotated[
        Path | None,
        typer.Option("--start", help="The folder of a cross-encoder to continue from.", exists=True, file_okay=False),
    ] = None,
    passes: Annotated[int, typer.Option("--passes", help="Number of passes over the examples.", min=1)] = 1,
) -> None:
    """Train the model that finds whether and where a text answers a question; export it with 8-bit weights.

    If it was interrupted, run the same command again to continue.
    """
    from golden_lab.training.cross_encoder.run import train_cross_encoder
    from golden_lab.training.cross_encoder.trainer import CrossEncoderRecipe

    recipe = CrossEncoderRecipe(passes=passes)
    options = "".join(
        f" {name} {name[2:].upper()}"
        for name, given in (("--manuals", manuals), ("--asked", asked), ("--start", start))
        if given
    )
    card = train_cross_encoder(
        data,
        manuals,
        out,
        recipe,
        command=f"golden-lab train cross-encoder --data DATA --out OUT{options}",
        on_event=lambda event: typer.echo(json.dumps(event)),
        asked=_asked_examples(asked, recipe.seed) if asked is not None else (),
        start=start,
    )
    typer.echo(json.dumps({"figures": card["figures"], "int8": card["int8"]}, indent=1))
    typer.echo(f"Weights and card are in {out}; use them with GOLDEN_CROSS_ENCODER={out}")


def _asked_examples(folder: Path, seed: int) -> "list[CrossEncoderExample]":
    import asyncio
    import random

    from golden_lab.training.cross_encoder.asked_examples import asked_examples
    from golden_lab.wiring.manuals import find_passages

    rng = random.Random(seed)
    found = asyncio.run(find_passages(folder))
    return [each for asked, passages in found for each in asked_examples(asked, passages, rng)]
