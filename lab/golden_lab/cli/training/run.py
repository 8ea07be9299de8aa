"""``golden-lab train run``: train an adapter by a recipe."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from golden_lab.training.lora.result import TrainingResult


def run(
    recipe: Annotated[str, typer.Argument(help="A recipe's name (golden-lab train recipes), or a TOML file.")],
    data: Annotated[Path, typer.Argument(help="The training file: JSON lines, an example each.")],
    out: Annotated[Path, typer.Option("--out", help="The folder of this training.")],
    model: Annotated[str, typer.Option("--model", help="A folder or a hub's name, instead of the recipe's.")] = "",
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a training that was killed.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Train a LoRA adapter on examples; a training that was killed goes on with --resume."""
    from rich.console import Console

    from golden_lab.cli.training.run_progress import watching
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
                on_progress=show,
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
