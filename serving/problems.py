"""Problems: every error as OpenAI's error body with the matching status, never a traceback."""

import logging
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from contracts.errors import Conflict, GoldenError, InvalidInput, NotFound, PreconditionFailed, Unavailable
from jargon_db.spreadsheets import LineProblem
from serving.access import Forbidden, TooManyRequests, Unauthenticated, sends_json


class RequestTooLarge(GoldenError):
    """The body is larger than allowed (HTTP 413)."""

    code = "request_too_large"


# Under this path, invalid requests get a 422, as in FastAPI; OpenAI's own routes answer 400, like OpenAI.
_OURS = "/api/"
# Pydantic's names for the alternative types of a field.
_KINDS = frozenset({"str", "int", "float", "bool", "constrained-str"})
_CODES = {
    400: "unreadable_body",
    404: "not_found",
    405: "method_not_allowed",
    413: "request_too_large",
    415: "unsupported",
}
_INVALID = "invalid_request_error"
_STATUSES: tuple[tuple[type[GoldenError], int, str], ...] = (
    (InvalidInput, 400, _INVALID),
    (Unauthenticated, 401, _INVALID),
    (Forbidden, 403, _INVALID),
    (TooManyRequests, 429, "requests"),
    (NotFound, 404, _INVALID),
    (PreconditionFailed, 412, _INVALID),
    (Conflict, 409, _INVALID),
    (RequestTooLarge, 413, _INVALID),
    (Unavailable, 503, "server_error"),
)
_log = logging.getLogger(__name__)


class Problem(BaseModel):
    """What went wrong, in OpenAI's format; ``lines`` are the errors in a refused file."""

    message: str
    type: str
    param: str | None = None
    code: str | None = None
    lines: tuple[LineProblem, ...] | None = None


class ProblemBody(BaseModel):
    """The body of an error response."""

    error: Problem

    def values(self) -> dict[str, Any]:
        """Return the body as JSON values, without unset fields."""
        error = self.error.model_dump(mode="json")
        return {"error": {name: value for name, value in error.items() if name != "lines" or value is not None}}


def problem_of(error: BaseException, request_id: str) -> tuple[int, Problem]:
    """Return the status and the problem for ``error``; an unexpected one is logged and not shown."""
    for kind, status, type_ in _STATUSES:
        if isinstance(error, kind):
            return status, Problem(
                message=str(error),
                type=type_,
                param=getattr(error, "field", None),
                code=error.code,
                lines=getattr(error, "lines", None),
            )
    _log.error("request %s failed", request_id, exc_info=error)
    message = f"Something broke inside the bot. The log has the details under request id {request_id}."
    return 500, Problem(message=message, type="server_error", code="internal_error")


def respond(status: int, problem: Problem, headers: dict[str, str] | None = None) -> JSONResponse:
    """Return the error response."""
    return JSONResponse(ProblemBody(error=problem).values(), status_code=status, headers=headers)


def error_response(error: BaseException, request_id: str, headers: dict[str, str] | None = None) -> JSONResponse:
    """Return the response for ``error``, with the time to wait if a retry can help."""
    again = {"retry-after": str(error.retry_after_s)} if isinstance(error, TooManyRequests) else {}
    return respond(*problem_of(error, request_id), {**(headers or {}), **again})


def install_problems(app: FastAPI) -> None:
    """Make ``app`` answer every expected error in OpenAI's format; ``RequestLog`` answers the others."""
    app.add_exception_handler(RequestValidationError, _on_invalid_request)
    app.add_exception_handler(HTTPException, _on_http_error)
    app.add_exception_handler(GoldenError, _on_error)


async def _on_error(request: Request, error: Exception) -> JSONResponse:
    if not request.url.path.startswith(_OURS) and getattr(error, "field", None) == "question":
        # For an OpenAI client, the bot's field "question" is "messages".
        error = InvalidInput(str(error), field="messages")
    response = error_response(error, request_id_of(request))
    if response.status_code == 400 and request.url.path.startswith(_OURS):
        response.status_code = 422
    return response


async def _on_http_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    message = f"{request.method} {request.url.path}: {error.detail}"
    problem = Problem(message=message, type=_INVALID, code=_CODES.get(error.status_code))
    return respond(error.status_code, problem, dict(error.headers) if error.headers else None)


async def _on_invalid_request(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first: dict[str, Any] = error.errors()[0]
    if first["type"] == "json_invalid":
        reason = first.get("ctx", {}).get("error", "")
        message = f"The body is not valid JSON ({reason} at character {first['loc'][-1]})."
        return respond(400, Problem(message=message, type=_INVALID, code="invalid_json"))
    place = [part for part in first["loc"] if part not in ("body", "query", "path", "header")]
    status = 422 if request.url.path.startswith(_OURS) else 400
    if not place:
        kind = request.headers.get("content-type", "")
        status = 415 if status == 422 and kind and not sends_json(kind) else status
        message = "The body must be a JSON object, sent with Content-Type: application/json."
        return respond(status, Problem(message=message, type=_INVALID, code="invalid_json"))
    param = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place if not _is_kind(part))
    param = param.lstrip(".")
    code = "missing_required_parameter" if first["type"] == "missing" else "invalid_value"
    return respond(status, Problem(message=f"{param}: {first['msg']}.", type=_INVALID, param=param, code=code))


def _is_kind(part: str | int) -> bool:
    """Return whether a part of a location names the type of a field instead of a field."""
    return isinstance(part, str) and (part in _KINDS or "[" in part)


def request_id_of(request: Request) -> str:
    """Return the id that a request has in the log and in its response."""
    return str(getattr(request.state, "request_id", ""))
