"""``golden-lab train export``: a training that has ended, for servers and for other people."""

from pathlib import Path
from typing import Annotated

import typer


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
