"""The command line of vLLM that serves a model with its adapters."""

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from contracts.errors import ConfigurationError
from golden_retriever.settings import Settings
from golden_retriever.wiring.chat import chosen_adapters

if TYPE_CHECKING:
    from tools.adapters import AdapterDeclaration

_PORT = 8000
# The folder of the GPU's machine into which the adapters' weights are downloaded.
_ADAPTERS = "adapters"
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
# What --max-lora-rank may be.
_RANKS = (8, 16, 32, 64, 128, 256, 320, 512)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeCommand:
    """A command line of vLLM. ``downloads`` fetch the adapters' weights before; ``notes`` are for the operator.

    With ``key`` the server asks for the key of GOLDEN_LLM_API_KEY, which it takes from its environment.
    """

    arguments: tuple[str, ...]
    downloads: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]
    key: bool

    @property
    def line(self) -> str:
        """The command for a shell, on one line."""
        key = 'VLLM_API_KEY="$GOLDEN_LLM_API_KEY" ' if self.key else ""
        return key + shlex.join(self.arguments)


def serve_command(settings: Settings) -> ServeCommand:
    """Return the command that serves the base model with the chosen adapters.

    Source: flags as in vLLM's reference of ``vllm serve`` (docs.vllm.ai, v0.8.5 to v0.22.1).

    Raises:
        ConfigurationError: no base model is named, or the adapters belong to several, or two are called the same.
    """
    adapters = chosen_adapters(settings)
    model = _base_model(settings, adapters)
    host, port, notes = _place(settings)
    flags = ["vllm", "serve", model, "--host", host, "--port", str(port)]
    if settings.llm_model and settings.llm_model != model:
        flags += ["--served-model-name", settings.llm_model]
    if settings.llm_max_context_tokens:
        flags += ["--max-model-len", str(settings.llm_max_context_tokens)]
    flags.append("--enable-prefix-caching")
    if adapters:
        flags += _lora_flags(adapters)
    return ServeCommand(
        arguments=tuple(flags),
        downloads=_downloads(adapters),
        notes=tuple(notes),
        key=bool(settings.llm_api_key.get_secret_value()),
    )


def _base_model(settings: Settings, adapters: "dict[str, AdapterDeclaration]") -> str:
    bases = sorted({adapter.base_model for adapter in adapters.values()})
    if settings.vllm_model:
        return settings.vllm_model
    if len(bases) > 1:
        raise ConfigurationError(
            f"The adapters belong to several base models ({', '.join(bases)}), and one server serves one: set "
            "GOLDEN_VLLM_MODEL, or give some of them another engine in GOLDEN_ENGINES."
        )
    if bases or settings.llm_model:
        return bases[0] if bases else settings.llm_model
    raise ConfigurationError("No base model is named: set GOLDEN_VLLM_MODEL, or name one in GOLDEN_LLM.")


def _place(settings: Settings) -> tuple[str, int, list[str]]:
    if not settings.llm_base_url:
        note = f"Set GOLDEN_LLM=vllm:http://127.0.0.1:{_PORT}/v1 so that the bot asks this server."
        return "127.0.0.1", _PORT, [note]
    url = urlsplit(settings.llm_base_url)
    notes = []
    if url.port is None or url.scheme == "https":
        notes.append(f"{settings.llm_base_url} is a proxy's address: let it pass on to port {url.port or _PORT}.")
    return ("127.0.0.1" if url.hostname in _LOOPBACK else "0.0.0.0"), url.port or _PORT, notes


def _lora_flags(adapters: "dict[str, AdapterDeclaration]") -> list[str]:
    modules: dict[str, str] = {}
    for adapter in adapters.values():
        where = _weights(adapter)
        if modules.setdefault(adapter.model, where) != where:
            raise ConfigurationError(
                f'Two adapters are called "{adapter.model}" on the server: give one of them another name in its file '
                f"({adapter.path})."
            )
    rank = max(adapter.weights.rank for adapter in adapters.values())
    return [
        "--enable-lora",
        "--max-loras",
        str(len(modules)),
        "--max-lora-rank",
        str(next(each for each in _RANKS if each >= rank)),
        "--lora-modules",
        *(f"{name}={where}" for name, where in modules.items()),
    ]


def _weights(adapter: "AdapterDeclaration") -> str:
    weights = adapter.weights
    if weights.path or not weights.folder:
        # vLLM fetches a repository that holds one adapter by itself.
        return weights.path or weights.repository
    return f"{_ADAPTERS}/{weights.repository}/{weights.folder}"


def _downloads(adapters: "dict[str, AdapterDeclaration]") -> tuple[tuple[str, ...], ...]:
    wanted = dict.fromkeys(
        (each.weights.repository, each.weights.folder) for each in adapters.values() if each.weights.folder
    )
    return tuple(
        ("hf", "download", repository, "--include", f"{folder}/*", "--local-dir", f"{_ADAPTERS}/{repository}")
        for repository, folder in wanted
    )
