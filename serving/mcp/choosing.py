"""Choosing: the question back to the user, where their client can ask them (elicitation)."""

import json
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field, ValidationError

from contracts.answer import Answer
from contracts.question import Decision, SensePick
from serving.mcp.places import meaning, named

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp_types import CallToolRequestParams, ElicitResult, InputRequiredResult

_FIELD = "meaning"
_MOST_OPTIONS = 20
_OTHERS: dict[str, Decision] = {"All of these": "each", "None of these": "none", "I do not know": "unsure"}


class AskedBack(BaseModel):
    """A question back: the term, and the name and context of each of its meanings by what the user sees of it.

    Stateless: where the client must call again with the user's choice, it brings this along. Whoever changes it on the
    way chooses a meaning by themselves, as they may.
    """

    term: str = Field(max_length=1_000)
    options: dict[str, tuple[str, str]] = Field(max_length=_MOST_OPTIONS)

    @classmethod
    def of(cls, answer: Answer) -> "AskedBack":
        """Return the question back of an answer that asks one."""
        return cls(
            term=answer.options[0].sense.term,
            options={
                named(meaning(each.sense)): (each.sense.extended_name, each.sense.context) for each in answer.options
            },
        )

    @property
    def message(self) -> str:
        """The question in words."""
        return f"{self.term} has several meanings here. Which one do you mean?"

    @property
    def schema_of_choice(self) -> dict[str, Any]:
        """The form that the user fills in."""
        shown = [*self.options, *_OTHERS]
        return {
            "type": "object",
            "properties": {_FIELD: {"type": "string", "title": f"{self.term} means", "enum": shown}},
            "required": [_FIELD],
        }

    def pick_in(self, result: "ElicitResult") -> SensePick | None:
        """Return what the user chose; None where they chose nothing that is on the form."""
        chosen = (result.content or {}).get(_FIELD) if result.action == "accept" else None
        if not isinstance(chosen, str):
            return None
        if chosen in self.options:
            name, context = self.options[chosen]
            return SensePick(term=self.term, extended_name=name, context=context)
        if chosen in _OTHERS:
            return SensePick(term=self.term, extended_name="", decision=_OTHERS[chosen])
        return None

    def as_required_input(self) -> "InputRequiredResult":
        """Return what has the client ask its user and call again."""
        from mcp_types import ElicitRequest, ElicitRequestFormParams, InputRequiredResult

        form = ElicitRequestFormParams(message=self.message, requested_schema=self.schema_of_choice)
        return InputRequiredResult(
            input_requests={_FIELD: ElicitRequest(params=form)}, request_state=self.model_dump_json()
        )


def chosen_before(params: "CallToolRequestParams") -> SensePick | None:
    """Return what the user chose, where the client calls again with it."""
    from mcp_types import ElicitResult

    result = (params.input_responses or {}).get(_FIELD)
    if not isinstance(result, ElicitResult):
        return None
    try:
        return AskedBack.model_validate(json.loads(params.request_state or "")).pick_in(result)
    except (ValidationError, ValueError, RecursionError):
        # Not what was sent along: the question is asked back as if nothing had been chosen.
        return None


def must_ask_first(context: "ServerRequestContext[Any, Any]") -> bool:
    """Say whether the client can ask its user, but only between two calls: nothing can be sent to it within one."""
    return _can_ask(context) and not context.session.can_send_request


async def choose_now(context: "ServerRequestContext[Any, Any]", asked: AskedBack) -> SensePick | None:
    """Have the client ask its user, and return what they chose; None where it cannot, or they chose nothing."""
    if not _can_ask(context):
        return None
    result = await context.session.elicit_form(
        asked.message, asked.schema_of_choice, related_request_id=context.request_id
    )
    return asked.pick_in(result)


def _can_ask(context: "ServerRequestContext[Any, Any]") -> bool:
    capabilities = context.session.client_capabilities
    elicitation = capabilities.elicitation if capabilities is not None else None
    # A client that names no kind of form knows this one.
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)
