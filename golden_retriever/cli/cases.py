"""``golden eval``: run quizzes, and draft, review and measure an organisation's own cases."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.case_report import CaseReport
    from evaluation.drafts import Drafts

app = typer.Typer(help="Measure the bot.", no_args_is_help=True)


@app.command("quiz")
def quiz(
    path: Annotated[Path, typer.Argument(help="A quiz: JSONL, one question per line.", exists=True, dir_okay=False)],
) -> None:
    """Ask every question of a quiz and print the scores and what went wrong; no file is written."""
    _print_report(asyncio.run(_measure(path)))


@app.command("generate")
def generate(
    out: Annotated[Path, typer.Argument(help="The file of cases; drafts are appended to it.")],
    count: Annotated[int, typer.Option(min=1, help="The maximum number of drafts, one per passage.")] = 50,
    seed: Annotated[
        int, typer.Option(help="The seed for drawing passages; the same seed draws the same ones.")
    ] = 20_260,
    document: Annotated[
        list[str] | None, typer.Option(help="Only from this document: its name, path or number (repeatable).")
    ] = None,
) -> None:
    """Draft cases from the documents: one checked question per passage, for a person to accept.

    The language model writes the questions: GOLDEN_LLM must be set. A draft is of the kind "hard" if the bot's search
    does not currently find its passage.
    """
    from contracts.errors import InvalidInput

    if not out.parent.is_dir():
        raise InvalidInput(f"the folder {out.parent} does not exist: create it first", field="out")
    drafts = asyncio.run(_draft(out, count, seed, tuple(document or ())))
    hard = sum(row["kind"] == "hard" for row in drafts.rows)
    typer.echo(f"{out}: {len(drafts.rows)} drafts added from {drafts.passages} passages, {hard} of them hard")
    for why, times in sorted(drafts.passed_over.items(), key=lambda pair: -pair[1]):
        typer.echo(f"  passed over {times}: {why}", err=True)
    if drafts.rows:
        typer.echo(f"decide on them with: golden eval accept {out}", err=True)


async def _draft(out: Path, count: int, seed: int, documents: tuple[str, ...]) -> "Drafts":
    from evaluation.case_file import append_cases, read_cases
    from evaluation.drafts import choose_documents, draft_cases, draw_passages
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring import open_application
    from golden_retriever.wiring.engines import EngineChooser
    from golden_retriever.wiring.judgements import build_judge
    from tools.jargon.base import read_only

    known = tuple(each.case.question for each in read_cases(out))
    settings = load_settings()
    async with open_application(settings, one_shot=True) as application:
        chosen = choose_documents(application.store, documents)
        writer = build_judge("question_writing", EngineChooser(settings, application.chat))
        services = replace(application.services, dictionary=read_only(application.services.dictionary))
        with typer.progressbar(length=count, label="Drafting", file=typer.get_text_stream("stderr")) as bar:

            def keep(row: "Mapping[str, Any]") -> None:
                append_cases(out, [row])
                bar.update(1)

            drawn = draw_passages(application.store, chosen, seed=seed)
            return await draft_cases(drawn, writer, services, count=count, known=known, on_draft=keep)


@app.command("accept")
def accept(
    cases: Annotated[Path, typer.Argument(help="The file of cases.", exists=True, dir_okay=False)],
    all_: Annotated[bool, typer.Option("--all", help="Accept all waiting drafts without showing them.")] = False,
) -> None:
    """Decide on drafts one by one. To correct a draft first, edit the file.

    Each decision is written to the file at once; the rest of the file stays as it is.
    """
    from evaluation.case_file import change_case, read_cases

    waiting = [each.case.id for each in read_cases(cases) if each.waits]
    if not all_:
        _walk(cases, waiting)
        return
    for name in waiting:
        change_case(cases, name, {"accepted": True})
    typer.echo(f"{len(waiting)} accepted")


def _walk(path: Path, ids: list[str]) -> None:
    """Show each draft until a decision is made; end of input quits."""
    from evaluation.case_file import change_case

    decided = {"accepted": 0, "rejected": 0}
    for number, case_id in enumerate(ids, start=1):
        _show(path, case_id, f"{number} of {len(ids)}")
        key = ""
        while key not in {"a", "r", "s", "x"}:
            typer.echo("a accept · r reject · s skip · x quit: ", nl=False)
            line = typer.get_text_stream("stdin").readline()
            key = line.strip().lower() if line else "x"
        if key == "x":
            break
        if key in {"a", "r"}:
            state = "accepted" if key == "a" else "rejected"
            change_case(path, case_id, {state: True})
            decided[state] += 1
    left = len(ids) - sum(decided.values())
    typer.echo(f"{decided['accepted']} accepted, {decided['rejected']} rejected, {left} wait")


def _show(path: Path, case_id: str, place: str) -> None:
    import textwrap

    from evaluation.case_file import find_case

    line = find_case(path, case_id)
    case = line.case
    page = f", page {case.page}" if case.page else ""
    typer.echo(f"\n{place} · {case.id} · {case.kind}")
    typer.echo(f"  question  {case.question}")
    typer.echo(f"  answer    {case.answer}")
    typer.echo(f"  from      {case.document or 'no document'}{page}")
    if case.term and case.sense:
        typer.echo(f"  reading   {case.term}: {case.sense}{f' ({case.context})' if case.context else ''}")
    passage = str(line.fields.get("passage", ""))
    if passage:
        typer.echo(textwrap.indent(passage, "  | "))


@app.command("cases")
def measure(
    cases: Annotated[Path, typer.Argument(help="The file of cases.")],
    out: Annotated[Path, typer.Option(help="The folder for the report.", file_okay=False)] = Path("eval-results"),
    gate: Annotated[
        Path | None, typer.Option(help="An earlier report (JSON): fail if a score fell by more than chance.")
    ] = None,
) -> None:
    """Ask the accepted cases against the current library, score every judgement, and write the report (JSON).

    The exit status is 1 if the gate is shut: a score fell by more than chance.
    """
    from evaluation.case_report import find_falls, read_report

    _check_cases(cases)
    baseline = read_report(gate) if gate else None
    report = asyncio.run(_measure(cases))
    _print_report(report)
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"cases-{cases.stem}-{report.engine}.json"
    path.write_text(report.model_dump_json(indent=1) + "\n", encoding="utf-8")
    typer.echo(str(path))
    if baseline is None:
        return
    falls = find_falls(report, baseline)
    for fall in falls:
        typer.echo(f"gate: {fall}", err=True)
    typer.echo(f"gate: {f'shut, {len(falls)} reasons' if falls else 'open'}", err=True)
    if falls:
        raise typer.Exit(1)


def _check_cases(path: Path) -> None:
    from contracts.errors import InvalidInput
    from evaluation.case_file import read_cases

    if not path.is_file():
        raise InvalidInput(
            f"There is no file {path}. To draft one from the documents, run: golden eval generate {path}", field="cases"
        )
    lines = read_cases(path)
    if not any(each.case.accepted for each in lines):
        waiting = sum(each.waits for each in lines)
        how = (
            f"{waiting} drafts are waiting: golden eval accept {path}"
            if waiting
            else "golden eval generate drafts some"
        )
        raise InvalidInput(f"{path} contains no accepted case; {how}", field="cases")


async def _measure(path: Path) -> "CaseReport":
    """Run the cases. It is an error if the language model fails: the embedded engine must not answer in its place."""
    from contracts.errors import InvalidInput
    from evaluation.case_file import read_cases
    from evaluation.own_cases import measure_own_cases
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring import open_application
    from tools.jargon.base import read_only

    async with open_application(load_settings(degrade="refuse"), one_shot=True) as application:
        if not application.store.documents():
            raise InvalidInput("the library is empty: add documents with golden ingest PATH", field="library")
        services = replace(application.services, dictionary=read_only(application.services.dictionary))
        chat = application.chat
        engine, model = ("llm", chat.model) if chat is not None else ("embedded", application.embedder.name)
        accepted = sum(each.case.accepted for each in read_cases(path))
        with typer.progressbar(length=accepted, label="Asking", file=typer.get_text_stream("stderr")) as bar:
            return await measure_own_cases(path, services, engine=engine, model=model, on_case=lambda: bar.update(1))


def _print_report(report: "CaseReport") -> None:
    from evaluation.case_report import report_text

    for line in report_text(report):
        typer.echo(line)
