"""Servers of language models that listen on this machine: found by their lists of models, asked for nothing else."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse

from golden_retriever.language_models.discovery import find_servers
from tests.tools.chat.server import free_port, serving


@contextmanager
def listing(asked: list[str], *models: tuple[str, str], status: int = 200) -> Iterator[int]:
    """Serve a list of models with their owners, and yield the port."""
    app = FastAPI()

    @app.api_route("/{path:path}", methods=["GET", "POST"])
    async def answer(path: str, request: Request) -> Response:
        asked.append(f"{request.method} /{path}")
        cards = [{"id": name, "object": "model", "owned_by": owner} for name, owner in models]
        return JSONResponse({"object": "list", "data": cards}, status_code=status)

    with serving(app) as address:
        yield int(address.rpartition(":")[2])


async def test_each_server_is_named_with_its_first_model_for_chats() -> None:
    asked: list[str] = []
    with ExitStack() as servers:

        def started(*models: tuple[str, str], status: int = 200) -> int:
            return servers.enter_context(listing(asked, *models, status=status))

        ollama = started(("nomic-embed-text:latest", "library"), ("qwen3:4b", "library"))
        llama = started(("my model.gguf", "llamacpp"))
        ours = started(("golden", "golden-retriever"), ("golden/quality", "golden-retriever"))
        locked = started(("secret", "x"), status=401)
        empty = started()
        ports = {ollama: "ollama", llama: "", ours: "", locked: "", empty: "lmstudio", free_port(): "vllm"}
        found = await find_servers(ports)
    assert found == ["ollama:qwen3:4b", f"'http://127.0.0.1:{llama}/v1#my model.gguf'"]
    assert asked == ["GET /v1/models"] * 5
