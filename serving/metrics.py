"""Metrics for Prometheus, and a line in the log for each question; each label has a bounded set of values.

No label contains a document's name, a question, a person or a key. Servers and models are those named in the settings.
"""

import asyncio
import hmac
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from fastapi import APIRouter, Request
from fastapi.responses import Response
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)

from contracts.answer import AnswerEvent, AnswerReady, Step, StepFinished, StepStarted, TextDelta
from contracts.question import Asker
from serving.authentication import admit, request_info
from serving.identity.guards import Guard
from serving.request_log import note
from tools.chat.observers import ChatCall

# From an embedded step (milliseconds) to an answer from a slow chat server.
_STEP_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
_ANSWER_S = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0, 120.0, 300.0)
PATH = "/metrics"
_log = logging.getLogger(__name__)
Gauges = Callable[[], Mapping[str, Mapping[str, float]]]


class Metrics:
    """The metrics of one server: questions, requests and calls to chat servers.

    With ``log_questions``, log lines include the text of the questions.
    """

    def __init__(self, *, log_questions: bool = False) -> None:
        self._log_questions = log_questions
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        count = partial(Counter, registry=self.registry)
        gauge = partial(Gauge, registry=self.registry)
        time_of = partial(Histogram, registry=self.registry, buckets=_ANSWER_S)

        self.under_way = 0
        answering = gauge("golden_questions_under_way", "Questions being answered now.")
        answering.set_function(lambda: self.under_way)
        self.questions = count("golden_questions", "Questions by outcome.", ["outcome"])
        self.question_s = time_of("golden_question_seconds", "Time from a question to its answer.", ["outcome"])
        self.first_text_s = time_of("golden_first_text_seconds", "Time from a question to the first text of its draft.")
        description = "Steps by node, implementation and outcome."
        self.steps_s = time_of(
            "golden_step_seconds", description, ["node", "implementation", "outcome"], buckets=_STEP_S
        )

        self.requests_in_flight = gauge("golden_requests_in_flight", "Requests being served now.")
        self.requests = count("golden_requests", "Requests by route and status.", ["method", "route", "status"])
        self.requests_s = time_of(
            "golden_request_seconds", "Time from a request to the end of its response.", ["route"]
        )

        description = "Calls to a chat server: complete replies, and streams up to their last piece."
        self.calls_s = time_of("golden_chat_call_seconds", description, ["server", "model", "kind", "outcome"])
        description = "Time from a call to the first piece of its stream."
        self.first_piece_s = time_of("golden_chat_first_piece_seconds", description, ["server"])
        description = (
            "Tokens sent to chat servers (in) and received from them (out), counted by the server or estimated."
        )
        self.tokens = count("golden_chat_tokens", description, ["server", "model", "direction", "counted"])

    def count_call(self, call: ChatCall) -> None:
        """Count a finished call to a chat server."""
        if call.first_piece_s is not None:
            self.first_piece_s.labels(call.server).observe(call.first_piece_s)
        self.calls_s.labels(call.server, call.model, call.kind, call.outcome).observe(call.seconds)
        counted = "server" if call.counted else "estimate"
        for direction, number in (("in", call.prompt_tokens), ("out", call.completion_tokens)):
            self.tokens.labels(call.server, call.model, direction, counted).inc(number)

    def watch(self, question: str, asker: Asker) -> "_CountedQuestion":
        self.under_way += 1
        return _CountedQuestion(metrics=self, text=question if self._log_questions else "")

    def begin(self) -> None:
        self.requests_in_flight.inc()

    def end(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request; ``route`` is the pattern of its path, so that the number of values is bounded."""
        self.requests_in_flight.dec()
        self.requests.labels(method, route, str(status)).inc()
        self.requests_s.labels(route).observe(seconds)

    def exposition(self, gauges: Mapping[str, Mapping[str, float]]) -> bytes:
        """Return everything in Prometheus' text format. Blocking.

        ``gauges`` are further values, by ``name``, or by ``name:label`` for each value of a label.
        """
        kept = CollectorRegistry()
        for name, values in gauges.items():
            bare, _, label = name.partition(":")
            gauge = Gauge(bare, _HELP.get(bare, bare), [label] if label else [], registry=kept)
            for value, number in values.items():
                (gauge.labels(value) if label else gauge).set(number)
        return generate_latest(self.registry) + generate_latest(kept)


_HELP = {
    "golden_library_documents": "Documents in the library.",
    "golden_library_chunks": "Chunks in the library.",
    "golden_unknown_terms": "Unknown terms waiting for a meaning.",
    "golden_ingestion_jobs": "Ingestion jobs requested over HTTP, all servers, by state; the last 200 that finished.",
    "golden_chat_server_open": "Circuit breaker for a chat server: open (1), trying a call (0.5) or closed (0).",
}


@dataclass(kw_only=True)
class _CountedQuestion:
    metrics: Metrics
    text: str = ""
    outcome: str = ""
    degraded: int = 0
    begun: float = field(default_factory=time.perf_counter)
    running: dict[str, float] = field(default_factory=dict)
    wrote: bool = False

    def hear(self, event: AnswerEvent) -> None:
        if isinstance(event, StepStarted):
            self.running[event.node] = time.perf_counter()
        elif isinstance(event, StepFinished):
            self.running.pop(event.step.node, None)
            self._count(event.step)
        elif isinstance(event, TextDelta) and not self.wrote:
            self.wrote = True
            self.metrics.first_text_s.observe(time.perf_counter() - self.begun)
        elif isinstance(event, AnswerReady):
            self.outcome, self.degraded = event.answer.outcome, len(event.answer.degraded)

    def end(self, error: BaseException | None) -> None:
        # If there is no answer, the question failed or the asker disconnected.
        outcome = self.outcome or ("error" if isinstance(error, Exception) else "abandoned")
        metrics, seconds = self.metrics, time.perf_counter() - self.begun
        metrics.under_way -= 1
        metrics.questions.labels(outcome).inc()
        metrics.question_s.labels(outcome).observe(seconds)
        note(outcome=outcome)
        problem = type(error).__name__ if outcome == "error" else ""
        said = {"question": self.text, "degraded_steps": self.degraded, "error": problem}
        told = {name: value for name, value in said.items() if value}
        _log.info("question", extra={"outcome": outcome, "ms": round(seconds * 1_000, 1), **told})
        for node, begun in self.running.items():
            # A step that began but did not end has failed or was abandoned.
            metrics.steps_s.labels(node, "", outcome).observe(time.perf_counter() - begun)

    def _count(self, step: Step) -> None:
        judged = step.provenance
        outcome = "degraded" if judged is not None and judged.degraded else "ok"
        implementation = judged.implementation if judged is not None else ""
        seconds = self.metrics.steps_s.labels(step.node, implementation, outcome)
        seconds.observe(step.milliseconds / 1_000)


def metrics_router(metrics: Metrics, gauges: Gauges, token: str, guard: Guard) -> APIRouter:
    """Return ``/metrics``: for callers with ``token`` ("": none) or the scope "admin".

    ``gauges`` reads further values; it blocks. On loopback without keys, every program on this machine may read the
    metrics.
    """
    router = APIRouter(tags=["metrics"])

    @router.get(PATH, response_class=Response)
    async def read_metrics(request: Request) -> Response:
        """Return the metrics in Prometheus' text format."""
        if not token or not hmac.compare_digest(request_info(request).bearer.encode(), token.encode()):
            await admit(request, guard, "admin")
        text = await asyncio.to_thread(lambda: metrics.exposition(gauges()))
        return Response(text, media_type=CONTENT_TYPE_LATEST, headers={"cache-control": "no-store"})

    return router
