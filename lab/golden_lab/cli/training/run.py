"""``golden-lab train run``, ``export``, ``encoder`` and ``recipes``."""

import json
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from golden_lab.cli.training.watching import watching

if TYPE_CHECKING:
    from golden_lab.training.lora.result import TrainingProgress, TrainingResult


def progress_line(progress: "TrainingProgress") -> str:
    """Return a step in a line."""
    left = timedelta(seconds=round(progress.seconds_left))
    validated = "" if progress.validation_loss is None else f" · validation {progress.validation_loss:.4f}"
    return (
        f"epoch {progress.epoch:.2f} · step {progress.step}/{progress.steps} · loss {progress.loss:.4f}{validated} · "
        f"{progress.tokens_per_s:.0f} tokens/s · {left} left"
    )


def recipes(
    name: Annotated[str, typer.Argument(help="Print this recipe's file, to begin one of your own with.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print plain values as JSON.")] = False,
) -> None:
    """List the recipes that come along, or print one."""
    from golden_lab.training.recipes import find_recipe, recipe_names

    if name:
        recipe = find_recipe(name)
        typer.echo(recipe.model_dump_json(indent=2) if as_json else recipe.path.read_text("utf-8").rstrip())
        return
    found = [find_recipe(each) for each in recipe_names()]
    if as_json:
        typer.echo(json.dumps([each.model_dump() for each in found], indent=2))
        return
    for each in found:
        typer.echo(f"{each.name}\n  {each.description}\n  {each.model.name}; {each.source}")


def run(
    recipe: Annotated[str, typer.Argument(help="A recipe's name (golden-lab train recipes), or a TOML file.")],
    data: Annotated[Path, typer.Argument(help="The training file: JSON lines, an example each.")],
    out: Annotated[Path, typer.Option("--out", help="The folder of this training.")],
    model: Annotated[str, typer.Option("--model", help="A folder or a hub's name, instead of the recipe's.")] = "",
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a training that was killed.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Train a LoRA adapter on examples; a training that was killed goes on with --resume."""
    from golden_lab.training.data.examples import read_examples
    from golden_lab.training.lora import DataSource, train
    from golden_lab.training.lora.loading import require_training_packages
    from golden_lab.training.recipes import find_recipe

    chosen = find_recipe(recipe)
    examples = read_examples(data)
    require_training_packages()
    console = Console(stderr=True, highlight=False)
    try:
        with watching(console) as show:
            result = train(
                chosen,
                examples,
                out,
                model=model,
                resume=resume,
                source=DataSource.of_file(data),
                on_progress=lambda at: show(progress_line(at), at.step, at.steps, at.validation_loss is not None),
            )
    except KeyboardInterrupt:
        console.print(f"stopped; go on from the last checkpoint with --resume (in {out})", markup=False)
        raise typer.Exit(130) from None
    if as_json:
        typer.echo(json.dumps(asdict(result) | {"versions": dict(result.versions)}, indent=2))
        return
    for line in result_lines(result, out):
        typer.echo(line)


def result_lines(result: "TrainingResult", out: Path) -> tuple[str, ...]:
    """Return what a training came to, for people."""
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
    lines += [
        f"trained: {result.trainable_parameters:,} of {result.total_parameters:,} parameters ({share:.2%}), on "
        f"{result.device}, {result.seconds:.0f} s, {result.peak_memory_bytes / 2**30:.1f} GiB at most",
        f"adapter: {out / 'adapter'}",
    ]
    return tuple(lines)


def export(
    run: Annotated[Path, typer.Argument(help="The folder of a training that has ended.")],
    out: Annotated[Path, typer.Option("--out", help="The folder to export into.")],
    name: Annotated[str, typer.Option(help="The adapter's name on the server; default: the recipe's.")] = "",
    merged: Annotated[
        bool | None, typer.Option(help="Whole weights besides, for servers without adapters; default: as the recipe.")
    ] = None,
    intrinsic: Annotated[
        str, typer.Option(help="Declare it for this intrinsic, for GOLDEN_ADAPTERS_DIR; default: the recipe's.")
    ] = "",
    adapter: Annotated[
        Path | None, typer.Option(help="It was trained on the prompt of this adapter file (as in train intrinsic).")
    ] = None,
    messages: Annotated[
        bool, typer.Option(help="It was trained on the language model's own prompt, though an adapter is published.")
    ] = False,
    scores: Annotated[Path | None, typer.Option(help="A JSON report of golden eval, for the model card.")] = None,
    base_model: Annotated[str, typer.Option(help="What the base model is called where it is served.")] = "",
    licence: Annotated[str, typer.Option(help="The result's licence by a hub's identifier, such as apache-2.0.")] = "",
    force: Annotated[bool, typer.Option("--force", help="Replace what stands there.")] = False,
) -> None:
    """Export an adapter as vLLM serves it, with a model card; merged weights and a declaration where asked for."""
    from evaluation.revision import revision
    from golden_lab.training.export import ExportOrder, export_run
    from golden_lab.training.lora.result import read_result
    from golden_lab.training.recipes import load_recipe
    from golden_lab.training.run_folder import RunFolder
    from golden_lab.wiring.model_export import reported_scores, trained_prompt
    from golden_retriever.settings import load_settings

    read_result(RunFolder(run).result)
    recipe = load_recipe(RunFolder(run).recipe)
    judged = intrinsic or recipe.data.intrinsic
    prompt = trained_prompt(load_settings(), judged, adapter, messages=messages) if judged else None
    order = ExportOrder(
        run=run,
        out=out,
        name=name or recipe.name,
        merged=recipe.export.merged if merged is None else merged,
        prompt=prompt,
        base_model=base_model,
        licence=licence,
        scores=reported_scores(scores, judged) if scores else (),
        code_revision=revision(),
        force=force,
    )
    done = export_run(order)
    typer.echo(f"adapter      {done.adapter}   (rank {done.rank}, {done.version})")
    if done.merged:
        typer.echo(f"merged       {done.merged}")
    if done.declaration:
        typer.echo(f"declaration  {done.declaration}")
        typer.echo("\nServe it: golden vllm command prints the line, with these and GOLDEN_LLM_BASE_URL set:")
        typer.echo(f"          GOLDEN_ADAPTERS_DIR={out.resolve()} GOLDEN_ENGINES={judged}=adapter")
    for note in done.notes:
        typer.echo(f"note: {note}", err=True)


def encoder(
    data: Annotated[Path, typer.Option("--data", help="The folder with one folder a data set.")],
    out: Annotated[Path, typer.Option("--out", help="The folder for weights, card and the states to go on from.")],
    epochs: Annotated[float, typer.Option("--epochs", min=0.0001, help="How often all examples are seen.")] = 1.0,
    minutes: Annotated[
        float | None, typer.Option("--minutes", min=0.0, help="End after so long, with the best weights so far.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="The same seed and data make the same weights.")] = 7,
    frozen_layers: Annotated[
        int, typer.Option("--frozen-layers", min=0, help="The lowest layers that stay as they are.")
    ] = 2,
    threads: Annotated[int | None, typer.Option("--threads", min=1, help="Threads of torch.")] = None,
) -> None:
    """Train one encoder for relevance, answerability, faithfulness and terms; export it to ONNX with 8-bit weights.

    A training that was killed goes on where it was when the same line is given again.
    """
    from golden_lab.training.encoder.command import train_encoder
    from golden_lab.training.encoder.learning import EncoderRecipe
    from golden_lab.wiring.encoder_data import read_encoder_data

    examples = read_encoder_data(data, seed=seed)
    typer.echo(f"{len(examples.train_pairs)} pairs and {len(examples.train_tags)} tagged texts to learn from")
    recipe = EncoderRecipe(epochs=epochs, seed=seed, frozen_layers=frozen_layers)
    options = f"--epochs {epochs:g} --seed {seed} --frozen-layers {frozen_layers}"
    line = f"golden-lab train encoder --data DATA --out OUT {options}"
    card = train_encoder(examples, out, recipe, command=line, told=_tell, minutes=minutes, threads=threads)
    typer.echo(json.dumps({"dev": card["dev"], "int8": card["int8"]}, indent=1))
    typer.echo(f"Weights and card lie in {out}: {card['name']}@{card['revision']}")


def _tell(event: dict[str, Any]) -> None:
    typer.echo(json.dumps(event))
