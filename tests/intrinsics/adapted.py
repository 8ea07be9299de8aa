"""What the tests of adapters share: the published declarations, and replies in the form in which vLLM gives them."""

import math
from pathlib import Path

from contracts.text import Chunk, Passage
from tools.adapters import AdapterDeclaration, load_adapter
from tools.chat.base import ChatReply, ReplyToken, TokenOption
from tools.language.sentences import split_sentences

INTRINSICS = Path(__file__).resolve().parents[2] / "intrinsics"


def published(intrinsic: str) -> AdapterDeclaration:
    """Return the adapter declared in the repository."""
    return load_adapter(INTRINSICS / intrinsic / "adapter.toml")


def passage(text: str, ordinal: int = 0) -> Passage:
    """Return a passage with its sentences."""
    chunk = Chunk(id=f"c{ordinal}", document_id="d", kind="passage", ordinal=ordinal, text=text, page=1, last_page=1)
    return Passage(
        chunk=chunk, document_name="d.pdf", document_title="", score=1.0, sentences=tuple(split_sentences(text))
    )


def measured(text: str, place: str, shares: dict[str, float]) -> ChatReply:
    """Return a reply whose tokens are what stands before ``place``, ``place`` with these shares, and what follows."""
    start = text.index(place)
    pieces = [text[:start], place, text[start + len(place) :]]
    options = tuple(TokenOption(text=each, logprob=math.log(share)) for each, share in shares.items())
    tokens = tuple(
        ReplyToken(text=piece, logprob=-0.01, options=options if n == 1 else ())
        for n, piece in enumerate(pieces)
        if piece
    )
    return ChatReply(text=text, model="m", tokens=tokens, finish_reason="stop")
