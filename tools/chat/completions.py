"""Reads the text and tokens of a choice in a chat or completion response."""

from typing import Any

from tools.chat.base import ReplyToken, TokenOption


def text_of(choice: Any) -> Any:
    """Return the text of a choice: a chat message, or the completion of a prompt."""
    message = getattr(choice, "message", None)
    return message.content if message is not None else getattr(choice, "text", None)


def piece_of(chunk: Any) -> tuple[str, str]:
    """Return the text in a chunk of a chat or completion stream, and the finish reason.

    Each is "" if the chunk does not contain it. The client does not validate chunks, so any part may be missing.
    """
    choices = getattr(chunk, "choices", None)
    choice = choices[0] if isinstance(choices, list) and choices else None
    is_chat = hasattr(choice, "delta")
    text = getattr(getattr(choice, "delta", None), "content", None) if is_chat else getattr(choice, "text", None)
    return text if isinstance(text, str) else "", str(getattr(choice, "finish_reason", None) or "")


def tokens_of(choice: Any) -> tuple[ReplyToken, ...] | None:
    """Return the tokens of a choice with their log-probabilities; None if the server returns none."""
    logprobs = getattr(choice, "logprobs", None)
    content = getattr(logprobs, "content", None)
    if not content:
        return _completed_tokens(logprobs)
    # In llama.cpp's response to a plain prompt, tokens are in the chat format, which the client does not expect.
    tokens = [token if isinstance(token, dict) else token.model_dump(warnings=False) for token in content]
    return tuple(
        ReplyToken(
            text=token["token"],
            logprob=float(token["logprob"]),
            options=tuple(
                TokenOption(text=option["token"], logprob=float(option["logprob"]))
                for option in token.get("top_logprobs") or ()
            ),
        )
        for token in tokens
    )


def _completed_tokens(logprobs: Any) -> tuple[ReplyToken, ...] | None:
    """Read the log-probabilities of a completed prompt, which come as parallel lists.

    Source: OpenAI's reference for ``POST /v1/completions``; vLLM returns None for a token without log-probabilities.
    """
    texts = getattr(logprobs, "tokens", None)
    if not texts:
        return None
    own = getattr(logprobs, "token_logprobs", None) or []
    options = getattr(logprobs, "top_logprobs", None) or [None] * len(texts)
    return tuple(
        ReplyToken(
            text=text,
            logprob=float(logprob or 0.0),
            options=tuple(TokenOption(text=each, logprob=float(value)) for each, value in (likeliest or {}).items()),
        )
        for text, logprob, likeliest in zip(texts, own, options, strict=False)
    )
