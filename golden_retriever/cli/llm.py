"""``golden llm``: what a language model's server can do, and the profile that suits it."""

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from golden_retriever.wiring.llm_check import LlmReport
    from tools.chat.probing import ServerFindings

app = typer.Typer(help="Check the server of the language model.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Check the server of the language model."""


@app.command("check")
def check(
    address: Annotated[
        str | None, typer.Argument(help="The language model, as in GOLDEN_LLM; default: that one.", show_default=False)
    ] = None,
) -> None:
    """Ask the language model's server what it can do and how fast it is, and say which profile suits it.

    It is asked for its models and about ten short replies; no document is sent. Exit 1 where something does not run
    on the engine that the settings ask for.
    """
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring.llm_check import check_llm

    report = asyncio.run(check_llm(load_settings(**({"llm": address} if address else {}))))
    typer.echo(_rendered(report))
    if not report.as_asked:
        raise typer.Exit(1)


def _rendered(report: "LlmReport") -> str:
    lines = [*_server_lines(report.server)]
    if report.speed:
        lines.append(f"  speed             {report.speed}")
    rows = [("intrinsic", "asked", "runs on", "model", "")]
    rows += [
        (each.intrinsic, each.asked, each.runs_on + ("" if each.as_asked else " !"), each.model, each.note)
        for each in report.engines
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines.append("")
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        lines.append("  ".join([*cells, row[4]]).rstrip())
    return "\n".join([*lines, "", _verdict(report)])


def _server_lines(server: "ServerFindings") -> list[str]:
    if server.problem:
        return [f"{server.address}: {server.problem}"]
    window = f"{server.max_tokens} tokens" if server.max_tokens else "not told"
    return [
        f"{server.address}: {server.software or 'answers'}",
        f"  models            {', '.join(server.models) or 'none listed'}",
        f"  context window    {window}",
        f"  plain reply       {server.chat}",
        f"  streaming         {server.streaming}",
        f"  structured reply  {server.structured}",
        f"  log-probabilities {server.logprobs}",
        *(f"  adapter {name}: {probe}" for name, probe in server.adapters),
    ]


def _verdict(report: "LlmReport") -> str:
    """Say in one paragraph what the rest amounts to."""
    from golden_retriever.profiles import COSTS

    suits, now = report.suits, report.profile
    if report.speed is None:
        why = report.server.problem or report.server.chat.said or "It broke off when its speed was measured."
        said = f"No profile but embedded suits this server. {why}"
    elif suits == "embedded":
        slow = f"a question would take about {report.seconds('balanced'):.0f} s in balanced"
        lacks = "" if report.server.streaming.passed else "it does not stream, and "
        said = f"The profile embedded suits this server: {lacks}{slow}."
    else:
        said = (
            f"The profile {suits} suits this server: about {report.seconds(suits):.0f} s a question, in at most "
            f"{COSTS[suits].calls} calls."
        )
    if report.speed and now != suits:
        slow = f", about {report.seconds(now):.0f} s" if now not in ("embedded", "balanced") else ""
        said += f" Set GOLDEN_PROFILE={suits} (it is {now}{slow})."
    wrong = sum(not each.as_asked for each in report.engines)
    return said + (f" What does not run on the engine asked for is marked (!): {wrong}." if wrong else "")
