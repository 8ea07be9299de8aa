"""Structured replies: converts the text of a chat model to a validated value, with one repair attempt."""

import ast
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from contracts.errors import MalformedReply
from tools.chat.base import ChatMessage, ChatModel, ChatReply, ChatRequest
from tools.chat.reply_limits import TruncatedReply

Form = TypeVar("Form", bound=BaseModel)

# Some models write a block of thoughts before the reply.
_THOUGHTS = re.compile(r"<(think|thinking|reasoning)>.*?(</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCED = re.compile(r"```[a-zA-Z]*\s*\n(.*?)```", re.DOTALL)
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_MOST_STARTS = 50
_MOST_PROBLEMS = 5
_SHOWN_CHARACTERS = 2_000


async def ask_structured(chat: ChatModel, request: ChatRequest, form: type[Form]) -> tuple[Form, ChatReply]:
    """Ask for a reply in the form ``form``; if the form is wrong, ask once more with an explanation.

    If the reply was cut off at its limit, do not ask again, because the next reply would be cut off as well. If
    ``request`` has no ``json_schema``, the JSON schema of the form is sent. Return the validated reply and the raw one.

    Raises:
        ChatUnavailable: the chat server does not answer.
        TruncatedReply: the reply was cut off before it was complete.
        MalformedReply: the second reply does not have this form either; the message explains why.
    """
    if request.json_schema is None:
        request = replace(request, json_schema=strict_schema(form))
    reply = await chat.complete(request)
    try:
        return parse_reply(reply.text, form), reply
    except MalformedReply as error:
        if reply.truncated:
            raise TruncatedReply(f"{error} It was cut at {request.max_tokens} tokens.") from error
        complaint = (
            f"Your reply cannot be used: {error} Answer again with nothing but JSON that follows this schema:\n"
            f"{json.dumps(request.json_schema)}"
        )
    again = (
        ChatMessage(role="assistant", content=reply.text[:_SHOWN_CHARACTERS] or "(nothing)"),
        ChatMessage(role="user", content=complaint),
    )
    reply = await chat.complete(replace(request, messages=(*request.messages, *again)))
    return parse_reply(reply.text, form), reply


def strict_schema(form: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema of ``form`` for servers with strict decoding: all fields are required, no others allowed.

    Source: the requirements of OpenAI's structured outputs (each object lists all properties as required and allows no
    additional ones); less strict servers return the same.
    """
    closed: dict[str, Any] = _closed(form.model_json_schema())
    return closed


def parse_reply(text: str, form: type[Form]) -> Form:
    """Find the JSON value with the form ``form`` in a reply: alone, in a code fence, or with text around it.

    Trailing commas and Python syntax (``True``, single quotes) are accepted; missing or invalid fields are not.

    Raises:
        MalformedReply: there is no such value; the message describes the error in the closest one.
    """
    problem = ""
    for candidate in _candidates(without_thoughts(text)):
        try:
            return form.model_validate(candidate)
        except ValidationError as error:
            # Report the problem in the first candidate, which is the whole text; the others are parts of it.
            problem = problem or "; ".join(_described(error))
    problem = problem or "there is no JSON in it"
    raise MalformedReply(f"The reply does not have the form {form.__name__}: {problem}.")


def without_thoughts(text: str) -> str:
    """Return a reply without the thoughts that some models write before it; "" if the thoughts do not end."""
    return _THOUGHTS.sub("", text)


def _closed(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {name: _closed(value) for name, value in schema.items()}
    if schema.get("type") == "object" and isinstance(schema.get("properties"), dict):
        closed |= {"additionalProperties": False, "required": list(schema["properties"])}
    return closed


def _described(error: ValidationError) -> Iterator[str]:
    for one in error.errors()[:_MOST_PROBLEMS]:
        yield f"{'.'.join(map(str, one['loc'])) or 'JSON'}: {one['msg']}"


def _candidates(text: str) -> Iterator[Any]:
    """Yield possible replies, most probable first: the whole text, fenced text, text that begins with a bracket."""
    for place in (text, *_FENCED.findall(text), text[_first(text) : max(text.rfind("}"), text.rfind("]")) + 1]):
        value = _read(place.strip())
        if isinstance(value, dict | list):
            yield value
    plain = _TRAILING_COMMA.sub(r"\1", text)
    for start in [match.start() for match in re.finditer(r"[{\[]", plain)][:_MOST_STARTS]:
        try:
            yield json.JSONDecoder(strict=False).raw_decode(plain, start)[0]
        except (ValueError, RecursionError):
            continue


def _first(text: str) -> int:
    found = re.search(r"[{\[]", text)
    return found.start() if found else len(text)


def _read(text: str) -> Any:
    with suppress(ValueError, RecursionError):
        return json.loads(text, strict=False)
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return None
