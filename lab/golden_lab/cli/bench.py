"""``golden-lab bench``: how fast it is and how much memory it takes, on this machine."""

import json
import tempfile
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Measure speed and memory.", no_args_is_help=True)

_AsJson = Annotated[bool, typer.Option("--json", help="Print plain values as JSON.")]
_Rounds = Annotated[int, typer.Option(min=1, help="How often everything is repeated, after a warm-up.")]
_Seed = Annotated[int, typer.Option(help="Draws what is measured on; equal seeds draw equal ones.")]
_TERMS = typer.Option("--terms", min=1, help="Terms of the dictionary (repeatable). Default: 1000, 10000 and 100000.")


@app.command("jargon")
def jargon(
    terms: Annotated[list[int] | None, _TERMS] = None,
    questions: Annotated[int, typer.Option(min=4, help="Questions, of four kinds in turn.")] = 200,
    rounds: _Rounds = 5,
    seed: _Seed = 0,
    as_json: _AsJson = False,
) -> None:
    """Find and look up jargon in made dictionaries of growing size: time per question, load, memory.

    Each size is imported into SQLite and read in a fresh process: questions with known terms, misspelt ones, unknown
    ones and none. Ratios to the smallest dictionary mean something on any machine, milliseconds on this one.
    """
    from golden_lab.speed.jargon import measure_jargon, render_jargon

    sizes = terms or [1_000, 10_000, 100_000]
    result = measure_jargon(sizes, questions=questions, seed=seed, rounds=rounds, on_step=_say)
    typer.echo(json.dumps(result, indent=2) if as_json else render_jargon(result))


@app.command("ingest")
def ingest(
    pages: Annotated[int, typer.Option(min=1, help="Born-digital pages that are made and read.")] = 24,
    scans: Annotated[int, typer.Option(min=0, help="Scanned pages that are made and read.")] = 4,
    rounds: _Rounds = 5,
    workers: Annotated[int, typer.Option(min=0, help="Worker processes; 0: one a core.")] = 0,
    whole: Annotated[bool, typer.Option(help="Ingest it all by the command line too, with one worker and all.")] = True,
    seed: _Seed = 0,
    as_json: _AsJson = False,
) -> None:
    """Ingest made documents beside each engine by itself: pdfplumber's text, tesseract, the embedding model.

    Ours and the bare engine take turns on the same pages in one process. Ratios mean something on any machine,
    pages and texts a second on this one. Whole runs of golden ingest show the time and the memory of all of it.
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
    folders: Annotated[list[Path], typer.Argument(help="Data folders of libraries, whose text is taken.")],
    passages: Annotated[str, typer.Option(help="Sizes of the library, comma-separated.")] = "10000,100000",
    index: Annotated[list[str] | None, typer.Option(help="exact or chroma (repeatable). Default: both.")] = None,
    questions: Annotated[int, typer.Option(min=1, help="Searches, and as many whole questions.")] = 30,
    database_url: Annotated[str, typer.Option(help="An empty PostgreSQL database instead of SQLite.")] = "",
    chroma_url: Annotated[str, typer.Option(help="A Chroma server instead of Chroma in the process.")] = "",
    work: Annotated[Path | None, typer.Option(help="An empty folder for the library; it stays. Default: none.")] = None,
    svg: Annotated[Path | None, typer.Option(help="Write a plot to this file.")] = None,
    seed: _Seed = 0,
    as_json: _AsJson = False,
) -> None:
    """Grow a library and measure storing, start, memory, search, questions, removal and rebuilding at each size.

    It holds the text of the given libraries, then copies with other words and numbers. The vectors of copies are
    the originals' with noise, as embedding a million texts would take hours: recall on them means nothing.
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
    corpus: Annotated[str, typer.Argument(help="A corpus of golden-lab manuals build: mail, web or print.")],
    folder: Annotated[Path, typer.Argument(help="The folder that holds its files.", exists=True, file_okay=False)],
    environments: Annotated[Path, typer.Option(help="The folder that holds a virtual environment for each neighbour.")],
    only: Annotated[list[str] | None, typer.Option(help="This neighbour only (repeatable), such as langchain.")] = None,
    files: Annotated[int, typer.Option(min=1, help="Files that are read: those of the questions, and others.")] = 50,
    passages: Annotated[int, typer.Option(min=1, help="Passages that search is timed on.")] = 10_000,
    rounds: Annotated[int, typer.Option(min=1, help="Turns in which files are read, and fresh starts.")] = 2,
    as_json: _AsJson = False,
) -> None:
    """Compare this project with LangChain, LlamaIndex, Haystack, txtai and haiku.rag, with the same weights.

    They take turns in one run on the same files and development questions. How to make the environments, and which
    packages stand in them, is written in docs/benchmarks/peers.md.
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
