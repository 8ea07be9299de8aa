"""The server's log: one line per event, from our packages and from libraries, each with the request's id."""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import TextIO

from golden_retriever.parts import PARTS
from golden_retriever.settings import Settings
from serving.request_log import REQUEST_ID

_USUAL = frozenset({*vars(logging.makeLogRecord({})), "message", "asctime", "color_message"})


def start_logging(settings: Settings, stream: TextIO | None = None) -> None:
    """Send all messages of Python's logging to ``stream`` (None: standard error).

    Our packages log at ``GOLDEN_LOG_LEVEL`` and above, libraries only warnings and errors: at debug level they write
    whole requests, including questions and keys.
    """
    place = stream or sys.stderr
    handler = logging.StreamHandler(place)
    handler.setFormatter(
        _TextFormatter()
        if settings.log_format == "text" or (not settings.log_format and place.isatty())
        else _JsonFormatter()
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    for name in (*PARTS, "golden_retriever"):
        logging.getLogger(name).setLevel(settings.log_level.upper())
    # Uvicorn warns about each connection that is closed at shutdown, although this is intended.
    logging.getLogger("uvicorn.error").addFilter(
        lambda record: "timeout graceful shutdown exceeded" not in str(record.msg)
    )
    logging.captureWarnings(True)


class _JsonFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        values = _values(record) | {"level": record.levelname.lower(), "logger": record.name, "time": _time(record)}
        if record.exc_info:
            values["exception"] = self.formatException(record.exc_info)
        return json.dumps(values | {"message": record.getMessage()}, ensure_ascii=False, default=str)


class _TextFormatter(logging.Formatter):
    def formatMessage(self, record: logging.LogRecord) -> str:
        values = "".join(f" {name}={value}" for name, value in _values(record).items())
        return f"{_time(record)} [{record.levelname.lower():<8}] {record.message} [{record.name}]{values}"


def _values(record: logging.LogRecord) -> dict[str, object]:
    """Return the ``extra`` values of a message and the id of the current request."""
    # Ray adds a private time stamp to each record of its process.
    values = {name: value for name, value in vars(record).items() if name not in _USUAL and not name.startswith("_")}
    return values | ({"request_id": request_id} if (request_id := REQUEST_ID.get()) else {})


def _time(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat().replace("+00:00", "Z")
