"""Problems: every error as OpenAI's error body with the right status, never a traceback."""

import logging
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from contracts.errors import Conflict, GoldenError, InvalidInput, NotFound, Unavailable
from serving.access import Forbidden, TooManyRequests, Unauthenticated
from serving.wire import Problem, ProblemBody

# How pydantic calls the kinds of a field that may be several.
_KINDS = frozenset({"str", "int", "float", "bool", "constrained-str"})
_log = logging.getLogger(__name__)
_INVALID = "invalid_request_error"
_STATUSES: tuple[tuple[type[GoldenError], int, str], ...] = (
    (InvalidInput, 400, _INVALID),
    (Unauthenticated, 401, _INVALID),
    (Forbidden, 403, _INVALID),
    (TooManyRequests, 429, "requests"),
    (NotFound, 404, _INVALID),
    (Conflict, 409, _INVALID),
    (Unavailable, 503, "server_error"),
)


def problem_of(error: BaseException, request_id: str) -> tuple[int, Problem]:
    """Return the status and the problem for ``error``; an unexpected one is logged and not shown."""
    for kind, status, type_ in _STATUSES:
        if isinstance(error, kind):
            param = getattr(error, "field", None)
            # What the bot calls the question is the client's messages.
            param = "messages" if param == "question" else param
            return status, Problem(message=str(error), type=type_, param=param, code=error.code)
    _log.error("request %s failed", request_id, exc_info=error)
    message = f"Something broke inside the bot. The log has the details under request id {request_id}."
    return 500, Problem(message=message, type="server_error", code="internal_error")


def respond(status: int, problem: Problem, headers: dict[str, str] | None = None) -> JSONResponse:
    """Return the error response."""
    return JSONResponse(ProblemBody(error=problem).model_dump(), status_code=status, headers=headers)


def error_response(error: BaseException, request_id: str, headers: dict[str, str] | None = None) -> JSONResponse:
    """Return the response for ``error``, which says when to come back where that helps."""
    again = {"retry-after": str(error.retry_after_s)} if isinstance(error, TooManyRequests) else {}
    return respond(*problem_of(error, request_id), {**(headers or {}), **again})


def refuse(message: str, *, param: str, code: str = "invalid_value") -> JSONResponse:
    """Return the response to a request that asks for what there is not."""
    return respond(400, Problem(message=message, type=_INVALID, param=param, code=code))


def install_problems(app: FastAPI) -> None:
    """Make ``app`` answer every expected error in OpenAI's form; ``RequestIds`` answers the others."""
    app.add_exception_handler(RequestValidationError, _on_invalid_request)
    app.add_exception_handler(HTTPException, _on_http_error)
    app.add_exception_handler(GoldenError, _on_error)


async def _on_error(request: Request, error: Exception) -> JSONResponse:
    return error_response(error, request_id_of(request))


async def _on_http_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    code = {404: "not_found", 405: "method_not_allowed", 413: "request_too_large"}.get(error.status_code)
    message = f"{request.method} {request.url.path}: {error.detail}"
    problem = Problem(message=message, type=_INVALID, code=code)
    return respond(error.status_code, problem, dict(error.headers) if error.headers else None)


async def _on_invalid_request(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first: dict[str, Any] = error.errors()[0]
    if first["type"] == "json_invalid":
        reason = first.get("ctx", {}).get("error", "")
        message = f"The body is not valid JSON ({reason} at character {first['loc'][-1]})."
        return respond(400, Problem(message=message, type=_INVALID, code="invalid_json"))
    place = [part for part in first["loc"] if part != "body"]
    if not place:
        message = "The body must be a JSON object, sent with Content-Type: application/json."
        return respond(400, Problem(message=message, type=_INVALID, code="invalid_json"))
    param = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place if not _is_kind(part))
    param = param.lstrip(".")
    code = "missing_required_parameter" if first["type"] == "missing" else "invalid_value"
    return refuse(f"{param}: {first['msg']}.", param=param, code=code)


def _is_kind(part: str | int) -> bool:
    """Say whether a part of a location names one of several kinds that a field may be, and no field."""
    return isinstance(part, str) and (part in _KINDS or "[" in part)


def request_id_of(request: Request) -> str:
    """Return the id under which the request stands in the log and in its response."""
    return str(getattr(request.state, "request_id", ""))
