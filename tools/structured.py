"""Structured replies: from a chat model's text to a validated value, with one round of repair."""

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

# Models that think aloud put the reply after a block of thoughts.
_THOUGHTS = re.compile(r"<(think|thinking|reasoning)>.*?(</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCED = re.compile(r"```[a-zA-Z]*\s*\n(.*?)```", re.DOTALL)
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_MOST_STARTS = 50
_MOST_PROBLEMS = 5
_SHOWN_CHARACTERS = 2_000


async def ask_structured(chat: ChatModel, request: ChatRequest, form: type[Form]) -> tuple[Form, ChatReply]:
    """Ask for a reply in the form ``form``; a reply with another form is sent back once with an explanation.

    One that was cut off at its limit is not, because the next one would be cut off as well. The form's JSON schema is
    sent as ``json_schema`` if ``request`` has none. Returns the validated reply and the raw one.

    Raises:
        ChatUnavailable: the chat server does not answer.
        TruncatedReply: the reply was cut off before it had that form.
        MalformedReply: the second reply does not have that form either; the text says why.
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
    """Return the JSON schema of ``form`` as servers with strict decoding require it: every field, and no other.

    Source: what OpenAI's structured outputs support (every object names all its properties as required and allows no
    further ones); servers that are less strict decode the same.
    """
    closed: dict[str, Any] = _closed(form.model_json_schema())
    return closed


def parse_reply(text: str, form: type[Form]) -> Form:
    """Find the value of the form ``form`` in a reply: bare JSON, fenced, or with words around it.

    Trailing commas and Python's spelling (``True``, single quotes) are forgiven; missing or wrong fields are not.

    Raises:
        MalformedReply: there is none; the text says what is wrong with the closest one.
    """
    problem = ""
    for candidate in _candidates(without_thoughts(text)):
        try:
            return form.model_validate(candidate)
        except ValidationError as error:
            # Report the problem of the first candidate, which is the whole text; the others are parts of it.
            problem = problem or "; ".join(_described(error))
    problem = problem or "there is no JSON in it"
    raise MalformedReply(f"The reply does not have the form {form.__name__}: {problem}.")


def without_thoughts(text: str) -> str:
    """Return a reply without the thoughts that some models put in front of it; if they do not end, nothing is left."""
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
    """Yield possible replies, the likeliest first: the whole text, fenced text, text that begins with a bracket."""
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
