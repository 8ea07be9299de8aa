"""JSON replies with log-probabilities at the values of one field."""

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from tools.chat.base import ChatReply, ReplyToken, TokenOption

# The whole value is rarely one token: where it is not among the options, it weighs nothing.
_NEGLIGIBLE = -50.0


def measured(reply: Any, field: str, *shares: Mapping[str, float]) -> ChatReply:
    """Make the reply ``reply`` (as JSON), with what could stand for the fields ``field``, in their order."""
    text = json.dumps(reply)
    tokens: list[ReplyToken] = []
    end = 0
    for match, options in zip(re.finditer(rf'"{field}": "([^"]*)"', text), shares, strict=True):
        likeliest = tuple(TokenOption(text=each, logprob=math.log(share)) for each, share in options.items())
        tokens.append(ReplyToken(text=text[end : match.start(1)], logprob=0.0))
        tokens.append(ReplyToken(text=match[1], logprob=_NEGLIGIBLE, options=likeliest))
        end = match.end(1)
    tokens.append(ReplyToken(text=text[end:], logprob=0.0))
    return ChatReply(text=text, model="m", tokens=tuple(tokens))
