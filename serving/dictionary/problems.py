"""Problems of the dictionary's routes: each error in the project's form, with the status that says what to do."""

from collections.abc import Collection
from typing import Any

from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from contracts.dictionary import ContextEntry, SenseEntry
from contracts.errors import Conflict, GoldenError, InvalidInput, NotFound
from jargon_db.sheets import RefusedSheet
from serving.access import Forbidden
from serving.dictionary.preconditions import PreconditionFailed, PreconditionMissing
from serving.problems import problem_of
from serving.wire import Problem


class SheetLine(BaseModel):
    """What is wrong with a line of an imported file (the header is line 1)."""

    line: int
    text: str


class DictionaryProblem(Problem):
    """What went wrong. ``lines`` come with a refused file, ``current`` with an edit of an old version."""

    lines: list[SheetLine] | None = None
    current: SenseEntry | ContextEntry | None = None


class DictionaryProblemBody(BaseModel):
    """The body of an error response."""

    error: DictionaryProblem


_INVALID = "invalid_request_error"
_STATUSES: tuple[tuple[type[GoldenError], int], ...] = (
    (InvalidInput, 422),
    (NotFound, 404),
    (Conflict, 409),
    (Forbidden, 403),
    (PreconditionFailed, 412),
    (PreconditionMissing, 428),
)

# Every status that a route of the dictionary may answer with, for its description.
PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": DictionaryProblemBody, "description": text}
    for status, text in {
        400: "The body is not valid JSON, or no multipart form.",
        401: "The server asks for API keys, and the request brings none that is in force.",
        403: "The request could come from another web page, or its key has not the scope or the groups.",
        404: "There is no such entry.",
        409: "What is there stands in the way; the text says what.",
        412: "Somebody changed the entry since; `current` is what it is now.",
        413: "The body is too large.",
        415: "The body is of another kind than the route reads.",
        422: "A field must change; `param` names it.",
        428: "`If-Match` is missing.",
        429: "The key has asked too often; `Retry-After` says when to come back.",
        503: "The database does not answer just now.",
    }.items()
}


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the descriptions of error responses for a route: ``statuses``, and those that every route has."""
    return {status: PROBLEMS[status] for status in sorted({401, 403, 422, 429, 503, *statuses})}


def answer_error(error: Exception, request_id: str) -> JSONResponse:
    """Return the response for ``error``, which a route raised; what nobody expects is raised again."""
    if isinstance(error, RequestValidationError):
        return _invalid(error)
    if isinstance(error, HTTPException):
        # The body, which is all that is read before the routes' own code.
        code = "request_too_large" if error.status_code == 413 else "unreadable_body"
        message = f"{str(error.detail).rstrip('.')}. Send it again, whole and in the form that the route describes."
        return _answer(error.status_code, DictionaryProblem(message=message, type=_INVALID, code=code))
    if not isinstance(error, GoldenError):
        raise error
    status = next((status for kind, status in _STATUSES if isinstance(error, kind)), None)
    if status is None:
        status, problem = problem_of(error, request_id)
        return _answer(status, DictionaryProblem(**problem.model_dump()))
    param = getattr(error, "field", None)
    told = DictionaryProblem(message=str(error), type=_INVALID, param=param, code=error.code)
    if isinstance(error, RefusedSheet):
        told.lines = [SheetLine(line=each.line, text=each.text) for each in error.lines]
    if isinstance(error, PreconditionFailed):
        told.current = error.current
    return _answer(status, told)


def refuse_kind(kind: str, given: str) -> JSONResponse:
    """Return the response to a body of another content type than ``kind``."""
    message = f"This route reads {kind}, and the body is {given or 'of no declared type'}: send Content-Type: {kind}."
    return _answer(415, DictionaryProblem(message=message, type=_INVALID, param="Content-Type", code="unsupported"))


def refuse_method(method: str, allowed: Collection[str]) -> JSONResponse:
    """Return the response to a method that an address does not have."""
    shown = ", ".join(sorted(allowed))
    message = f"{method} is not for this address: use {shown}."
    response = _answer(405, DictionaryProblem(message=message, type=_INVALID, code="method_not_allowed"))
    response.headers["allow"] = shown
    return response


def _invalid(error: RequestValidationError) -> JSONResponse:
    found: list[dict[str, Any]] = list(error.errors())
    first = found[0]
    if first["type"] == "json_invalid":
        reason = first.get("ctx", {}).get("error", "")
        message = f"The body is not valid JSON ({reason} at character {first['loc'][-1]}): correct it there."
        return _answer(400, DictionaryProblem(message=message, type=_INVALID, code="invalid_json"))
    told = [(_place(each["loc"]), _reason(each)) for each in found]
    message = " ".join(f"{place}: {reason}." if place else f"{reason}." for place, reason in told)
    return _answer(422, DictionaryProblem(message=message, type=_INVALID, param=told[0][0] or None, code="invalid"))


def _place(location: tuple[str | int, ...]) -> str:
    parts = location[1:] if location and location[0] in ("body", "query", "path", "header") else location
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts).lstrip(".")


def _reason(found: dict[str, Any]) -> str:
    location = found["loc"]
    match found["type"]:
        case "missing" if len(location) <= 1:
            return "The body is missing: send a JSON object with Content-Type: application/json"
        case "missing":
            return "This is needed: add it"
        case "extra_forbidden":
            return "There is no such field: correct its name or leave it out"
        case "model_attributes_type" | "dict_type":
            return "Send a JSON object"
    return str(found["msg"])


def _answer(status: int, problem: DictionaryProblem) -> JSONResponse:
    body = DictionaryProblemBody(error=problem).model_dump(mode="json")
    # What only some errors have is not there in the others.
    body["error"] = {
        name: value for name, value in body["error"].items() if value is not None or name not in ("lines", "current")
    }
    return JSONResponse(body, status_code=status)
