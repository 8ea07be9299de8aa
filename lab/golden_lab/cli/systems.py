"""``golden-lab systems``: the bot, plain RAG and the bot without each of its parts, on the same questions."""

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from golden_lab.systems.comparison import ComparisonReport
    from golden_lab.systems.examples import ComparedSystems
    from golden_retriever.settings import Settings
    from golden_retriever.wiring.application import Application


def systems(
    path: Annotated[
        Path | None,
        typer.Argument(
            help="A quiz: JSONL, one question per line. Default: the quiz of the examples.", exists=True, dir_okay=False
        ),
    ] = None,
    engine: Annotated[str, typer.Option(help='The engine: "embedded" or "llm". Default: from the settings.')] = "",
    only: Annotated[
        list[str] | None,
        typer.Option(help="Only this system (repeatable, * allowed); the whole bot is always included."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed for the intervals.")] = 20_260,
    as_json: Annotated[bool, typer.Option("--json", help="Print scores and every answer as JSON.")] = False,
    work: Annotated[
        Path | None, typer.Option(help="The folder for stored answers; default: in the cache.", file_okay=False)
    ] = None,
) -> None:
    """Compare the bot with plain RAG, and with itself without each part, on the current library.

    An interrupted run continues where it stopped, unless the code, settings, library or dictionary have changed.
    """
    from golden_lab.systems.comparison import comparison_as_json, render_comparison

    report = asyncio.run(_compare(path, engine, tuple(only or ()), seed, work))
    typer.echo(json.dumps(comparison_as_json(report), indent=2) if as_json else render_comparison(report))


async def _compare(
    path: Path | None, engine: str, only: tuple[str, ...], seed: int, work: Path | None
) -> "ComparisonReport":
    from contracts.errors import InvalidInput
    from evaluation.case_file import load_quiz
    from golden_lab.outcomes import OutcomeStore
    from golden_lab.systems.comparison import choose_systems, run_comparison
    from golden_lab.systems.examples import find_examples
    from golden_retriever.settings import cache_folder, load_settings
    from golden_retriever.wiring import open_application
    from golden_retriever.wiring.chat import serving_llm

    questions = load_quiz(find_examples() / "quiz.jsonl" if path is None else path)
    settings = load_settings()
    store = OutcomeStore((work or cache_folder() / "eval") / "outcomes")
    async with serving_llm(settings) as (served, _), open_application(served, one_shot=True) as application:
        if not application.store.documents():
            raise InvalidInput("the library is empty: add documents with golden ingest PATH", field="library")
        bench = _bench(application, served, engine)
        key = await _key(bench, settings, engine)
        chosen = choose_systems(bench.systems(), only)
        shown = typer.progressbar(length=len(questions), label="Asking", file=typer.get_text_stream("stderr"))
        with store.open("systems", key) as log, shown as bar:
            return await run_comparison(chosen, questions, seed=seed, log=log, on_question=lambda: bar.update(1))


async def _key(bench: "ComparedSystems", settings: "Settings", engine: str) -> str:
    """Return everything that an answer depends on except the question."""
    import hashlib

    from golden_lab.digests import digest_of_code

    documents = sorted(f"{each.name} {each.content_hash}" for each in bench.parts.store.documents())
    version = await bench.services.dictionary.version()
    values = (digest_of_code(), engine, settings.model_dump_json(exclude={"data_dir"}), version, *documents)
    return hashlib.sha256("\0".join(values).encode()).hexdigest()[:16]


def _bench(application: "Application", settings: "Settings", engine: str) -> "ComparedSystems":
    from dataclasses import replace

    from golden_lab.systems.examples import ComparedSystems
    from golden_lab.systems.golden import SearchParts
    from golden_lab.wiring.engines import build_engine
    from tools.jargon.base import read_only

    services = application.services
    dictionary = read_only(services.dictionary)
    if engine:
        built = build_engine(settings, engine, embedder=application.embedder)
        services = built.services_over(services.searcher, services.lexical, dictionary)
    parts = SearchParts(store=application.store, vector_index=application.vector_index)
    return ComparedSystems(services=replace(services, dictionary=dictionary), parts=parts)
