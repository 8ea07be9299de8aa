"""Metrics: the numbers of a running server, who may read them, and the log's lines."""

import io
import json
import logging
from collections.abc import Iterator

import pytest
from prometheus_client.parser import text_string_to_metric_families

from golden_retriever.logs import start_logging
from golden_retriever.settings import Settings
from tests.golden_retriever.keyed import Keyed, keyed_server

KEYS = {"asker": {"scopes": ["ask"]}, "boss": {"scopes": ["admin"]}}
QUESTION = "What holds the water level of the pump?"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keyed]:
    """A server that answered a question, streamed one, and refused a request."""
    folder = tmp_path_factory.mktemp("metrics")
    with keyed_server(folder, KEYS, metrics_token="scrape-me") as running:
        with running.client("asker") as http:
            for stream in (False, True):
                body = {"model": "golden", "stream": stream, "messages": [{"role": "user", "content": QUESTION}]}
                headers = {"x-request-id": f"mine-{stream}"}
                assert http.post("/v1/chat/completions", json=body, headers=headers).status_code == 200
            assert http.post("/v1/chat/completions", json={"messages": []}).status_code == 400
            assert http.get("/no-such-page-of-mine/canary").status_code == 404
        yield running


def values_of(text: str) -> dict[tuple[str, ...], float]:
    """Return each sample by its name and its labels' values in order of the labels' names."""
    return {
        (sample.name, *(sample.labels[name] for name in sorted(sample.labels))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def scraped(server: Keyed) -> str:
    with server.client("boss") as http:
        response = http.get("/metrics")
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/plain")
    return response.text


def test_questions_steps_and_requests_are_counted(server: Keyed) -> None:
    values = values_of(scraped(server))
    assert values["golden_questions_total", "answered"] == 2
    assert values["golden_question_seconds_count", "answered"] == 2
    assert values["golden_step_seconds_count", "embedded", "judge_answerability", "ok"] == 2
    assert values["golden_requests_total", "POST", "/v1/chat/completions", "200"] == 2
    assert values["golden_requests_total", "POST", "/v1/chat/completions", "400"] == 1
    assert values[("golden_questions_under_way",)] == 0
    # The request that reads the metrics.
    assert values[("golden_requests_in_flight",)] == 1
    assert values[("golden_library_documents",)] == 2
    assert values[("golden_unknown_terms",)] == 0
    assert values["golden_ingestion_jobs", "running"] == 0
    assert values[("process_resident_memory_bytes",)] > 0


def test_labels_reveal_no_documents_questions_paths_or_people(server: Keyed) -> None:
    text = scraped(server)
    for word in ("water", "canary", "pumps", "asker", "boss", "zorblaxite"):
        assert word not in text


def test_metrics_need_the_scope_or_the_token(server: Keyed) -> None:
    with server.client("asker") as http:
        assert http.get("/metrics").status_code == 403
        assert http.get("/metrics", headers={"authorization": "Bearer scrape"}).status_code == 401
        assert http.get("/metrics", headers={"authorization": "Bearer scrape-me"}).status_code == 200
        # The token opens nothing else.
        assert http.get("/v1/models", headers={"authorization": "Bearer scrape-me"}).status_code == 401


def test_each_request_leaves_one_line_with_its_id_and_no_question(server: Keyed) -> None:
    lines = [json.loads(line) for line in server.log.getvalue().splitlines()]
    for stream in (False, True):
        ours = [line for line in lines if line.get("request_id") == f"mine-{stream}"]
        (request,) = [line for line in ours if line["message"] == "request"]
        assert (request["route"], request["status"], request["outcome"]) == ("/v1/chat/completions", 200, "answered")
        assert request["actor"] == "asker"
        assert request["key"]
        (question,) = [line for line in ours if line["message"] == "question"]
        assert question["outcome"] == "answered"
    assert not any(line.get("route") == "/healthz" for line in lines if line["level"] != "debug")
    assert "water level" not in server.log.getvalue()
    for key in server.keys.values():
        assert key not in server.log.getvalue()


def test_text_log_format_and_levels_for_own_packages_only() -> None:
    stream = io.StringIO()
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    try:
        start_logging(Settings(log_format="text", log_level="debug"), stream)
        logging.getLogger("tools.search").debug("ours at %s", "debug")
        logging.getLogger("openai").debug("theirs")
        # Ray adds its field to every record of the process once a test has imported Ray.
        extra = {"name": "serving.request_log", "levelno": logging.INFO, "msg": "ours", "ms": 3, "_ray_timestamp_ns": 1}
        logging.getLogger("serving.request_log").handle(logging.makeLogRecord(extra))
    finally:
        root.handlers[:] = before
        root.setLevel(level)
    output = stream.getvalue()
    assert "ours at debug" in output
    assert "ours [serving.request_log] ms=3" in output
    assert "theirs" not in output
    assert not output.startswith("{")
