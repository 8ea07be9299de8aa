"""Metrics for Prometheus: questions, steps, chat servers, requests; each label has a bounded set of values.

No label holds a document's name, a question, a person or a key. In a server of several processes
(``PROMETHEUS_MULTIPROC_DIR``) all write into one folder, and whichever is asked tells the sums.
"""

import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from contracts.answer import AnswerEvent, AnswerReady, Step, StepFinished, StepStarted, TextDelta
from contracts.question import Asker
from serving.request_log import ServedRequest, outcome_of

# The judgement that a node asks for. Nodes that only order others have none.
_INTRINSICS = {
    "rewrite_question": "question_rewriting",
    "identify_jargon": "jargon_identification",
    "classify_context": "context_classification",
    "augment_question": "question_augmentation",
    "expand_query": "query_expansion",
    "judge_relevance": "context_relevance",
    "judge_answerability": "answerability",
    "write_answer": "answer_generation",
    "find_citations": "citation",
    "judge_faithfulness": "faithfulness",
    "refine_answer": "refinement",
    "estimate_certainty": "certainty",
}
# From what the embedded engine takes for a step (milliseconds) to what a slow chat server takes for an answer.
_STEP_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
_ANSWER_S = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0, 120.0, 300.0)
_SHARED_FOLDER = "PROMETHEUS_MULTIPROC_DIR"


class Metrics:
    """The numbers of one server: it follows questions and requests; ``serving.chat_metrics`` follows chat calls."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._folder = os.environ.get(_SHARED_FOLDER, "")
        if not self._folder:
            ProcessCollector(registry=self.registry)
        make = self.registry
        self.questions = Counter("golden_questions", "Questions by what came of them.", ["outcome"], registry=make)
        self.question_s = Histogram(
            "golden_question_seconds", "From a question to its answer.", ["outcome"], buckets=_ANSWER_S, registry=make
        )
        self.first_text_s = Histogram(
            "golden_first_text_seconds", "From a question to the first of its draft.", buckets=_ANSWER_S, registry=make
        )
        self.steps_s = Histogram(
            "golden_step_seconds",
            "Steps by node, the judgement it asks for, who judged, and whether as configured.",
            ["node", "intrinsic", "implementation", "outcome"],
            buckets=_STEP_S,
            registry=make,
        )
        self.questions_under_way = Gauge(
            "golden_questions_under_way", "Questions that are answered now.", multiprocess_mode="livesum", registry=make
        )
        self.requests = Counter(
            "golden_requests", "Requests by route and status.", ["method", "route", "status"], registry=make
        )
        self.requests_s = Histogram(
            "golden_request_seconds",
            "From a request to the last of its response.",
            ["route"],
            buckets=_ANSWER_S,
            registry=make,
        )
        self.requests_in_flight = Gauge(
            "golden_requests_in_flight", "Requests that are served now.", multiprocess_mode="livesum", registry=make
        )

    def watch(self, question: str, asker: Asker) -> "_CountedQuestion":
        """Begin to follow a question."""
        self.questions_under_way.inc()
        return _CountedQuestion(metrics=self)

    def begin(self) -> None:
        """Count a request that has come."""
        self.requests_in_flight.inc()

    def end(self, served: ServedRequest) -> None:
        """Count a request that is served."""
        self.requests_in_flight.dec()
        self.requests.labels(served.method, served.route, str(served.status)).inc()
        self.requests_s.labels(served.route).observe(served.seconds)

    def exposition(self, gauges: Mapping[str, Mapping[str, float]]) -> bytes:
        """Return everything in Prometheus' text form. Blocking.

        ``gauges`` are values that somebody else keeps: by ``name`` or ``name:label``, each label's value.
        """
        kept = CollectorRegistry()
        families: list[Any] = []
        for name, values in gauges.items():
            bare, _, label = name.partition(":")
            family = GaugeMetricFamily(bare, _HELP.get(bare, bare), labels=[label] if label else [])
            for value, number in values.items():
                family.add_metric([value] if label else [], number)
            families.append(family)
        kept.register(_Told(families))
        if not self._folder:
            return generate_latest(self.registry) + generate_latest(kept)
        shared = CollectorRegistry()
        MultiProcessCollector(shared, path=self._folder)  # type: ignore[no-untyped-call]
        shared.register(_Processes(Path(self._folder)))
        return generate_latest(shared) + generate_latest(kept)


_HELP = {
    "golden_library_documents": "Documents in the library.",
    "golden_library_chunks": "Chunks in the library.",
    "golden_unknown_terms": "Terms that were asked for and wait for a meaning.",
    "golden_ingestion_jobs": "Ingestions of this server by state; those that are over are remembered for a while.",
    "golden_chat_server_open": "Whether this process spares a chat server its calls (1), tries it (0.5) or not (0).",
}


@dataclass(kw_only=True)
class _CountedQuestion:
    metrics: Metrics
    outcome: str = ""
    begun: float = field(default_factory=time.perf_counter)
    running: dict[str, float] = field(default_factory=dict)
    wrote: bool = False

    def hear(self, event: AnswerEvent) -> None:
        """Count an event."""
        if isinstance(event, StepStarted):
            self.running[event.node] = time.perf_counter()
        elif isinstance(event, StepFinished):
            self.running.pop(event.step.node, None)
            self._count(event.step)
        elif isinstance(event, TextDelta) and not self.wrote:
            self.wrote = True
            self.metrics.first_text_s.observe(time.perf_counter() - self.begun)
        elif isinstance(event, AnswerReady):
            self.outcome = event.answer.outcome

    def end(self, error: BaseException | None) -> None:
        """Count the end."""
        metrics, outcome = self.metrics, outcome_of(self.outcome, error)
        metrics.questions_under_way.dec()
        metrics.questions.labels(outcome).inc()
        metrics.question_s.labels(outcome).observe(time.perf_counter() - self.begun)
        for node, begun in self.running.items():
            # What had begun and did not end is what broke, or what nobody waited for.
            seconds = metrics.steps_s.labels(node, _INTRINSICS.get(node, ""), "", outcome)
            seconds.observe(time.perf_counter() - begun)

    def _count(self, step: Step) -> None:
        judged = step.provenance
        outcome = "degraded" if judged is not None and judged.degraded else "ok"
        implementation = judged.implementation if judged is not None else ""
        seconds = self.metrics.steps_s.labels(step.node, _INTRINSICS.get(step.node, ""), implementation, outcome)
        seconds.observe(step.milliseconds / 1_000)


class _Told(Collector):
    """Tells what was read for one exposition: no metric of its own, which workers would share."""

    def __init__(self, families: "list[Any]") -> None:
        self._families = families

    def collect(self) -> "Iterable[Any]":
        """Return it."""
        return self._families


class _Processes(Collector):
    """Tells what each process of the server takes of the machine: its memory, time and files, by its id."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def collect(self) -> "Iterable[Any]":
        """Return the processes' metrics."""
        found: dict[str, Any] = {}
        # A process has this file from its start on, before it has answered anything, and loses it when it is gone.
        for pid in sorted({file.stem.rpartition("_")[2] for file in self._folder.glob("gauge_livesum_*.db")}):
            for metric in ProcessCollector(pid=_always(pid), registry=None).collect():
                known = found.setdefault(metric.name, metric)
                samples = [each._replace(labels={**each.labels, "pid": pid}) for each in metric.samples]
                known.samples = [*(known.samples if known is not metric else ()), *samples]
        return found.values()


def _always(pid: str) -> Callable[[], str]:
    return lambda: pid
