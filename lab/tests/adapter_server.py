"""A server in the test that writes with a real model and its adapters, by name, as vLLM would."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from tests.tools.chat.server import serving

_MOST_TOKENS = 200


class AdapterServer:
    """Answers greedily, in whole prompts and in chats, with the base model (by its folder's name) or an adapter."""

    def __init__(self, base: Path, adapters: Mapping[str, Path]) -> None:
        from peft import PeftModel
        from transformers import AutoModelForCausalLM, AutoTokenizer

        self._tokenizer: Any = AutoTokenizer.from_pretrained(base)
        self._base: Any = AutoModelForCausalLM.from_pretrained(base)
        self._models = {base.name: self._base}
        for name, folder in adapters.items():
            loaded = AutoModelForCausalLM.from_pretrained(base)
            self._models[name] = PeftModel.from_pretrained(loaded, folder)

    def app(self) -> FastAPI:
        """Return the routes."""
        app = FastAPI()

        @app.get("/v1/models")
        def models() -> dict[str, Any]:
            return {"object": "list", "data": [{"id": name, "object": "model", "created": 0} for name in self._models]}

        @app.post("/v1/completions")
        async def complete(request: Request) -> Response:
            body = await request.json()
            return self._refused(body) or self._reply(body, {"text": self._write(body, body["prompt"])})

        @app.post("/v1/chat/completions")
        async def chat(request: Request) -> Response:
            body = await request.json()
            refused = self._refused(body)
            if refused is not None:
                return refused
            prompt = self._tokenizer.apply_chat_template(body["messages"], tokenize=False, add_generation_prompt=True)
            text = self._write(body, prompt)
            if body.get("stream"):
                return StreamingResponse(self._stream(body["model"], text), media_type="text/event-stream")
            return self._reply(body, {"message": {"role": "assistant", "content": text}})

        return app

    def _refused(self, body: dict[str, Any]) -> Response | None:
        for name in ("response_format", "logprobs"):
            if body.get(name):
                return JSONResponse({"error": {"message": f"{name} is not supported", "param": name}}, status_code=400)
        return None

    def _write(self, body: dict[str, Any], prompt: str) -> str:
        ids = self._tokenizer(prompt, add_special_tokens=False, return_tensors="pt")
        most = min(int(body.get("max_tokens") or body.get("max_completion_tokens") or _MOST_TOKENS), _MOST_TOKENS)
        written = self._models[body["model"]].generate(**ids, max_new_tokens=most, do_sample=False)
        text: str = self._tokenizer.decode(written[0, ids["input_ids"].shape[1] :], skip_special_tokens=True)
        return text

    def _reply(self, body: dict[str, Any], said: dict[str, Any]) -> Response:
        choice = {"index": 0, "finish_reason": "stop", "logprobs": None, **said}
        return JSONResponse({"id": "1", "object": "x", "created": 1, "model": body["model"], "choices": [choice]})

    def _stream(self, model: str, text: str) -> Iterator[str]:
        head = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": model}
        for delta, finish in (({"content": text}, None), ({}, "stop")):
            choice = {"index": 0, "delta": delta, "finish_reason": finish}
            yield f"data: {json.dumps({**head, 'choices': [choice]})}\n\n"
        yield "data: [DONE]\n\n"


@contextmanager
def adapter_server(base: Path, **adapters: Path) -> Iterator[str]:
    """Serve ``base`` and adapters for the length of the block; yield the address."""
    with serving(AdapterServer(base, adapters).app()) as address:
        yield f"{address}/v1"
