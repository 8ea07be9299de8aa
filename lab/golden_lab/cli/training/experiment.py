"""``golden-lab train experiment``: a configured comparison of trained models with their base models."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from golden_lab.cli.progress import shown_progress

if TYPE_CHECKING:
    from golden_lab.experiments.cases import ExperimentCase
    from golden_lab.experiments.form import Experiment
    from golden_lab.experiments.run import ExperimentReport


def experiment(
    name: Annotated[
        str, typer.Argument(help="An included experiment, or your own TOML file. Default: list the included ones.")
    ] = "",
    cases: Annotated[
        Path | None,
        typer.Option(help="The questions, as JSON lines from golden-lab train data or golden-lab train conditions."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The folder for answers, scores and report.", file_okay=False)
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(help="ARM=NAME: a different model for an arm (repeatable); embedded means no language model."),
    ] = None,
    server: Annotated[str, typer.Option(help="The arms' chat server. Default: GOLDEN_LLM.")] = "",
    adapters: Annotated[
        Path | None,
        typer.Option(
            help="With a GGUF file in GOLDEN_LLM: the folder with the arms' adapters, from golden-lab train export.",
            exists=True,
            file_okay=False,
        ),
    ] = None,
    arm: Annotated[list[str] | None, typer.Option(help="Only this arm (repeatable). Default: all.")] = None,
    judge: Annotated[str, typer.Option(help="Scorer: embedded, or llm (the configured chat server).")] = "embedded",
    judge_model: Annotated[str, typer.Option(help="The name of a different model on that server for the scorer.")] = "",
    subsample: Annotated[
        int, typer.Option(min=0, help="Number of questions, each under all its conditions; 0: all.")
    ] = 0,
    seed: Annotated[int, typer.Option(help="Seed for the subsample and the intervals.")] = 20_260,
    at_once: Annotated[int, typer.Option(min=1, help="Number of answers requested at the same time.")] = 4,
    show: Annotated[bool, typer.Option("--show", help="Print the experiment's file.")] = False,
) -> None:
    """Ask every arm the same questions, score the answers, and compare the arms in one report.

    Answers and scores are stored in the folder: a killed run continues, and a different scorer reuses the answers.
    """
    from contracts.errors import InvalidInput
    from golden_lab.experiments.cases import read_cases
    from golden_lab.experiments.form import Experiment
    from golden_lab.experiments.report import report_as_markdown, write_experiment

    if not name:
        for each in map(Experiment.find, Experiment.names()):
            typer.echo(f"{each.name}\n  {each.description}\n  {each.source}")
        return
    found = Experiment.find(name)
    if show:
        typer.echo(found.path.read_text("utf-8").rstrip())
        return
    if cases is None or out is None:
        raise InvalidInput(f"{name}: give --cases FILE with the questions, and --out FOLDER", field="cases")
    chosen = found.with_models(_models(model or ())).only(arm or ())
    asked = read_cases(chosen, cases, subsample=subsample, seed=seed)

    parts = {"scorer": judge, "scorer_model": judge_model, "server": server}
    report = asyncio.run(_run(chosen, asked, cases, out, parts, adapters, seed=seed, at_once=at_once))
    paths = write_experiment(report, out)
    typer.echo(report_as_markdown(report))
    for written in paths:
        typer.echo(str(written), err=True)


async def _run(
    chosen: "Experiment",
    asked: "tuple[ExperimentCase, ...]",
    cases: Path,
    out: Path,
    parts: dict[str, str],
    adapters: Path | None,
    *,
    seed: int,
    at_once: int,
) -> "ExperimentReport":
    from golden_lab.experiments.run import run_experiment
    from golden_lab.wiring.experiments import open_experiment
    from golden_retriever.settings import load_settings

    async with open_experiment(load_settings(), chosen, adapters=adapters, **parts) as (bench, engine):
        with shown_progress() as show:
            return await run_experiment(
                chosen,
                asked,
                cases,
                bench,
                engine,
                out,
                seed=seed,
                at_once=at_once,
                on_progress=lambda stage, done, total: show(f"{stage} {done:,} of {total:,}", done, total, False),
            )


def _models(options: Sequence[str]) -> dict[str, str]:
    from contracts.errors import InvalidInput

    models = {}
    for option in options:
        arm, sign, name = option.partition("=")
        if not sign or not name.strip():
            raise InvalidInput(f"--model {option!r}: give ARM=NAME, such as treatment-1=my-adapter", field="model")
        models[arm.strip()] = name.strip()
    return models
