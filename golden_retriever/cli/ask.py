"""``golden ask``."""

import asyncio
import json
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from contracts.answer import Answer, AnswerReady, StepFinished, TextDelta, TextReset

if TYPE_CHECKING:
    from collections.abc import Sequence


def ask(
    question: Annotated[str, typer.Argument(help="The question, in quotes; - reads it from standard input.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object, for machines.")] = False,
    department: Annotated[str, typer.Option(help="The context you work in; it helps to interpret abbreviations.")] = "",
    meaning: Annotated[
        list[str] | None, typer.Option(help="Set a meaning: TERM=EXTENDED NAME, or TERM=NAME (CONTEXT); repeatable.")
    ] = None,
    document: Annotated[
        list[str] | None, typer.Option(help="Ask only this document: its id, or its file's path; repeatable.")
    ] = None,
    conversation: Annotated[
        str, typer.Option(help="The name of a conversation, so that follow-ups are understood.")
    ] = "",
    steps: Annotated[bool, typer.Option(help="Show the steps while the bot works.")] = True,
) -> None:
    """Ask a question; the answer includes the sentences it is based on."""
    words = sys.stdin.read() if question == "-" else question
    answer = asyncio.run(_ask(words, department, meaning or [], document or [], conversation, steps and not as_json))
    if as_json:
        # The fields are those of contracts.answer.Answer.
        typer.echo(json.dumps(answer.model_dump(exclude_computed_fields=True), ensure_ascii=False, indent=2))
    else:
        from golden_retriever.cli.rendering import print_answer

        print_answer(answer)


async def _ask(
    question: str,
    department: str,
    meanings: "Sequence[str]",
    documents: "Sequence[str]",
    conversation: str,
    show_steps: bool,
) -> Answer:
    from rich.text import Text

    from golden_retriever.cli.documents import find_record
    from golden_retriever.cli.rendering import print_step, show_draft
    from golden_retriever.questions import local_asker, pick_of
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring import open_application
    from serving.questions import conversation_id_of

    picks = [pick_of(term, name) for term, _, name in (each.partition("=") for each in meanings)]
    async with open_application(load_settings(), one_shot=True) as application:
        chosen = [find_record(application.store, each).document_id for each in documents]
        asker = local_asker(application, "cli", department=department, documents=chosen)
        conversation_id = conversation_id_of(conversation)
        events = application.chatbot.stream(question, conversation_id=conversation_id, asker=asker, picks=picks)
        answer: Answer | None = None
        draft = Text(style="dim")
        with show_draft(draft) as display:
            async for event in events:
                if isinstance(event, StepFinished) and show_steps:
                    print_step(event.step)
                elif isinstance(event, TextDelta) and show_steps:
                    draft.append(event.text)
                    display.refresh()
                elif isinstance(event, TextReset):
                    draft.truncate(0)
                    display.refresh()
                elif isinstance(event, AnswerReady):
                    answer = event.answer
    assert answer is not None, "a stream ends with its answer"
    return answer
