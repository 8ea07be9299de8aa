"""``ask``: a question to the bot, with its progress, its answer, and the question back where a term is ambiguous."""

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from anyio import CancelScope

from contracts.answer import Answer, AnswerReady, StepFinished, StepStarted
from contracts.question import SensePick, Turn
from serving.footer import footer_of
from serving.mcp.arguments import AskArguments
from serving.mcp.calls import Call, Reply
from serving.mcp.choosing import AskedBack, choose_now, chosen_before, must_ask_first
from serving.mcp.places import meaning, page_uri, page_words, place, read_as
from serving.mcp.results import AskResult, CitedOut, DoubtfulOut, OptionOut, UnknownOut

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp_types import InputRequiredResult

_BORNE_OUT = ("faithful", "no_claim")


async def ask(call: Call, given: AskArguments) -> "Reply | InputRequiredResult":
    """Answer a question; where a term has several meanings, ask the user which one, if their client can."""
    picks = tuple(
        SensePick(term=each.term, extended_name=each.extended_name, context=each.context) for each in given.meanings
    )
    progress = _Progress(call.context)
    before = chosen_before(call.params)
    if before is not None:
        return _reply(await _answer(call, given, (*picks, before), progress))
    answer = await _answer(call, given, picks, progress)
    if answer.outcome != "clarify" or call.params.input_responses is not None:
        return _reply(answer)
    asked = AskedBack.of(answer)
    if must_ask_first(call.context):
        return asked.as_required_input()
    picked = await choose_now(call.context, asked)
    return _reply(answer if picked is None else await _answer(call, given, (*picks, picked), progress))


async def _answer(call: Call, given: AskArguments, picks: tuple[SensePick, ...], progress: "_Progress") -> Answer:
    work = asyncio.create_task(_run(call, given, picks, progress))
    try:
        # Not awaited itself: the scope of a cancelled call cancels what it waits for again and again, and so would
        # interrupt the graph while it stops its own tasks.
        await asyncio.wait({work})
        return work.result()
    finally:
        work.cancel()
        with CancelScope(shield=True):
            await asyncio.wait({work})


async def _run(call: Call, given: AskArguments, picks: tuple[SensePick, ...], progress: "_Progress") -> Answer:
    events = call.desk.chatbot.stream(
        given.question,
        # A given history, even an empty one, is used as it is: nothing is remembered from call to call.
        history=tuple(Turn(role=each.role, text=each.text) for each in given.history),
        asker=call.asker(given.department),
        picks=picks,
    )
    async with aclosing(events) as heard:
        async for event in heard:
            if isinstance(event, AnswerReady):
                return event.answer
            if isinstance(event, StepStarted):
                await progress.say(event.node.replace("_", " "))
            elif isinstance(event, StepFinished):
                await progress.say(f"{event.step.node.replace('_', ' ')}: {event.step.finding}")
    raise RuntimeError("the graph ended without an answer")


class _Progress:
    """Tells the client what is being done, where it asked for that; how much there is to do nobody knows."""

    def __init__(self, context: "ServerRequestContext[Any, Any]") -> None:
        self._session = context.session
        self._said = 0

    async def say(self, message: str) -> None:
        self._said += 1
        await self._session.report_progress(self._said, message=message)


def _reply(answer: Answer) -> Reply:
    value = AskResult(
        outcome=answer.outcome,
        answer=answer.text,
        certainty=answer.certainty,
        citations=[
            CitedOut(
                number=each.number,
                headings=list(each.heading_path),
                quote=each.quote,
                document=each.document_name,
                document_id=each.document_id,
                title=each.document_title,
                page=each.page,
                uri=page_uri(each.document_id, each.page),
            )
            for each in answer.citations
        ],
        readings=[read_as(each) for each in answer.readings],
        doubtful=[
            DoubtfulOut(text=each.text, label=each.label, reason=each.reason)
            for each in answer.sentences
            if each.label not in _BORNE_OUT
        ],
        missing=list(answer.missing),
        nearest=[
            place(each.document_id, each.document_name, each.document_title, each.page) for each in answer.nearest
        ],
        unknown_terms=[
            UnknownOut(term=each.mention.text, suggestions=list(each.suggestions)) for each in answer.unknown_terms
        ],
        options=[
            OptionOut(number=each.number, term=each.sense.term, **meaning(each.sense).model_dump())
            for each in answer.options
        ],
        question_as_read=answer.augmented_question,
        degraded=list(answer.degraded),
    )
    pages = {each.uri: page_words(each) for each in value.citations if each.uri}
    return Reply(value=value, text=_text(answer, value), pages=tuple((name, uri) for uri, name in pages.items()))


def _text(answer: Answer, value: AskResult) -> str:
    """Return the answer as a person reads it, and what an agent must tell them with it."""
    parts = [answer.text + footer_of(answer)]
    if answer.certainty is not None:
        parts.append(f"Certainty: {answer.certainty:.0%}")
    if value.doubtful:
        sentences = "\n".join(f"- {each.text}" for each in value.doubtful)
        parts.append(f"Not borne out by the documents, or only in part:\n{sentences}")
    if value.options:
        parts.append(
            "To go on, find out which meaning the user wants, and call ask again with the same question and "
            f'meanings=[{{"term": "{value.options[0].term}", "extended_name": "…"}}].'
        )
    return "\n\n".join(parts)
