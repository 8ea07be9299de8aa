"""Traces: what a collector receives of a question that was asked over HTTP and went to a chat server."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI, Request, Response

from golden_retriever.settings import Settings
from golden_retriever.web import build_web_application
from golden_retriever.wiring import open_application
from golden_retriever.wiring.application import build_watching
from serving.metrics import Metrics
from tests.golden_retriever.chat_server import chatting
from tests.golden_retriever.served import ROOT
from tests.tools.chat.server import serving

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
ABOVE = "00f067aa0ba902b7"
QUESTION = "How long are audit records kept?"


@dataclass
class Collector:
    """A collector that speaks OTLP over HTTP, at ``address``; what it is sent lies in ``bodies``."""

    address: str = ""
    bodies: list[bytes] = field(default_factory=list)

    def spans(self) -> list[Any]:
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

        requests = [ExportTraceServiceRequest.FromString(body) for body in self.bodies]
        scopes = [scope for each in requests for resource in each.resource_spans for scope in resource.scope_spans]
        return [span for scope in scopes for span in scope.spans]


@pytest.fixture
def collector() -> Iterator[Collector]:
    made, app = Collector(), FastAPI()

    @app.post("/v1/traces")
    async def take(request: Request) -> Response:
        made.bodies.append(await request.body())
        return Response()

    with serving(app) as made.address:
        yield made


def attributes_of(span: Any) -> dict[str, Any]:
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in span.attributes}


@pytest.mark.parametrize("with_text", [False, True])
async def test_a_question_its_steps_and_its_calls_stand_in_the_requests_trace(
    tmp_path: Path, collector: Collector, with_text: bool
) -> None:
    pytest.importorskip("opentelemetry.sdk", reason="needs the extra telemetry")
    (tmp_path / "guide.md").write_text("# Guide\n\nThe retention of audit records is 400 days.\n", encoding="utf-8")
    with chatting() as chat:
        chat.answer = "The retention of audit records is 400 days [1]."
        settings = Settings(  # type: ignore[call-arg]
            data_dir=tmp_path / "data",
            workers=1,
            dense_index="exact",
            otlp_endpoint=collector.address,
            log_questions=with_text,
            llm=chat.address,
            profile="embedded",
            engines="answer_generation=llm",
        )
        metrics = Metrics()
        async with open_application(settings, watching=build_watching(settings, metrics)) as application:
            await application.pipeline.ingest([tmp_path / "guide.md"])
            web = await build_web_application(application, with_ui=False, metrics=metrics)
            headers = {"traceparent": f"00-{TRACE}-{ABOVE}-01", "x-request-id": "mine"}
            body = {"model": "golden", "messages": [{"role": "user", "content": QUESTION}]}
            async with httpx.AsyncClient(transport=httpx.ASGITransport(web), base_url="http://localhost") as http:
                answered = await http.post("/v1/chat/completions", json=body, headers=headers)
            assert answered.status_code == 200
        headers_sent = chat.traces
    spans = [span for span in collector.spans() if span.trace_id.hex() == TRACE]
    (question,) = [span for span in spans if span.name == "question"]
    assert question.parent_span_id.hex() == ABOVE
    attributes = attributes_of(question)
    assert (attributes["golden.outcome"], attributes["golden.request_id"]) == ("answered", "mine")
    assert attributes.get("golden.question") == (QUESTION if with_text else None)

    below = [span for span in spans if span.parent_span_id == question.span_id]
    names = [span.name for span in below]
    for node in ("retrieve", "judge_answerability", "write_answer", "find_citations"):
        assert names.count(node) == 1
    (judged,) = [span for span in below if span.name == "judge_answerability"]
    assert attributes_of(judged)["golden.implementation"] == "embedded"
    (call,) = [span for span in below if span.name == "chat house-model"]
    assert attributes_of(call)["golden.outcome"] == "ok"
    assert headers_sent[-1] == f"00-{TRACE}-{call.span_id.hex()}-01"
    if not with_text:
        assert not any(b"audit" in sent for sent in collector.bodies)


def test_nothing_of_it_is_loaded_where_no_traces_are_sent() -> None:
    code = (
        "import sys; from golden_retriever.settings import Settings; from serving.metrics import Metrics; "
        "from golden_retriever.wiring.application import build_watching; build_watching(Settings(), Metrics()); "
        "sys.exit(any(name.startswith(('opentelemetry.exporter', 'serving.traces')) for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


def test_a_missing_extra_is_told() -> None:
    code = (
        "import sys; sys.modules['opentelemetry.sdk.trace.export'] = None; "
        "from golden_retriever.settings import Settings; from serving.metrics import Metrics; "
        "from golden_retriever.wiring.application import build_watching; "
        "build_watching(Settings(otlp_endpoint='http://127.0.0.1:4318'), Metrics())"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert "ConfigurationError: GOLDEN_OTLP_ENDPOINT is set" in done.stderr
    assert "golden-retriever-bot[telemetry]" in done.stderr
