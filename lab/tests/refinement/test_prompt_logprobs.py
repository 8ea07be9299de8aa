"""Log-probabilities of prompts: from a server that gives them as vLLM does, and from others."""

import json
import math
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

import pytest

from contracts.errors import ChatUnavailable, InvalidInput
from golden_lab.refinement.conditions import measure_gain
from golden_lab.refinement.prompt_logprobs import PromptLogprobsScorer, tail_of
from tools.chat.base import ChatMessage, ReplyToken

ANSWER = "VPP is 2.5 V."
WITH = (ChatMessage(role="user", content="VPP is 2.5 V. What is VPP?"),)
WITHOUT = (ChatMessage(role="user", content="What is VPP?"),)


class Server(BaseHTTPRequestHandler):
    """Gives a token that stood in the prompt before half, and another one a quarter of the probability."""

    manner = "vllm"
    asked: ClassVar[list[dict[str, Any]]]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.asked.append(body)
        answer: dict[str, Any] = {
            "id": "1", "object": "chat.completion", "created": 0, "model": body["model"],
            "choices": [{"index": 0, "message": {"role": "assistant", "content": "."}, "finish_reason": "length"}],
        }  # fmt: skip
        if self.manner == "vllm":
            answer["prompt_logprobs"] = self._logprobs(body["messages"])
        content = json.dumps(answer).encode()
        self.send_response(400 if self.manner == "strict" else 200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _logprobs(self, messages: list[dict[str, str]]) -> list[Any]:
        pieces = ["<bos>", *(piece for each in messages for piece in re.findall(r"\s*\S+", f"\n{each['content']}"))]
        seen: set[str] = set()
        found: list[Any] = []
        for at, piece in enumerate(pieces):
            known = piece.strip() in seen
            seen.add(piece.strip())
            token = {"logprob": math.log(0.5 if known else 0.25), "rank": 1, "decoded_token": piece}
            found.append({str(at): token} if at else None)
        return found

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[tuple[type[Server], PromptLogprobsScorer]]:
    class Own(Server):
        asked: ClassVar[list[dict[str, Any]]] = []

    http = ThreadingHTTPServer(("127.0.0.1", 0), Own)
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield Own, PromptLogprobsScorer(f"http://127.0.0.1:{http.server_port}/v1", "", "house-model", 10.0)
    http.shutdown()
    thread.join()
    http.server_close()


async def test_the_gain_is_what_the_passages_add_a_token(server: tuple[type[Server], PromptLogprobsScorer]) -> None:
    own, scorer = server
    # With the passage all four words of the answer were seen before; without it only "is": "VPP?" is another word.
    gain = await measure_gain(scorer.score, ANSWER, given=WITH, without=WITHOUT)
    assert gain == pytest.approx(0.75 * math.log(2))
    sent = own.asked[0]
    assert sent["messages"][-1] == {"role": "assistant", "content": ANSWER}
    assert (sent["prompt_logprobs"], sent["continue_final_message"], sent["add_generation_prompt"]) == (0, True, False)


@pytest.mark.parametrize("manner", ["silent", "strict"])
async def test_a_server_without_them_is_refused(server: tuple[type[Server], PromptLogprobsScorer], manner: str) -> None:
    own, scorer = server
    own.manner = manner
    with pytest.raises(ChatUnavailable, match=r"S2 needs|refuse|400"):
        await scorer.score(WITH, ANSWER)


def test_the_tail_is_found_where_tokens_are_parts_of_letters() -> None:
    tokens = [ReplyToken(text=each, logprob=-1.0) for each in ("user", ":", " Gr", "\ufffd", "\ufffd", "\ufffde", " A")]
    assert [each.text for each in tail_of(tokens, "Größe A")] == [" Gr", "\ufffd", "\ufffd", "\ufffde", " A"]
    with pytest.raises(InvalidInput):
        tail_of(tokens, "Something else")
