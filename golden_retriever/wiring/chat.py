"""The chat servers: one address or several, with failover and circuit breakers."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from golden_retriever.settings import Settings

if TYPE_CHECKING:
    from tools.chat import ChatModel
    from tools.chat.observing import ChatObserver
    from tools.chat.openai import OpenAIChatModel


def build_chat(
    settings: Settings,
    observers: "Sequence[ChatObserver]" = (),
    headers: Callable[[], Mapping[str, str]] | None = None,
) -> "ChatModel | None":
    """Return the configured chat servers as one chat model, or None where none is configured.

    ``observers`` follow each call that is sent to a server, which carries ``headers`` besides.
    """
    if not settings.llm_base_urls:
        return None
    from tools.chat.resilient import ResilientChatModel

    return ResilientChatModel(
        # Of several, another server takes over at once.
        *build_servers(settings, headers, retries=settings.llm_retries if len(settings.llm_base_urls) == 1 else 0),
        observers=observers,
        timeout_s=settings.llm_timeout_s,
        stream_timeout_s=settings.llm_stream_timeout_s,
    )


def build_servers(
    settings: Settings, headers: Callable[[], Mapping[str, str]] | None = None, *, retries: int = 0
) -> "tuple[OpenAIChatModel, ...]":
    """Return each configured chat server by itself, which tries a call again up to ``retries`` times."""
    from tools.chat.openai import OpenAIChatModel
    from tools.chat.tokens import FileTokenCounter

    counter = FileTokenCounter(Path(settings.llm_tokenizer)) if settings.llm_tokenizer else None
    return tuple(
        OpenAIChatModel(
            base_url=address,
            api_key=settings.llm_api_key.get_secret_value(),
            model=settings.llm_model,
            timeout_s=settings.llm_timeout_s,
            connect_timeout_s=settings.llm_connect_timeout_s,
            retries=retries,
            max_context_tokens=settings.llm_max_context_tokens,
            counter=counter,
            extra_body=settings.llm_extra,
            headers=headers,
        )
        for address in settings.llm_base_urls
    )
