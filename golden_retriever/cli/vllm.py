"""``golden vllm``: the command that serves the model and its adapters, and whether a server has what is asked of it."""

import asyncio
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from golden_retriever.wiring.vllm import RunningReport
    from tools.chat.probing import Probe, ServerFindings

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


@app.command("check")
def check() -> None:
    """Ask the chat server which models and features it has, and say what will run where.

    It is asked for its models and a few short replies. Exit 1 where something does not run on the engine that
    the settings ask for.
    """
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring.vllm import check_running

    report = asyncio.run(check_running(load_settings()))
    typer.echo(_rendered(report))
    if not report.as_asked:
        raise typer.Exit(1)


def _rendered(report: "RunningReport") -> str:
    lines = [*_server_lines(report.server), ""]
    rows = [("intrinsic", "asked", "runs on", "model", "")]
    rows += [
        (each.intrinsic, each.asked, each.runs_on + ("" if each.as_asked else " !"), each.model, each.note)
        for each in report.engines
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        lines.append("  ".join([*cells, row[4]]).rstrip())
    wrong = sum(not each.as_asked for each in report.engines)
    ending = (
        "Everything runs as it is asked to." if report.as_asked else f"{wrong} do not run as they are asked to (!)."
    )
    return "\n".join([*lines, "", ending])


def _server_lines(server: "ServerFindings") -> list[str]:
    if server.problem:
        return [f"{server.address}: {server.problem}"]
    window = f"{server.max_tokens} tokens" if server.max_tokens else "not told"
    return [
        f"{server.address}: {server.software or 'a server that is not vLLM, or does not say so'}",
        f"  models            {', '.join(server.models) or 'none listed'}",
        f"  context window    {window}",
        f"  chat              {_worded(server.chat)}",
        f"  streaming         {_worded(server.streaming)}",
        f"  JSON schemas      {_worded(server.schemas)}",
        f"  log-probabilities {_worded(server.logprobs)}",
        *(f"  adapter {name}: {_worded(probe)}" for name, probe in server.adapters),
    ]


def _worded(probe: "Probe") -> str:
    return "yes" if probe.passed else f"no: {probe.said}"
