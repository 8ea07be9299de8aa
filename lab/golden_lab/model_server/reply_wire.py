"""The wire of replies of a language model, whole and in chunks, of chats and of completed prompts."""

from collections.abc import Sequence
from typing import Any

from golden_lab.local_chat.pieces import WrittenPiece
from tools.chat.base import ReplyToken


class ReplyForm:
    """Writes one reply in OpenAI's form; ``as_chat`` of a chat, else of a completed prompt.

    With ``measured`` its tokens come along, each with ``options`` alternatives.
    """

    def __init__(
        self, reply_id: str, created: int, model: str, *, as_chat: bool, measured: bool = False, options: int = 0
    ) -> None:
        self._head = {"id": reply_id, "created": created, "model": model}
        self._as_chat = as_chat
        self._measured = measured
        self._options = options
        # Where the next token stands in the text of a completed prompt.
        self._offset = 0

    def whole(self, pieces: Sequence[WrittenPiece]) -> dict[str, Any]:
        """Return the body of a reply in one piece."""
        text = "".join(piece.text for piece in pieces)
        tokens = [token for piece in pieces for token in piece.tokens]
        said: dict[str, Any] = {"text": text}
        if self._as_chat:
            said = {"message": {"role": "assistant", "content": text, "refusal": None}}
        kind = "chat.completion" if self._as_chat else "text_completion"
        return self._body(kind, self._choice(said, tokens, pieces[-1].finish_reason), usage_of(pieces[-1]))

    def chunk(self, piece: WrittenPiece, *, first: bool = False) -> dict[str, Any]:
        """Return the body of a chunk of a stream."""
        said: dict[str, Any] = {"text": piece.text}
        if self._as_chat:
            said = {"delta": {**({"role": "assistant"} if first else {}), "content": piece.text}}
        kind = "chat.completion.chunk" if self._as_chat else "text_completion"
        return self._body(kind, self._choice(said, piece.tokens, piece.finish_reason))

    def usage(self, last: WrittenPiece) -> dict[str, Any]:
        """Return the body of the chunk that counts the tokens."""
        kind = "chat.completion.chunk" if self._as_chat else "text_completion"
        return {**self._head, "object": kind, "choices": [], "usage": usage_of(last)}

    def _body(self, kind: str, choice: dict[str, Any], usage: dict[str, int] | None = None) -> dict[str, Any]:
        return {**self._head, "object": kind, "choices": [choice], **({"usage": usage} if usage else {})}

    def _choice(self, said: dict[str, Any], tokens: Sequence[ReplyToken], reason: str) -> dict[str, Any]:
        told = None
        if self._measured and (tokens or reason):
            told = self._of_chat(tokens) if self._as_chat else self._of_text(tokens)
        return {"index": 0, **said, "logprobs": told, "finish_reason": reason or None}

    def _of_chat(self, tokens: Sequence[ReplyToken]) -> dict[str, Any]:
        return {
            "content": [
                {
                    **_named(token.text, token.logprob),
                    "top_logprobs": [_named(each.text, each.logprob) for each in token.options[: self._options]],
                }
                for token in tokens
            ],
            "refusal": None,
        }

    def _of_text(self, tokens: Sequence[ReplyToken]) -> dict[str, Any]:
        offsets = []
        for token in tokens:
            offsets.append(self._offset)
            self._offset += len(token.text)
        return {
            "tokens": [token.text for token in tokens],
            "token_logprobs": [token.logprob for token in tokens],
            "top_logprobs": [_by_text(token, self._options) for token in tokens],
            "text_offset": offsets,
        }


def usage_of(last: WrittenPiece) -> dict[str, int]:
    """Return the tokens of prompt and reply, by the model's own tokenizer."""
    return {
        "prompt_tokens": last.prompt_tokens,
        "completion_tokens": last.completion_tokens,
        "total_tokens": last.prompt_tokens + last.completion_tokens,
    }


def _named(text: str, logprob: float) -> dict[str, Any]:
    return {"token": text, "logprob": logprob, "bytes": list(text.encode("utf-8", "surrogatepass"))}


def _by_text(token: ReplyToken, most: int) -> dict[str, float]:
    found: dict[str, float] = {}
    for option in token.options[:most]:
        # Bytes that are no letters look alike: the likelier one is told.
        found.setdefault(option.text, option.logprob)
    return found
