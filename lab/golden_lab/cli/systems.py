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
            help="A quiz: JSONL, a question a line. Default: the quiz of the examples.", exists=True, dir_okay=False
        ),
    ] = None,
    engine: Annotated[str, typer.Option(help='The engine: "embedded" or "llm". Default: what the settings give.')] = "",
    only: Annotated[
        list[str] | None, typer.Option(help="Only this system (repeatable, * allowed); the whole bot is always there.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Draws the resamples of the intervals.")] = 20_260,
    as_json: Annotated[bool, typer.Option("--json", help="Print scores and every answer as JSON.")] = False,
) -> None:
    """Compare the bot with plain RAG, and with itself without each part, over the current library."""
    from golden_lab.systems.comparison import comparison_as_json, render_comparison

    report = asyncio.run(_compare(path, engine, tuple(only or ()), seed))
    typer.echo(json.dumps(comparison_as_json(report), indent=2) if as_json else render_comparison(report))


async def _compare(path: Path | None, engine: str, only: tuple[str, ...], seed: int) -> "ComparisonReport":
    from contracts.errors import InvalidInput
    from evaluation.case_file import load_quiz
    from golden_lab.systems.comparison import choose_systems, run_comparison
    from golden_lab.systems.examples import find_examples
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring import open_application

    questions = load_quiz(find_examples() / "quiz.jsonl" if path is None else path)
    settings = load_settings()
    async with open_application(settings, one_shot=True) as application:
        if not application.store.documents():
            raise InvalidInput("the library is empty: put documents in with golden ingest PATH", field="library")
        bench = _bench(application, settings, engine)
        chosen = choose_systems(bench.systems(), only)
        with typer.progressbar(length=len(questions), label="Asking", file=typer.get_text_stream("stderr")) as bar:
            return await run_comparison(chosen, questions, seed=seed, on_question=lambda: bar.update(1))


def _bench(application: "Application", settings: "Settings", engine: str) -> "ComparedSystems":
    from dataclasses import replace

    from golden_lab.systems.examples import ComparedSystems
    from golden_lab.systems.golden import SearchParts
    from golden_lab.wiring.engines import build_engine
    from tools.jargon.read_only import read_only

    services = application.services
    dictionary = read_only(services.dictionary)
    if engine:
        built = build_engine(settings, engine, embedder=application.embedder)
        services = built.services_over(services.searcher, services.lexical, dictionary)
    parts = SearchParts(store=application.store, vector_index=application.vector_index)
    return ComparedSystems(services=replace(services, dictionary=dictionary), parts=parts)
