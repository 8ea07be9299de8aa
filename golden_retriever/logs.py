"""The server's log: one line per event, from our packages and from libraries, each with the request's id."""

import logging
import sys
from typing import TYPE_CHECKING, TextIO

from golden_retriever.parts import PARTS

if TYPE_CHECKING:
    from structlog.typing import Processor

    from golden_retriever.settings import Settings


def send_logs_to_standard_error() -> None:
    """Show warnings and errors on standard error, one per line: standard output is for results."""
    import structlog

    structlog.configure(
        # Looked up at each message: a program may replace standard error.
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
    )


def start_logging(settings: "Settings", stream: TextIO | None = None) -> None:
    """Send the messages of structlog and of the standard library's logging to ``stream`` (None: standard error).

    Our packages log from ``GOLDEN_LOG_LEVEL`` on, libraries only warnings and errors: at debug level they write whole
    requests, including questions and keys.
    """
    import structlog

    place = stream or sys.stderr
    as_text = settings.log_format == "text" or (not settings.log_format and place.isatty())
    level = logging.getLevelNamesMapping()[settings.log_level.upper()]
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
        structlog.processors.StackInfoRenderer(),
    ]
    handler = logging.StreamHandler(place)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*shared, structlog.stdlib.PositionalArgumentsFormatter()],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *_renderers(place, as_text)],
        )
    )
    root = logging.getLogger()
    for old in root.handlers[:]:
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
    for name in (*PARTS, "golden_retriever"):
        logging.getLogger(name).setLevel(level)
    # It warns about each connection that is closed at the end, although that is intended.
    logging.getLogger("uvicorn.error").addFilter(
        lambda record: "timeout graceful shutdown exceeded" not in str(record.msg)
    )
    logging.captureWarnings(True)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )


def _renderers(place: TextIO, as_text: bool) -> "list[Processor]":
    import structlog

    if as_text:
        return [structlog.dev.ConsoleRenderer(colors=place.isatty(), timestamp_key="time")]
    return [
        structlog.processors.format_exc_info,
        structlog.processors.EventRenamer("message"),
        structlog.processors.JSONRenderer(ensure_ascii=False, default=str),
    ]
