"""The address of a language model, such as ``ollama:qwen3:4b``: a kind of server, where it is, and the model there."""

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

# Where each kind of server listens by default.
_DEFAULT_URLS = {
    "ollama": "http://127.0.0.1:11434/v1",
    "lmstudio": "http://127.0.0.1:1234/v1",
    "vllm": "http://127.0.0.1:8000/v1",
    "openai": "https://api.openai.com/v1",
}
_SUFFIX = ".gguf"
_EXAMPLES = (
    "write ollama:qwen3:4b, lmstudio:NAME, vllm:http://gpu-box:8000/v1#NAME, openai:gpt-5-mini, "
    "http://gpu-box:8080/v1#NAME, or the path of a file that ends in .gguf"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmAddress:
    """The address of a language model.

    ``kind`` is ollama, lmstudio, vllm, openai, "url", or "file" for a GGUF file at ``path``, which must be served
    first. ``base_url`` is the base URL of its OpenAI-compatible API, "" for a file. If ``model`` is "", the first model
    that the server lists is used.
    """

    kind: str
    base_url: str = ""
    model: str = ""
    path: Path | None = None


def read_address(text: str) -> LlmAddress:
    """Read the address of a language model.

    Raises:
        ValueError: it is not valid; the message explains the error and gives an example.
    """
    text = text.strip()
    kind, colon, rest = text.partition(":")
    if colon and kind.lower() in _DEFAULT_URLS:
        return _at_a_named_server(kind.lower(), rest.strip())
    if text.startswith(("http://", "https://")):
        url, model = _read_url(text)
        return LlmAddress(kind="url", base_url=url, model=model)
    if text.lower().endswith(_SUFFIX):
        path = Path(text).expanduser()
        return LlmAddress(kind="file", model=path.stem, path=path)
    raise ValueError(f"{text!r} names neither a kind of server nor a URL: {_EXAMPLES}")


def _at_a_named_server(kind: str, rest: str) -> LlmAddress:
    if rest.startswith(("http://", "https://")):
        if kind == "openai":
            raise ValueError(
                "openai: takes the name of a model, such as openai:gpt-5-mini; for other servers, write only the URL"
            )
        url, model = _read_url(rest)
        return LlmAddress(kind=kind, base_url=url, model=model)
    if not rest or rest.startswith("//"):
        example = "ollama:qwen3:4b" if kind == "ollama" else f"{kind}:NAME"
        raise ValueError(f"{kind}: needs the name of a model, such as {example}")
    return LlmAddress(kind=kind, base_url=_DEFAULT_URLS[kind], model=rest)


def _read_url(text: str) -> tuple[str, str]:
    """Return the base URL and the model's name ("" if there is none)."""
    url, _, model = text.partition("#")
    url = url.strip().rstrip("/")
    parts = urlsplit(url)
    if "," in parts.netloc:
        raise ValueError("takes one server: put a load balancer in front of several")
    try:
        usable = bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or parts.query:
        raise ValueError(f"{url!r} is not the address of a server: write one such as http://gpu-box:8000/v1#NAME")
    return (url if parts.path else f"{url}/v1"), model.strip()
