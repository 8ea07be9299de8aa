"""The contract of what scores a text as a reply."""

from collections.abc import Sequence
from typing import Protocol

from tools.chat.base import ChatMessage, ReplyToken


class TextScorer(Protocol):
    """Scores texts as replies."""

    async def score(self, messages: Sequence[ChatMessage], text: str) -> tuple[ReplyToken, ...]:
        """Return the tokens of ``text``, each with its log-probability as the reply to ``messages``.

        Raises:
            InvalidInput: the text has no letter or digit to find its tokens by.
            ChatUnavailable: the server does not answer, or gives no log-probabilities of prompts.
        """
        ...
