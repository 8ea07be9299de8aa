"""Replies with log-probabilities, as servers give them."""

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from tools.chat.base import ChatReply, ReplyToken, TokenOption

# A whole word is rarely one token: if it is not among the options, its probability is negligible.
_NEGLIGIBLE = -50.0


def labelled(word: str, **probabilities: float) -> ChatReply:
    """Make the reply ``word``, in whose place other words could stand with such probabilities."""
    return measured(word, word, probabilities)


def measured(text: str, piece: str, shares: Mapping[str, float]) -> ChatReply:
    """Make the reply ``text``, with what could stand for ``piece`` in it."""
    start = text.index(piece)
    return _measured(text, [(start, start + len(piece), shares)])


def measured_fields(reply: Any, field: str, *shares: Mapping[str, float]) -> ChatReply:
    """Make the reply ``reply`` (as JSON), with what could stand for the fields ``field``, in their order."""
    text = json.dumps(reply)
    fields = zip(re.finditer(rf'"{field}": "([^"]*)"', text), shares, strict=True)
    return _measured(text, [(*match.span(1), options) for match, options in fields])


def _measured(text: str, places: list[tuple[int, int, Mapping[str, float]]]) -> ChatReply:
    tokens: list[ReplyToken] = []
    end = 0
    for start, behind, shares in places:
        options = tuple(TokenOption(text=each, logprob=math.log(share)) for each, share in shares.items())
        tokens.append(ReplyToken(text=text[end:start], logprob=0.0))
        tokens.append(ReplyToken(text=text[start:behind], logprob=_NEGLIGIBLE, options=options))
        end = behind
    tokens.append(ReplyToken(text=text[end:], logprob=0.0))
    return ChatReply(text=text, model="m", tokens=tuple(tokens), finish_reason="stop")
