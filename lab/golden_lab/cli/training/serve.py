"""``golden-lab train serve``: try adapters out where there is no vLLM."""

import asyncio
from typing import Annotated

import typer


def serve(
    base: Annotated[str, typer.Argument(help="The base model: a folder, or a name of the model hub.")],
    adapter: Annotated[
        list[str] | None, typer.Option(help="An adapter on it, as NAME=FOLDER in PEFT's layout (repeatable).")
    ] = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port; 0 takes any free one.", min=0, max=65535)] = 8000,
    name: Annotated[str, typer.Option(help="What the base model is called; default: as given, or its folder.")] = "",
    revision: Annotated[str, typer.Option(help="The base model's revision on the hub.")] = "main",
    device: Annotated[str, typer.Option(help="Such as cpu or cuda:1; default: a GPU where there is one.")] = "",
    dtype: Annotated[str, typer.Option(help="auto, float32, bfloat16 or float16.")] = "auto",
) -> None:
    """Serve a model and adapters in this process, as an OpenAI-compatible server: for trials, one reply at a time.

    The bot asks it by GOLDEN_LLM_BASE_URL, as it would ask vLLM. With GOLDEN_LLM_API_KEY it asks for that key.
    """
    from golden_lab.wiring.local_models import adapters_named, load_local_chat
    from golden_retriever.settings import load_settings

    adapters = adapters_named(adapter or [])
    key = load_settings().llm_api_key.get_secret_value()
    from golden_retriever.server import claim_port

    # Before the weights are read: whoever must choose another port learns it at once.
    listener = claim_port(host, port)
    chat = load_local_chat(base, adapters, name=name, revision=revision, device=device, dtype=dtype)
    from golden_lab.model_server.process import run_model_server

    asyncio.run(run_model_server(chat, listener, host=host, key=key))
