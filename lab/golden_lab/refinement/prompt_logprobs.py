"""How probable a text is to a chat model as its reply: the log-probabilities of the prompt's tokens.

Its client takes a second to load, as that of ``tools.chat.openai`` does: import this module where it is built.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from openai import AsyncOpenAI

from contracts.errors import InvalidInput
from tools.chat.base import ChatMessage, ReplyToken
from tools.chat.errors import ChatRefused
from tools.chat.openai_errors import explained

# Decoded one by one, tokens of one letter may come as marks for what cannot be read: only these letters are sure.
_SURE = re.compile(r"[A-Za-z0-9]")


class PromptLogprobsScorer:
    """Asks a server that gives log-probabilities of prompts, which vLLM does and llama.cpp and OpenAI do not.

    The text goes as an assistant's message that is to be continued, so that it stands last in the prompt, behind the
    model's own template; one token is generated, and thrown away.
    Source: ``prompt_logprobs``, ``continue_final_message`` and ``add_generation_prompt`` of vLLM's OpenAI-compatible
    server.
    """

    def __init__(self, base_url: str, api_key: str, model: str, timeout_s: float = 60.0) -> None:
        self._place = f"The chat server at {base_url}"
        self._base_url = base_url
        self._api_key = api_key
        self._model = model
        self._timeout_s = timeout_s

    async def score(self, messages: Sequence[ChatMessage], text: str) -> tuple[ReplyToken, ...]:
        """Return the tokens of ``text``, each with its log-probability as the reply to ``messages``.

        Raises:
            InvalidInput: the text has no letter or digit to find its tokens by.
            ChatUnavailable: the server does not answer, or gives no log-probabilities of prompts.
        """
        if not _SURE.search(text):
            raise InvalidInput(f"the text {text[:40]!r} has no letter or digit: its tokens cannot be found")
        sent: Any = [{"role": each.role, "content": each.content} for each in messages]
        sent.append({"role": "assistant", "content": text})
        with explained(self._place, self._model, self._timeout_s):
            async with AsyncOpenAI(
                base_url=self._base_url, api_key=self._api_key or "none", timeout=self._timeout_s, max_retries=0
            ) as client:
                answer = await client.chat.completions.create(
                    model=self._model,
                    messages=sent,
                    max_tokens=1,
                    temperature=0.0,
                    extra_body={"prompt_logprobs": 0, "add_generation_prompt": False, "continue_final_message": True},
                )
        tokens = _tokens((answer.model_extra or {}).get("prompt_logprobs"))
        if not tokens:
            raise ChatRefused(
                f"{self._place} gives no log-probabilities of prompts. The signal S2 needs a server that does, such as "
                "vLLM; leave it out, or take the overlap (S3), which asks no server."
            )
        return tail_of(tokens, text)


def tail_of(tokens: Sequence[ReplyToken], text: str) -> tuple[ReplyToken, ...]:
    """Return the last of ``tokens`` that make up ``text``, from its first letter or digit on.

    Raises:
        InvalidInput: the tokens do not end with the text.
    """
    wanted = "".join(_SURE.findall(text))
    found = ""
    for at in range(len(tokens) - 1, -1, -1):
        found = "".join(_SURE.findall(tokens[at].text)) + found
        if len(found) >= len(wanted):
            break
    if not wanted or not found.endswith(wanted):
        raise InvalidInput("the prompt's tokens do not end with the text: did the server change it, or cut it?")
    return tuple(tokens[at:])


def _tokens(told: Any) -> tuple[ReplyToken, ...]:
    """Read vLLM's list: null for the first token, then of each place its tokens by id, the prompt's own one first."""
    if not isinstance(told, list):
        return ()
    found = []
    for place in told:
        own = next(iter(place.values()), None) if isinstance(place, Mapping) else None
        if isinstance(own, Mapping) and isinstance(own.get("decoded_token"), str):
            found.append(ReplyToken(text=own["decoded_token"], logprob=float(own.get("logprob", 0.0))))
    return tuple(found)
