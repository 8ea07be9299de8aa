"""``golden-lab bench``: measures speed and memory on this machine."""

import json
import tempfile
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Measure speed and memory.", no_args_is_help=True)

_AsJson = Annotated[bool, typer.Option("--json", help="Print plain values as JSON.")]
_Rounds = Annotated[int, typer.Option(min=1, help="Number of repetitions after a warm-up.")]
_Seed = Annotated[int, typer.Option(help="Seed for the data; equal seeds give equal data.")]
_TERMS = typer.Option("--terms", min=1, help="Number of terms (repeatable). Default: 1000, 10000 and 100000.")


@app.command("jargon")
def jargon(
    terms: Annotated[list[int] | None, _TERMS] = None,
    questions: Annotated[int, typer.Option(min=4, help="Number of questions; four kinds alternate.")] = 200,
    rounds: _Rounds = 5,
    seed: _Seed = 0,
    as_json: _AsJson = False,
) -> None:
    """Measure jargon look-up in generated dictionaries of growing size: time per question, loading time, memory.

    Each is imported into SQLite and read in a fresh process; a question contains a known, misspelt or unknown term, or
    none. Ratios to the smallest dictionary are comparable between machines; milliseconds are not.
    """
    from golden_lab.speed.jargon import measure_jargon, render_jargon

    sizes = terms or [1_000, 10_000, 100_000]
    result = measure_jargon(sizes, questions=questions, seed=seed, rounds=rounds, on_step=_say)
    typer.echo(json.dumps(result, indent=2) if as_json else render_jargon(result))


@app.command("ingest")
def ingest(
    pages: Annotated[int, typer.Option(min=1, help="Number of generated pages with a text layer.")] = 24,
    scans: Annotated[int, typer.Option(min=0, help="Number of generated scanned pages.")] = 4,
    rounds: _Rounds = 5,
    workers: Annotated[int, typer.Option(min=0, help="Worker processes; 0: one per core.")] = 0,
    whole: Annotated[
        bool, typer.Option(help="Also run golden ingest on all pages, with one worker and with all workers.")
    ] = True,
    seed: _Seed = 0,
    as_json: _AsJson = False,
) -> None:
    """Measure ingestion of generated documents against the bare engines: pdfplumber, Tesseract, the embedding model.

    Each part and its bare engine take turns on the same pages in one process. The ratios apply to any machine, pages
    and texts per second only to this one. Whole runs of golden ingest show the total time and memory.
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
    typer.echo(json.dumps(result, indent=2) if as_json else render_ingest(result))


@app.command("scale")
def scale(
    folders: Annotated[list[Path], typer.Argument(help="Data folders of the libraries to take text from.")],
    passages: Annotated[str, typer.Option(help="Library sizes in passages, comma-separated.")] = "10000,100000",
    index: Annotated[list[str] | None, typer.Option(help="exact or chroma (repeatable). Default: both.")] = None,
    questions: Annotated[int, typer.Option(min=1, help="Number of searches and of complete questions.")] = 30,
    database_url: Annotated[str, typer.Option(help="An empty PostgreSQL database instead of SQLite.")] = "",
    chroma_url: Annotated[str, typer.Option(help="A Chroma server instead of Chroma in the process.")] = "",
    work: Annotated[
        Path | None, typer.Option(help="An empty folder for the library, which is kept. Default: a temporary one.")
    ] = None,
    svg: Annotated[Path | None, typer.Option(help="Write a plot to this file.")] = None,
    seed: _Seed = 0,
    as_json: _AsJson = False,
) -> None:
    """Measure a growing library: storing, start-up, memory, search, questions, removal and rebuilding at each size.

    It contains the text of the given libraries, then copies with different words and numbers. The copies get the
    original vectors with noise, because embedding a million texts would take hours. Recall is therefore meaningless.
    """
    from golden_lab.speed.scale import INDEXES, measure_scale, plot_scale, render_scale

    with tempfile.TemporaryDirectory(prefix="golden-bench-") as temporary:
        result = measure_scale(
            folders,
            [int(each) for each in passages.split(",")],
            work=work or Path(temporary),
            indexes=index or INDEXES,
            database_url=database_url,
            chroma_url=chroma_url,
            questions=questions,
            seed=seed,
            on_step=_say,
        )
    if svg is not None:
        svg.write_text(plot_scale(result), encoding="utf-8")
    typer.echo(json.dumps(result, indent=2) if as_json else render_scale(result))


@app.command("peers")
def peers(
    corpus: Annotated[str, typer.Argument(help="A corpus made by golden-lab manuals build: mail, web or print.")],
    folder: Annotated[Path, typer.Argument(help="The folder with its files.", exists=True, file_okay=False)],
    environments: Annotated[Path, typer.Option(help="The folder with a virtual environment for each project.")],
    only: Annotated[list[str] | None, typer.Option(help="Only this project (repeatable), such as langchain.")] = None,
    files: Annotated[
        int, typer.Option(min=1, help="Number of files to read: those that the questions are about, and others.")
    ] = 50,
    passages: Annotated[int, typer.Option(min=1, help="Number of passages for timing the search.")] = 10_000,
    rounds: Annotated[int, typer.Option(min=1, help="Number of rounds, each with a fresh start.")] = 2,
    as_json: _AsJson = False,
) -> None:
    """Compare this project with LangChain, LlamaIndex, Haystack, txtai and haiku.rag, with the same weights.

    They take turns in one run on the same files and development questions. docs/benchmarks/peers.md explains how to
    create the environments, and with which packages.
    """
    from golden_lab.speed.peers import NAMES, measure_peers, render_peers

    with tempfile.TemporaryDirectory(prefix="golden-bench-") as work:
        result = measure_peers(
            corpus,
            folder,
            libraries=only or list(NAMES),
            environments=environments.absolute(),
            work=Path(work),
            files=files,
            passages=passages,
            rounds=rounds,
            on_step=_say,
        )
    typer.echo(json.dumps(result, indent=2) if as_json else render_peers(result))


def _say(step: str) -> None:
    typer.echo(step, err=True)
