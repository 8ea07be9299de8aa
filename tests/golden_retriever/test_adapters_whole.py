"""One question through the real command line, with a server that plays vLLM and its six adapters, and without them."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fastapi import Response
from fastapi.responses import JSONResponse

from tests.conformance import checking_chats
from tests.golden_retriever.served import environment_for, golden
from tests.golden_retriever.vllm_server import VllmServer, serving
from tools.chat.base import ChatRequest

CHOSEN = {
    "context_relevance": "context_relevancy",
    "answerability": "answerability_prediction",
    "citation": "citation_generation",
    "faithfulness": "hallucination_detection",
    "certainty": "certainty",
}
NODES = {
    "judge_relevance": "context_relevancy",
    "judge_answerability": "answerability_prediction",
    "find_citations": "citation_generation",
    "judge_faithfulness": "hallucination_detection",
    "estimate_certainty": "certainty",
}
PUMP = "# Pump P-200\n\nThe P-200 pump runs at 48 V. Its bearing is greased every 500 hours.\n"


@dataclass
class AdaptedServer(VllmServer):
    """Answers each adapter's prompt by its words."""

    def answer(self, kind: str, body: dict[str, Any]) -> Response:
        if kind != "completions" or body["model"] not in self.adapters:
            return super().answer(kind, body)
        request = ChatRequest(messages=(), prompt=body["prompt"])
        text = {
            "context_relevancy": '{"context_relevance": "relevant"}',
            "answerability_prediction": "answerable",
            "citation_generation": checking_chats.adapted_name_sources(request),
            "hallucination_detection": checking_chats.adapted_judge_faithfulness(request),
            "certainty": "85%",
        }[body["model"]]
        choice = {"index": 0, "text": text, "finish_reason": "stop", "logprobs": None}
        return JSONResponse(
            {"id": "1", "object": "text_completion", "created": 1, "model": body["model"], "choices": [choice]}
        )


@pytest.mark.slow
def test_a_question_is_judged_by_adapters_and_by_the_embedded_engine_where_they_are_missing(tmp_path: Path) -> None:
    (tmp_path / "pump.md").write_text(PUMP)
    with serving(AdaptedServer(adapters=tuple(CHOSEN.values()))) as server:
        environment = environment_for(
            tmp_path / "bot",
            llm=server.url,
            profile="embedded",
            engines=",".join(f"{name}=adapter" for name in CHOSEN),
        )
        assert golden("ingest", "pump.md", environment=environment, folder=tmp_path).returncode == 0
        ask = ("ask", "--json", "At which voltage does the P-200 pump run?")
        answer = json.loads(golden(*ask, environment=environment, folder=tmp_path).stdout)
        by = {each["node"]: each["provenance"] for each in answer["steps"]}
        assert {node: by[node]["model"] for node in NODES} == NODES
        assert all(by[node]["implementation"] == "adapter" for node in NODES)
        assert (answer["outcome"], answer["certainty"], answer["degraded"]) == ("answered", 0.8, [])
        assert answer["citations"][0]["quote"].startswith("The P-200 pump runs at 48 V")
        server.adapters = ()
        answer = json.loads(golden(*ask, environment=environment, folder=tmp_path).stdout)
    by = {each["node"]: each["provenance"] for each in answer["steps"]}
    assert all(by[node]["implementation"] == "embedded" for node in NODES)
    assert all("does not know the model" in by[node]["degraded"] for node in NODES)
    assert answer["outcome"] == "answered"
    assert answer["degraded"]
