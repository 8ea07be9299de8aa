"""Metrics of the chat servers: calls, times and tokens, by server and model."""

import time
from dataclasses import dataclass, field

from prometheus_client import CollectorRegistry, Counter, Histogram

from tools.chat.observing import CallKind, ChatCallEnd

_CALL_S = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0, 120.0, 300.0)


class ChatMetrics:
    """Counts calls of chat servers; the servers and models are those that the settings name."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.calls_s = Histogram(
            "golden_chat_call_seconds",
            "Calls of a chat server: whole replies, and streams to their last piece.",
            ["server", "model", "kind", "outcome"],
            buckets=_CALL_S,
            registry=registry,
        )
        self.first_piece_s = Histogram(
            "golden_chat_first_piece_seconds",
            "From a call to the first piece of its stream.",
            ["server"],
            buckets=_CALL_S,
            registry=registry,
        )
        self.tokens = Counter(
            "golden_chat_tokens",
            "Tokens that went to chat servers (in) and came from them (out); counted by the server, or estimated.",
            ["server", "model", "direction", "counted"],
            registry=registry,
        )

    def call(self, server: str, kind: CallKind) -> "_CountedCall":
        """Begin to follow a call."""
        return _CountedCall(metrics=self, server=server, kind=kind)


@dataclass(kw_only=True)
class _CountedCall:
    metrics: ChatMetrics
    server: str
    kind: CallKind
    begun: float = field(default_factory=time.perf_counter)

    def first_piece(self) -> None:
        """Count the time to it."""
        self.metrics.first_piece_s.labels(self.server).observe(time.perf_counter() - self.begun)

    def end(self, end: ChatCallEnd) -> None:
        """Count the call and its tokens."""
        calls = self.metrics.calls_s.labels(self.server, end.model, self.kind, end.outcome)
        calls.observe(time.perf_counter() - self.begun)
        counted = "server" if end.counted else "estimate"
        for direction, number in (("in", end.prompt_tokens), ("out", end.completion_tokens)):
            self.metrics.tokens.labels(self.server, end.model, direction, counted).inc(number)
