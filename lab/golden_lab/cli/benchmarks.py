"""``golden-lab list``, ``all`` and ``show``: the benchmarks and their reports."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from golden_lab.benchmarks.base import Benchmark
    from golden_lab.results import Report
    from golden_lab.run import Run
    from golden_lab.runner import Progress

_DATA = typer.Option("--data", help="The folder with one folder for each data set.", exists=True, file_okay=False)
_ONLY = typer.Option("--only", help="A benchmark's name (* allowed) or an intrinsic (repeatable).")


def list_benchmarks(data: Annotated[Path | None, _DATA] = None) -> None:
    """List the benchmarks: what each measures, its split and licence, and, with --data, whether its data is present."""
    import textwrap

    from golden_lab.benchmarks.registry import has_its_data, load_benchmarks

    for benchmark in load_benchmarks():
        about = benchmark.about
        there = "" if data is None else f"  (data {'there' if has_its_data(benchmark, data) else 'missing'})"
        typer.echo(f"{about.name}{there}")
        text = f"{about.title} · {about.intrinsic} by {about.metric} · split: {about.split} · {about.licence}"
        typer.echo(textwrap.fill(text, 100, initial_indent="    ", subsequent_indent="    "))


def run_all(
    data: Annotated[Path, _DATA],
    engine: Annotated[
        str, typer.Option(help="embedded, or llm: the configured chat server where possible.")
    ] = "embedded",
    only: Annotated[list[str] | None, _ONLY] = None,
    out: Annotated[Path, typer.Option(help="The folder for the report.", file_okay=False)] = Path("eval-results"),
    work: Annotated[
        Path | None, typer.Option(help="The folder for indexes and results; default: in the cache.", file_okay=False)
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Measure every case instead of samples.")] = False,
    sample: Annotated[
        int, typer.Option(min=0, help="Maximum number of cases per sample or kind; 0: each benchmark's default.")
    ] = 0,
    seed: Annotated[int | None, typer.Option(help="Seed for the samples; equal seeds give equal samples.")] = None,
    gate: Annotated[
        Path | None, typer.Option(help="A report (JSON): fail if a score is worse by more than its interval.")
    ] = None,
    against: Annotated[
        Path | None, typer.Option(help="A report (JSON) to compare with; default: the one in --out.")
    ] = None,
    no_traces: Annotated[
        bool, typer.Option("--no-traces", help="Leave out texts from data sets, for a report to be published.")
    ] = False,
) -> None:
    """Measure every judgement on public data, and write a report as JSON, Markdown and HTML.

    An interrupted run continues where it stopped. The report is named after the engine; with --only, ENGINE-part.
    The exit status is 1 if a benchmark or the gate failed.
    """
    from golden_lab.benchmarks.registry import choose, load_benchmarks
    from golden_lab.report.files import read_report, write_report
    from golden_lab.results import without_traces
    from golden_lab.run import SEED, Run
    from golden_retriever.settings import cache_folder

    chosen = choose(load_benchmarks(), only or [])
    baseline = read_report(gate) if gate else None
    # A partial run must not replace the complete one: it gets its own files.
    name = f"{engine}-part" if only else engine
    last = out / f"{name}.json"
    before = read_report(against or last) if against or last.is_file() else None
    run = Run(
        data=data,
        work=work or cache_folder() / "eval",
        seed=SEED if seed is None else seed,
        full=full,
        largest_sample=sample,
    )
    run.work.mkdir(parents=True, exist_ok=True)
    report = asyncio.run(_measure(chosen, engine, run))
    if no_traces:
        report = without_traces(report)
    paths = write_report(report, out, name, before=before)
    _print_end(report, paths)
    failed = _breaks_gate(report, baseline, only or []) if baseline is not None else False
    if failed or report.failures:
        raise typer.Exit(1)


async def _measure(benchmarks: "tuple[Benchmark[Any], ...]", engine_name: str, run: "Run") -> "Report":
    from golden_lab.cli.progress import shown_progress
    from golden_lab.outcomes import OutcomeStore
    from golden_lab.runner import run_benchmarks
    from golden_lab.wiring.engines import build_engine
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring.chat import serving_llm

    settings = load_settings()
    if engine_name == "embedded":
        settings = settings.model_copy(update={"llm": ""})
    store = OutcomeStore(run.work / "outcomes")
    async with serving_llm(settings) as (settings, _):
        with shown_progress() as show:

            def on_progress(at: "Progress") -> None:
                where = "preparing" if at.cases is None else f"case {at.done:,} of {at.cases:,}"
                show(f"{at.number}/{at.benchmarks} {at.benchmark}: {where}", at.done, at.cases or 0, at.cases is None)

            engine = build_engine(settings, engine_name)
            return await run_benchmarks(benchmarks, engine, run, store=store, on_progress=on_progress)


def _print_end(report: "Report", paths: tuple[Path, ...]) -> None:
    """Print the paths of the report files, and on standard error what was measured and what was not."""
    from golden_lab.report.markdown import duration

    for name, reason in report.failures.items():
        typer.echo(f"{name}: not measured: {reason}", err=True)
    scored = sum(each.status == "scored" for each in report.benchmarks)
    typer.echo(f"{scored} of {len(report.benchmarks)} benchmarks measured in {duration(report.seconds)}", err=True)
    for path in paths:
        typer.echo(str(path))


def _breaks_gate(report: "Report", baseline: "Report", only: list[str]) -> bool:
    """Compare a report with a baseline; print each breach on standard error, and return whether there are any."""
    from golden_lab.report.comparison import check_gate

    breaches = check_gate(report, baseline, only=only)
    for breach in breaches:
        typer.echo(f"gate: {breach}", err=True)
    typer.echo(f"gate: {'shut, ' + str(len(breaches)) + ' reasons' if breaches else 'open'}", err=True)
    return bool(breaches)


def show(
    report: Annotated[Path, typer.Argument(help="A report's JSON file.", exists=True, dir_okay=False)],
    against: Annotated[Path | None, typer.Option(help="A report (JSON) to compare with.")] = None,
) -> None:
    """Print a report as Markdown."""
    from golden_lab.report.comparison import compare
    from golden_lab.report.files import read_report
    from golden_lab.report.markdown import to_markdown

    shown = read_report(report)
    typer.echo(to_markdown(shown, compare(shown, read_report(against)) if against else None), nl=False)
