"""Watching: who follows the questions and the calls of chat servers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from contracts.errors import ConfigurationError
from golden_retriever.settings import Settings

if TYPE_CHECKING:
    from agent.watching import QuestionWatcher
    from serving.metrics import Metrics
    from serving.traces import Traces
    from tools.chat.observing import ChatObserver


@dataclass(frozen=True, slots=True, kw_only=True)
class Watching:
    """Who follows ``questions``, and who follows ``calls`` of chat servers.

    ``headers`` are what those calls carry besides; ``close`` is called at the end, and blocks.
    """

    questions: "tuple[QuestionWatcher, ...]" = ()
    calls: "tuple[ChatObserver, ...]" = ()
    headers: Callable[[], Mapping[str, str]] | None = None
    close: Callable[[], None] = lambda: None


def build_watching(settings: Settings, metrics: "Metrics") -> Watching:
    """Return who follows what a server does: its log, its metrics, and its traces where they are sent anywhere.

    Raises:
        ConfigurationError: traces are asked for, and what sends them is not installed.
    """
    from serving.chat_metrics import ChatMetrics
    from serving.request_log import QuestionLog

    log, chat = QuestionLog(with_text=settings.log_questions), ChatMetrics(metrics.registry)
    if not settings.otlp_endpoint:
        return Watching(questions=(log, metrics), calls=(chat,))
    traces = _build_traces(settings)
    return Watching(questions=(traces, log, metrics), calls=(traces, chat), headers=traces.headers, close=traces.close)


def _build_traces(settings: Settings) -> "Traces":
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise ConfigurationError(
            "GOLDEN_OTLP_ENDPOINT is set, and traces need their extra: pip install 'golden-retriever-bot[telemetry]'"
        ) from error
    from golden_retriever import __version__
    from serving.traces import Traces

    resource = Resource.create({"service.name": "golden-retriever", "service.version": __version__})
    # Its end is this server's, which shuts it down: at the interpreter's exit nobody waits for a collector.
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    exporter = OTLPSpanExporter(endpoint=f"{settings.otlp_endpoint}/v1/traces", timeout=5)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return Traces(provider, with_text=settings.log_questions)
