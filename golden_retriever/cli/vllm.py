"""``golden vllm``: the command line that serves the model and its adapters."""

import typer

app = typer.Typer(help="Serve the language model and its adapters with vLLM.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Serve the language model and its adapters with vLLM."""


@app.command("command")
def command() -> None:
    """Print the vllm serve line for the settings: the model and the adapters in GOLDEN_ENGINES. Nothing is run.

    What must be downloaded before, and what to set besides, is said on standard error.
    """
    import shlex

    from golden_retriever.settings import load_settings
    from golden_retriever.wiring.vllm import serve_command

    found = serve_command(load_settings())
    if found.downloads:
        typer.echo("# The adapters' weights, once:", err=True)
        for each in found.downloads:
            typer.echo(shlex.join(each), err=True)
    for note in found.notes:
        typer.echo(f"# {note}", err=True)
    typer.echo(found.line)
