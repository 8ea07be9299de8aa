"""``golden-lab bench``: how fast it is and how much memory it takes, on this machine."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

app = typer.Typer(help="Measure speed and memory.", no_args_is_help=True)

_AsJson = Annotated[bool, typer.Option("--json", help="Print plain values as JSON.")]
_Out = Annotated[Path | None, typer.Option(help="Write the JSON to this file too.", dir_okay=False)]
_TERMS = typer.Option("--terms", min=1, help="Terms of the dictionary (repeatable). Default: 1000, 10000 and 100000.")


@app.callback()
def _group() -> None:
    """Measure speed and memory."""


@app.command("jargon")
def jargon(
    terms: Annotated[list[int] | None, _TERMS] = None,
    questions: Annotated[int, typer.Option(min=4, help="Questions, of four kinds in turn.")] = 200,
    rounds: Annotated[int, typer.Option(min=1, help="How often each question is asked, after a warm-up.")] = 5,
    seed: Annotated[int, typer.Option(help="Draws dictionary and questions; equal seeds draw equal ones.")] = 0,
    as_json: _AsJson = False,
    out: _Out = None,
    check: Annotated[
        bool,
        typer.Option(
            "--check", help="Exit 1 where a target is missed: 5 ms, 100 ms after an edit, 300 MB at 100000 terms."
        ),
    ] = False,
) -> None:
    """Find and look up jargon in made dictionaries of growing size: time per question, load, memory.

    Each size is imported into SQLite and read in a fresh process: questions with known terms, misspelt ones, unknown
    ones and none. Ratios to the smallest dictionary mean something on any machine, milliseconds on this one.
    """
    from contracts.errors import InvalidInput
    from golden_lab.speed.jargon import TARGET_TERMS, measure_jargon, render_jargon

    sizes = terms or [1_000, 10_000, 100_000]
    if check and max(sizes) < TARGET_TERMS:
        raise InvalidInput(f"--check needs a dictionary of at least {TARGET_TERMS} terms: the targets are for that")
    result = measure_jargon(sizes, questions=questions, seed=seed, rounds=rounds, on_step=_say)
    _show(result, render_jargon, as_json, out)
    if check and not all(each["met"] for each in result["targets"]):
        raise typer.Exit(1)


@app.command("ingest")
def ingest(
    pages: Annotated[int, typer.Option(min=1, help="Born-digital pages that are made and read.")] = 24,
    scans: Annotated[int, typer.Option(min=0, help="Scanned pages that are made and read.")] = 4,
    rounds: Annotated[int, typer.Option(min=1, help="How often each engine takes its turn, after a warm-up.")] = 5,
    workers: Annotated[int, typer.Option(min=0, help="Worker processes; 0: one a core.")] = 0,
    whole: Annotated[bool, typer.Option(help="Ingest it all by the command line too, with one worker and all.")] = True,
    seed: Annotated[int, typer.Option(help="Draws the documents; equal seeds draw equal ones.")] = 0,
    as_json: _AsJson = False,
    out: _Out = None,
    check: Annotated[
        bool, typer.Option("--check", help="Exit 1 where a ratio to a bare engine is below 0.85.")
    ] = False,
) -> None:
    """Ingest made documents beside each engine by itself: pdfplumber's text, tesseract, the embedding model.

    Ours and the bare engine take turns on the same pages in one process. Ratios mean something on any machine,
    pages and texts a second on this one. Whole runs of golden ingest show where the time goes, and the memory.
    """
    from golden_lab.speed.ingest import measure_ingest, render_ingest
    from golden_retriever.settings import cache_folder
    from tools.cores import usable_cores

    result = measure_ingest(
        pages=pages,
        scans=scans,
        seed=seed,
        rounds=rounds,
        workers=workers or usable_cores(),
        cache_folder=cache_folder(),
        whole=whole,
        on_step=_say,
    )
    _show(result, render_ingest, as_json, out)
    if check and not all(each["met"] for each in result["comparisons"]):
        raise typer.Exit(1)


def _say(step: str) -> None:
    typer.echo(step, err=True)


def _show(result: dict[str, Any], render: Callable[[dict[str, Any]], str], as_json: bool, out: Path | None) -> None:
    text = json.dumps(result, ensure_ascii=False, indent=2)
    if out is not None:
        out.write_text(text + "\n", encoding="utf-8")
    typer.echo(text if as_json else render(result))
