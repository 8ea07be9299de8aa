"""``ask``: a question to the bot, with its progress, its answer, and the question back where a term is ambiguous."""

import asyncio
import json
from collections.abc import Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from anyio import CancelScope
from mcp.server.mcpserver import Context
from mcp_types import ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult

from contracts.answer import Answer, AnswerReady, StepFinished, StepStarted
from contracts.question import Asker, Decision, SensePick, Turn
from serving.footer import footer_of
from serving.mcp.models import AskResult, MeaningOut

if TYPE_CHECKING:
    from agent.chatbot import Chatbot

_FIELD = "meaning"
_OTHERS: dict[str, Decision] = {"All of these": "each", "None of these": "none", "I do not know": "unsure"}


class Question:
    """One question, which can be answered again with another meaning of a term."""

    def __init__(
        self, ctx: Context[Any, Any], chatbot: "Chatbot", text: str, asker: Asker, history: Sequence[Turn]
    ) -> None:
        self._ctx = ctx
        self._chatbot = chatbot
        self._text = text
        self._asker = asker
        self._history = tuple(history)
        self._steps = 0

    async def answer(self, picks: tuple[SensePick, ...]) -> Answer | InputRequiredResult:
        """Return the answer; where a term has several meanings, ask the user which one, if their client can."""
        responses = self._ctx.input_responses
        if responses is not None:
            # The client calls again with the user's choice, and with the options that it was sent.
            pick = _pick_in(responses.get(_FIELD), *json.loads(self._ctx.request_state or '["", {}]'))
            return await self._run((*picks, *pick))
        answer = await self._run(picks)
        if answer.outcome != "clarify" or not self._can_ask_user():
            return answer
        term = answer.options[0].sense.term
        options = {
            MeaningOut.model_validate(each.sense).words: (each.sense.extended_name, each.sense.context)
            for each in answer.options
        }
        message = f"{term} has several meanings here. Which one do you mean?"
        choices = {"type": "string", "title": f"{term} means", "enum": [*options, *_OTHERS]}
        schema: dict[str, Any] = {"type": "object", "properties": {_FIELD: choices}, "required": [_FIELD]}
        if not self._ctx.session.can_send_request:
            # Nothing can be sent to the client within a call: it asks its user between two calls.
            form = ElicitRequestFormParams(message=message, requested_schema=schema)
            return InputRequiredResult(
                input_requests={_FIELD: ElicitRequest(params=form)}, request_state=json.dumps([term, options])
            )
        chosen = await self._ctx.session.elicit_form(message, schema, related_request_id=self._ctx.request_id)
        pick = _pick_in(chosen, term, options)
        return await self._run((*picks, *pick)) if pick else answer

    def _can_ask_user(self) -> bool:
        capabilities = self._ctx.client_capabilities
        elicitation = capabilities.elicitation if capabilities is not None else None
        # A client that names no kind of form knows this one.
        return elicitation is not None and (elicitation.form is not None or elicitation.url is None)

    async def _run(self, picks: tuple[SensePick, ...]) -> Answer:
        work = asyncio.create_task(self._stream(picks))
        try:
            # Not awaited itself: the scope of a cancelled call cancels what it waits for again and again, and so would
            # interrupt the graph while it stops its own tasks.
            await asyncio.wait({work})
            return work.result()
        finally:
            work.cancel()
            with CancelScope(shield=True):
                await asyncio.wait({work})

    async def _stream(self, picks: tuple[SensePick, ...]) -> Answer:
        # A given history, even an empty one, is used as it is: nothing is remembered from call to call.
        events = self._chatbot.stream(self._text, history=self._history, asker=self._asker, picks=picks)
        async with aclosing(events) as heard:
            async for event in heard:
                if isinstance(event, AnswerReady):
                    return event.answer
                if isinstance(event, StepStarted):
                    await self._report(event.node.replace("_", " "))
                elif isinstance(event, StepFinished):
                    await self._report(f"{event.step.node.replace('_', ' ')}: {event.step.finding}")
        raise RuntimeError("the graph ended without an answer")

    async def _report(self, message: str) -> None:
        self._steps += 1
        await self._ctx.report_progress(self._steps, message=message)


def _pick_in(result: object, term: str, options: dict[str, tuple[str, str]]) -> tuple[SensePick, ...]:
    """Return what the user chose; nothing where they chose nothing that is on the form."""
    accepted = isinstance(result, ElicitResult) and result.action == "accept"
    chosen = (result.content or {}).get(_FIELD) if accepted else None  # type: ignore[attr-defined]
    if not isinstance(chosen, str):
        return ()
    if chosen in options:
        name, context = options[chosen]
        return (SensePick(term=term, extended_name=name, context=context),)
    return (SensePick(term=term, extended_name="", decision=_OTHERS[chosen]),) if chosen in _OTHERS else ()


def words_of(answer: Answer, value: AskResult) -> str:
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
