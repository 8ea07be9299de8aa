"""``golden-lab manuals``: questions in everyday words about manuals that were not used for tuning."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from golden_retriever.cli.app import FriendlyTyper

if TYPE_CHECKING:
    from golden_lab.manuals.measuring import ManualResult
    from golden_lab.manuals.questions import Half, ManualQuestion

app = FriendlyTyper(help="Measure the bot on questions about manuals and the example documents.", no_args_is_help=True)


@app.command()
def build(folder: Annotated[Path, typer.Argument(help="The folder for the corpora, one folder each.")]) -> None:
    """Download the manuals of the corpora from the Debian archive."""
    from golden_lab.manuals.corpora import build_corpora

    for name, count in build_corpora(folder).items():
        typer.echo(f"{folder / name}: {count} files")
    typer.echo("The corpus examples is not built: it is the project's own folder examples (docs/benchmarks/index.md).")


@app.command()
def ask(
    corpus: Annotated[
        str,
        typer.Argument(help="The corpus in the library (mail, examples, ...), or your own question file."),
    ],
    final: Annotated[bool, typer.Option("--final", help="Use the half kept for the final measurement.")] = False,
    wrong: Annotated[bool, typer.Option("--wrong", help="Also print each wrong answer.")] = False,
    out: Annotated[Path | None, typer.Option(help="Write every result to this file, one JSON object per line.")] = None,
) -> None:
    """Ask the current library one half of the questions about a corpus, and report by kind and failed step.

    With your own file (JSON lines), all questions are asked.
    """
    from golden_lab.manuals.measuring import render_results

    results = asyncio.run(_ask(_read(corpus, "final" if final else "development")))
    typer.echo(render_results(results))
    for each in results if wrong else ():
        if not each.right:
            typer.echo(f"\n{each.question.id} {each.stage}: {each.question.question}\n  right: {each.question.answer}")
            typer.echo(f"  {each.outcome} ({each.certainty:.0%}): {' '.join(each.text.split())[:400]}")
    if out is not None:
        out.write_text("".join(f"{each.model_dump_json()}\n" for each in results), encoding="utf-8")


def _read(corpus: str, half: "Half") -> "tuple[ManualQuestion, ...]":
    from contracts.errors import InvalidInput
    from golden_lab.manuals.questions import read_question_file, read_questions

    if Path(corpus).is_file():
        return read_question_file(Path(corpus))
    questions = read_questions(half, [corpus]) or read_questions("unseen", [corpus])
    if not questions:
        corpora = dict.fromkeys(each.corpus for each in read_questions(half))
        raise InvalidInput(
            f"{corpus} is neither a file nor a corpus; the corpora are: {', '.join(corpora)}", field="corpus"
        )
    return questions


async def _ask(questions: "Sequence[ManualQuestion]") -> "tuple[ManualResult, ...]":
    from contracts.errors import InvalidInput
    from golden_lab.manuals.measuring import measure_questions
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring import open_application

    async with open_application(load_settings(), one_shot=True) as application:
        if not application.store.documents():
            raise InvalidInput("the library is empty: add the corpus with golden ingest first", field="library")
        with typer.progressbar(length=len(questions), label="Asking", file=typer.get_text_stream("stderr")) as bar:
            return await measure_questions(questions, application.services, on_question=lambda: bar.update(1))


@app.command()
def passages(
    out: Annotated[Path, typer.Argument(help="The file to write, as golden-lab train data writes it.", dir_okay=False)],
    held_out: Annotated[
        bool,
        typer.Option("--held-out", help="Only questions about the quarter of the manuals not used for training."),
    ] = False,
    count: Annotated[int, typer.Option(min=0, help="Number of questions, drawn by --seed; 0: all.")] = 0,
    seed: Annotated[int, typer.Option(help="Seed for drawing the questions.")] = 20_260,
) -> None:
    """Write the answerable questions about the corpus "training", each with its passage in the current library."""
    from golden_lab.wiring.manuals import passage_questions
    from golden_retriever.settings import load_settings

    rows = passage_questions(load_settings(), held_out=held_out, count=count, seed=seed)
    out.write_text("".join(f"{row.model_dump_json()}\n" for row in rows), encoding="utf-8")
    typer.echo(f"{out}: {len(rows)} questions about {len({row.source.document for row in rows})} documents")


@app.command()
def fit(
    libraries: Annotated[list[str], typer.Argument(help="CORPUS=FOLDER: the data folder with each corpus.")],
) -> None:
    """Fit the ranking of quotes and the gate, and store both in the product.

    They are fitted on the development half, and on those questions about the corpora "training" and "organisations"
    that the cross-encoder did not learn from.
    """
    import json

    from golden_lab.manuals.ranking_fit import fit as fit_models
    from golden_lab.wiring.manuals import rank_questions

    named = [_library(each) for each in libraries]
    cases = [case for each in named for case in asyncio.run(rank_questions(*each))]
    fitted = fit_models(cases, told=typer.echo)
    corpora = [corpus for corpus, _ in named]
    files = {
        "manuals/training_questions.jsonl": ("all", "training" in corpora),
        "manuals/organisation_questions.jsonl": ("all", "organisations" in corpora),
        "manuals/questions.jsonl": ("development", bool(set(corpora) - {"training", "organisations"})),
    }
    note = {
        "command": f"golden-lab manuals fit {' '.join(corpora)}",
        "fits": [{"file": file, "part": part} for file, (part, used) in files.items() if used],
        "figures": fitted["figures"],
    }
    _write("tools.reading", "ranking.json", json.dumps({**note, **fitted["ranking"]}, indent=1))
    models = {"models": {"answerability": fitted["answerability"]}}
    _write("intrinsics.answerability", "calibration.json", json.dumps({**note, **models}, indent=1))


def _library(named: str) -> tuple[str, Path]:
    corpus, _, folder = named.partition("=")
    if not folder:
        raise typer.BadParameter(f"{named}: give each library as CORPUS=FOLDER.")
    return corpus, Path(folder)


def _write(package: str, name: str, text: str) -> None:
    from importlib import resources

    Path(str(resources.files(package).joinpath(name))).write_text(f"{text}\n", encoding="utf-8")
