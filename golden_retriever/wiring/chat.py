"""The chat server and the adapters that it serves."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import SecretStr

from contracts.errors import ConfigurationError
from golden_retriever.profiles import ENGINES, engines_of
from golden_retriever.settings import Settings

if TYPE_CHECKING:
    from golden_retriever.language_models.local_server import LocalServer
    from tools.adapters.declaration import AdapterDeclaration
    from tools.chat.base import ChatModel
    from tools.chat.observers import ChatObserver
    from tools.chat.openai import OpenAIChatModel


def adapter_of(settings: Settings, intrinsic: str) -> "AdapterDeclaration":
    """Return the adapter for ``intrinsic``: the operator's own, or else the published one.

    Raises:
        ConfigurationError: there is none, its file is wrong, or one in the operator's folder belongs to no intrinsic.
    """
    adapter = find_adapter_of(settings, intrinsic)
    if adapter is None:
        where = settings.adapters_dir or "a folder that GOLDEN_ADAPTERS_DIR names"
        raise ConfigurationError(
            f"No adapter is published for {intrinsic}: put your own into {where} as {intrinsic}.toml, or give "
            f"{intrinsic} a different engine in GOLDEN_ENGINES."
        )
    return adapter


def chosen_adapters(settings: Settings) -> "dict[str, AdapterDeclaration]":
    """Return the adapters of the intrinsics whose engine is "adapter". Raises the same errors as ``adapter_of``."""
    chosen = engines_of(settings.profile, settings.engines)
    return {name: adapter_of(settings, name) for name, engine in chosen.items() if engine == "adapter"}


def find_adapter_of(settings: Settings, intrinsic: str) -> "AdapterDeclaration | None":
    """Return the adapter for ``intrinsic``, or None if none exists. Raises ``ConfigurationError`` for a wrong file."""
    import intrinsics
    from tools.adapters.declaration import find_adapter

    _refuse_strays(settings)
    folder = Path(next(iter(intrinsics.__path__)))
    return find_adapter(intrinsic, folder / intrinsic / "adapter.toml", settings.adapters_dir)


def _refuse_strays(settings: Settings) -> None:
    """Refuse an adapter that matches no intrinsic: if its name is misspelt, the published one would be used instead."""
    adaptable = sorted(name for name, engines in ENGINES.items() if "adapter" in engines)
    for path in sorted(settings.adapters_dir.glob("*.toml")) if settings.adapters_dir is not None else ():
        # The same folder also contains prompt files of the convention "chat".
        if path.stem not in adaptable and "[weights]" in path.read_text("utf-8", errors="replace"):
            raise ConfigurationError(
                f"The adapter file {path} does not belong to an intrinsic that supports adapters: name it after one of "
                f"{', '.join(adaptable)}."
            )


def build_chat(settings: Settings, observers: "Sequence[ChatObserver]" = ()) -> "ChatModel | None":
    """Return the configured chat server with its time limits, or None; each call is reported to ``observers``."""
    if not settings.llm:
        return None
    from tools.chat.resilient import ResilientChatModel

    return ResilientChatModel(
        build_server(settings, retries=settings.llm_retries),
        observers=observers,
        timeout_s=settings.llm_timeout_s,
        at_once=settings.llm_calls_at_once,
    )


@asynccontextmanager
async def serving_llm(
    settings: Settings, *, adapters: Sequence[Path] = ()
) -> AsyncIterator["tuple[Settings, LocalServer | None]"]:
    """Serve the language model for the duration of the block if it is a file; yield settings that name its server.

    It is served with ``adapters`` (files for llama.cpp) and with those that the settings choose. If the model is not a
    file, the settings are yielded unchanged, with None.

    Raises:
        ConfigurationError: the file or an adapter cannot be served; the message gives the reason.
    """
    address = settings.llm_address
    if address is None or address.path is None:
        yield settings, None
        return
    from golden_retriever.language_models.local_server import serving_file

    chosen = [_gguf_file(each) for each in chosen_adapters(settings).values()]
    served = tuple(dict.fromkeys((*adapters, *chosen)))
    limit = settings.llm_max_context_tokens
    async with serving_file(address.path, adapters=served, max_context_tokens=limit) as local:
        server: dict[str, object] = {"llm": f"{local.base_url}#{local.model}", "llm_api_key": SecretStr(local.key)}
        # Calls that wait on the server would count as slow; calls that wait in this process do not.
        server["llm_calls_at_once"] = min(settings.llm_calls_at_once, local.slots)
        yield settings.model_copy(update=server), local


def _gguf_file(adapter: "AdapterDeclaration") -> Path:
    """Return the file with the weights of an adapter; llama.cpp names the adapter after this file."""
    name = f"{adapter.model}.gguf"
    path = adapter.path.parent / adapter.weights.path
    file = path / name if path.is_dir() else path
    if not adapter.weights.path or file.name != name or not file.is_file():
        raise ConfigurationError(
            f"A model from a GGUF file needs adapters from GGUF files, and the adapter {adapter.model} of "
            f"{adapter.path} has none: set weights.path to {name}, or to its folder. "
            "golden-lab train export writes such a file."
        )
    return file


def build_server(settings: Settings, *, retries: int = 0) -> "OpenAIChatModel":
    """Return the configured chat server without any wrappers; it retries a call up to ``retries`` times.

    Raises:
        ConfigurationError: OpenAI's server is used without a key, or the model is a file that is not being served.
    """
    from tools.chat.openai import OpenAIChatModel

    address = settings.llm_address
    if address is None or address.kind == "file":
        raise ConfigurationError(
            f"GOLDEN_LLM is {settings.llm or 'empty'}, which is not a server: this needs a running one."
        )
    if address.kind == "openai" and not settings.llm_key:
        raise ConfigurationError(f"{settings.llm} needs a key: set GOLDEN_LLM_API_KEY or OPENAI_API_KEY.")

    return OpenAIChatModel(
        base_url=address.base_url,
        api_key=settings.llm_key,
        model=address.model,
        timeout_s=settings.llm_timeout_s,
        retries=retries,
        max_context_tokens=settings.llm_max_context_tokens,
        extra_body=settings.llm_extra_body,
    )
