"""Replies of one word, as servers with log-probabilities give them."""

import math

from tools.chat.base import ChatReply, ReplyToken, TokenOption


def labelled(word: str, **probabilities: float) -> ChatReply:
    """Make the reply ``word``, in whose place other words could stand with such probabilities."""
    options = tuple(TokenOption(text=text, logprob=math.log(share)) for text, share in probabilities.items())
    own = probabilities.get(word)
    token = ReplyToken(text=word, logprob=math.log(own) if own else math.log(0.01), options=options)
    return ChatReply(text=word, model="m", tokens=(token,))
