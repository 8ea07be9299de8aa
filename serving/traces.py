"""Traces for OpenTelemetry: a span a question, below it one a step and one a call of a chat server.

No span holds a question's text, an answer or a document's name, unless questions may be logged.
"""

import time
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field

import structlog
from opentelemetry.context import Context
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer, set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from contracts.answer import AnswerEvent, AnswerReady, Step, StepFinished, StepStarted
from contracts.question import Asker
from serving.request_log import outcome_of, trace_headers
from tools.chat.observers import CallKind, ChatCallEnd

_W3C = TraceContextTextMapPropagator()
# The span below which what happens now belongs; tasks that a question begins inherit it.
_ABOVE: ContextVar["Span | None"] = ContextVar("the span above", default=None)


class Traces:
    """Follows questions and calls of chat servers; ``provider`` sends the spans. ``with_text``: questions, too."""

    def __init__(self, provider: TracerProvider, *, with_text: bool) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("golden-retriever")
        self._with_text = with_text

    def watch(self, question: str, asker: Asker) -> "_TracedQuestion":
        """Begin the span of a question, below that of the request's ``traceparent`` where it brings one."""
        span = self._tracer.start_span("question", context=_W3C.extract(trace_headers()), kind=SpanKind.SERVER)
        request_id = structlog.contextvars.get_contextvars().get("request_id")
        if request_id:
            span.set_attribute("golden.request_id", str(request_id))
        if self._with_text:
            span.set_attribute("golden.question", question)
        _ABOVE.set(span)
        return _TracedQuestion(tracer=self._tracer, span=span)

    def call(self, server: str, kind: CallKind) -> "_TracedCall":
        """Begin the span of a call."""
        above = _ABOVE.get()
        span = self._tracer.start_span("chat", context=_below(above), kind=SpanKind.CLIENT)
        span.set_attributes({"server.address": server, "golden.kind": kind})
        _ABOVE.set(span)
        return _TracedCall(span=span, above=above)

    def headers(self) -> Mapping[str, str]:
        """Return what a request to a chat server carries, so that its own spans stand below ours."""
        carrier: dict[str, str] = {}
        above = _ABOVE.get()
        if above is not None:
            _W3C.inject(carrier, context=_below(above))
        return carrier

    def close(self) -> None:
        """Send what is left. Blocking, for a few seconds at most."""
        self._provider.shutdown()


def _below(span: Span | None) -> Context:
    return set_span_in_context(span, Context()) if span is not None else Context()


@dataclass(kw_only=True)
class _TracedQuestion:
    tracer: Tracer
    span: Span
    outcome: str = ""
    begun_ns: dict[str, int] = field(default_factory=dict)

    def hear(self, event: AnswerEvent) -> None:
        """Make a span of each step, and keep what came of it all."""
        if isinstance(event, StepStarted):
            self.begun_ns[event.node] = time.time_ns()
        elif isinstance(event, StepFinished):
            self._step(event.step)
        elif isinstance(event, AnswerReady):
            self.outcome = event.answer.outcome
            if event.answer.certainty is not None:
                self.span.set_attribute("golden.certainty", event.answer.certainty)

    def end(self, error: BaseException | None) -> None:
        """End the span, and those of the steps that did not end."""
        outcome = outcome_of(self.outcome, error)
        for node, begun_ns in self.begun_ns.items():
            unfinished = self.tracer.start_span(node, context=_below(self.span), start_time=begun_ns)
            unfinished.set_attribute("golden.outcome", outcome)
            _mark(unfinished, outcome, error)
            unfinished.end()
        self.span.set_attribute("golden.outcome", outcome)
        _mark(self.span, outcome, error)
        self.span.end()
        _ABOVE.set(None)

    def _step(self, step: Step) -> None:
        took_ns = int(step.milliseconds * 1_000_000)
        begun_ns = self.begun_ns.pop(step.node, time.time_ns() - took_ns)
        span = self.tracer.start_span(step.node, context=_below(self.span), start_time=begun_ns)
        span.set_attribute("golden.milliseconds", step.milliseconds)
        judged = step.provenance
        if judged is not None:
            span.set_attribute("golden.implementation", judged.implementation)
            span.set_attribute("golden.degraded", bool(judged.degraded))
            if judged.model:
                span.set_attribute("gen_ai.request.model", judged.model)
        span.set_attribute("golden.outcome", "degraded" if judged is not None and judged.degraded else "ok")
        span.end(end_time=begun_ns + took_ns)


@dataclass(kw_only=True)
class _TracedCall:
    span: Span
    above: Span | None

    def first_piece(self) -> None:
        """Mark it."""
        self.span.add_event("first piece")

    def end(self, end: ChatCallEnd) -> None:
        """End the span."""
        self.span.update_name(f"chat {end.model}".strip())
        self.span.set_attributes(
            {
                "gen_ai.request.model": end.model,
                "golden.outcome": end.outcome,
                "gen_ai.usage.input_tokens": end.prompt_tokens,
                "gen_ai.usage.output_tokens": end.completion_tokens,
            }
        )
        if end.outcome in ("unavailable", "malformed"):
            self.span.set_status(Status(StatusCode.ERROR, end.outcome))
        self.span.end()
        _ABOVE.set(self.above)


def _mark(span: Span, outcome: str, error: BaseException | None) -> None:
    if outcome == "error":
        # Its class only: its words may hold the question.
        span.set_status(Status(StatusCode.ERROR, type(error).__name__))
