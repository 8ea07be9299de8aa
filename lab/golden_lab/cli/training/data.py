"""``golden-lab train data``: from documents to passages with a question and an answer each."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Callable

    from golden_lab.training.writing.making import Making
    from golden_lab.wiring.training_data import QuestionOrder

_INTERRUPTED = 130


def data(
    out: Annotated[Path, typer.Argument(help="The file of JSON lines to write.", dir_okay=False)],
    documents: Annotated[
        list[str] | None, typer.Option(help='Only of documents like this, such as "*.pdf" (repeatable).')
    ] = None,
    group: Annotated[
        list[str] | None,
        typer.Option(help="Of documents for the readers of this group (repeatable). Default: everyone."),
    ] = None,
    passages: Annotated[
        str, typer.Option(help='"characters": 1 000 of them with 200 overlap; "chunks": as they are searched.')
    ] = "characters",
    count: Annotated[int, typer.Option(min=0, help="Questions at most; 0: one for every passage that makes one.")] = 0,
    engine: Annotated[
        str, typer.Option(help='Who writes: "embedded" or "llm". Default: llm where the settings name a chat server.')
    ] = "",
    seed: Annotated[int, typer.Option(help="Draws the passages; equal seeds draw equal ones.")] = 20_260,
    threshold: Annotated[
        float, typer.Option(min=0, max=1, help="How probable it must be that the passage answers its question.")
    ] = 0.5,
    answers: Annotated[
        str, typer.Option(help='"sentence": an answer in full; "short": the piece of the passage that answers.')
    ] = "sentence",
    at_once: Annotated[int, typer.Option(min=1, max=256, help="Passages asked about at the same time.")] = 4,
    fresh: Annotated[bool, typer.Option("--fresh", help="Ask everything anew, also what was asked before.")] = False,
) -> None:
    """Make training data of the library: a factual question for each passage, checked, with its answer.

    Interrupted, it keeps what was made; run it again and it goes on from there. What was asked lies beside the file,
    in OUT.journal: nothing is asked twice.
    """
    from contracts.errors import InvalidInput
    from golden_lab.wiring.training_data import QuestionOrder

    if passages not in ("characters", "chunks"):
        raise InvalidInput(f'"{passages}" are no passages: choose "characters" or "chunks"', field="passages")
    if answers not in ("sentence", "short"):
        raise InvalidInput(f'"{answers}" are no answers: choose "sentence" or "short"', field="answers")
    order = QuestionOrder(
        engine=engine,
        documents=tuple(documents or ()),
        groups=tuple(group or ("everyone",)),
        passages="chunks" if passages == "chunks" else "characters",
        count=count,
        seed=seed,
        threshold=threshold,
        answers="short" if answers == "short" else "sentence",
        at_once=at_once,
    )
    _make(out, order, fresh=fresh)


def _make(out: Path, order: "QuestionOrder", *, fresh: bool) -> None:
    from contracts.errors import ChatUnavailable
    from golden_lab.training.writing.journal import Journal
    from golden_lab.training.writing.making import Making
    from golden_lab.wiring.training_data import make_training_questions
    from golden_retriever.settings import load_settings

    path = out.with_name(f"{out.name}.journal")
    before = _rows_there(out, path)
    if fresh:
        path.unlink(missing_ok=True)
    making, settings = Making(), load_settings()
    try:
        with Journal(path) as journal:
            asyncio.run(make_training_questions(settings, order, making, journal, _progress(order.count)))
    except KeyboardInterrupt:
        _keep(out, making, before)
        typer.echo("golden: interrupted; the same command goes on from here", err=True)
        raise typer.Exit(_INTERRUPTED) from None
    except ChatUnavailable as error:
        _keep(out, making, before)
        raise ChatUnavailable(f"{error} What was made is kept; the same command goes on from here.") from error
    _keep(out, making, 0)


def _rows_there(out: Path, journal: Path) -> int:
    """Return how many questions an earlier run left in ``out``.

    Raises:
        InvalidInput: the file is none of this command's.
    """
    from contracts.errors import InvalidInput
    from golden_lab.training.data.passages import read_passage_questions

    if not out.exists():
        return 0
    if not journal.exists():
        raise InvalidInput(f"{out} is there already, and not as a file of this command: name another", field="out")
    return len(read_passage_questions(out))


def _keep(out: Path, making: "Making", before: int) -> None:
    """Write what was made, unless an earlier run had come further, and tell it."""
    from golden_lab.training.data.passages import write_passage_questions

    made = len(making.rows)
    if made >= before:
        write_passage_questions(out, making.rows)
        typer.echo(f"{out}: {made} questions of {making.passages} passages")
    else:
        typer.echo(f"{out}: kept as it was, with {before} questions")
    if making.withheld:
        typer.echo(f"  documents left out, for not everybody may read them (see --group): {making.withheld}", err=True)
    for why, times in sorted(making.passed_over.items(), key=lambda pair: (-pair[1], pair[0])):
        typer.echo(f"  passed over {times}: {why}", err=True)


def _progress(count: int) -> "Callable[[Making], None]":
    """Return what tells how far it is: on a terminal in one line, elsewhere now and then."""
    import sys
    import time

    live = sys.stderr.isatty()
    said = time.monotonic()

    def tell(making: "Making") -> None:
        nonlocal said
        now = time.monotonic()
        if now - said < (0.2 if live else 15.0):
            return
        said = now
        of = f" of {count:,}" if count else ""
        line = f"{len(making.rows):,}{of} questions, {making.passages:,} passages"
        typer.echo(f"\r{line} " if live else line, err=True, nl=not live)

    return tell
