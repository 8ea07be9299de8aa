"""What the server refuses, as an error that a page can show."""

import json
from typing import Any

from contracts.errors import GoldenError

_MAX_SHOWN = 600


class ApiProblem(GoldenError):
    """The server refused a request; the text is its own, for people.

    ``status`` is the HTTP status, 0 where no answer came. ``code`` names the problem for programs, ``field`` the field
    that it is about, "" for none. ``details`` are further lines, such as one for each line of an import.
    """

    code = "api_problem"

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: str = "",
        field: str = "",
        details: tuple[str, ...] = (),
        current: Any = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.field = field
        self.details = details
        self.current = current


def problem_in(status: int, body: bytes) -> ApiProblem:
    """Return the problem that an answer tells of, whatever its body is."""
    try:
        told: Any = json.loads(body)
    except ValueError:
        told = None
    error = told.get("error") if isinstance(told, dict) else None
    if not isinstance(error, dict):
        text = body.decode("utf-8", errors="replace").strip()[:_MAX_SHOWN]
        return ApiProblem(text or f"The server answered {status}.", status=status)
    return problem_of(error, status)


def problem_of(error: dict[str, Any], status: int) -> ApiProblem:
    """Return the problem in the ``error`` of an answer or of an event in a stream."""
    lines = error.get("lines")
    return ApiProblem(
        str(error.get("message") or f"The server answered {status}."),
        status=status,
        code=str(error.get("code") or ""),
        field=str(error.get("param") or ""),
        details=tuple(map(_line, lines)) if isinstance(lines, list) else (),
        current=error.get("current"),
    )


def _line(told: Any) -> str:
    return f"{told.get('line', '?')}: {told.get('text', '')}" if isinstance(told, dict) else str(told)
