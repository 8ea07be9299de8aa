"""What one server takes of a request, found out from its answers."""

import json
from collections.abc import Iterator
from dataclasses import replace

from tools.chat.base import ChatRequest

_SCHEMA_WORDS = ("response_format", "json_schema", "schema", "guided", "grammar", "structured")
_LOGPROB_WORDS = ("logprob", "logits_all")


class ServerFeatures:
    """Remembers what a server has refused, so that it is not asked for it twice.

    A schema that was refused by a server that took another one is left out alone; a server that has taken none is
    asked without schemas from then on. ``token_field`` is the name under which the server takes the reply's limit.
    """

    def __init__(self) -> None:
        self._refused_schemas: set[str] = set()
        self._took_schema = False
        self._logprobs = True
        self.temperature = True
        self.token_field = "max_tokens"

    @property
    def schemas(self) -> bool:
        """Whether the server has taken a JSON schema, or was not asked yet."""
        return self._took_schema or not self._refused_schemas

    @property
    def logprobs(self) -> bool:
        """Whether the server has taken requests for log-probabilities, or was not asked yet."""
        return self._logprobs

    def fitted(self, request: ChatRequest) -> ChatRequest:
        """Return the request without what the server has refused."""
        refused = self._refused_schemas
        if request.json_schema is not None and refused and (not self._took_schema or _fingerprint(request) in refused):
            request = replace(request, json_schema=None)
        return request if self._logprobs else replace(request, top_logprobs=0)

    def adapt(self, refusal: str) -> bool:
        """Learn from a refusal that names another field for the limit, or no temperature; tell whether it did.

        Source: OpenAI's reasoning models take ``max_completion_tokens`` and no temperature.
        """
        said = refusal.lower()
        if "max_completion_tokens" in said and self.token_field == "max_tokens":
            self.token_field = "max_completion_tokens"
            return True
        if "'temperature'" in said and self.temperature:
            self.temperature = False
            return True
        return False

    def is_about_features(self, refusal: str) -> bool:
        """Tell whether a refusal names a feature, whatever status it has."""
        return any(word in refusal.lower() for word in (*_SCHEMA_WORDS, *_LOGPROB_WORDS))

    def simpler(self, request: ChatRequest, refusal: str) -> Iterator[ChatRequest]:
        """Yield the request with less in it, first without what the refusal names."""
        without_schema, without_logprobs = replace(request, json_schema=None), replace(request, top_logprobs=0)
        first, second = without_schema, without_logprobs
        if any(word in refusal.lower() for word in _LOGPROB_WORDS):
            first, second = second, first
        tried = [request]
        for candidate in (first, second, replace(without_schema, top_logprobs=0)):
            if candidate not in tried:
                tried.append(candidate)
                yield candidate

    def learn(self, wanted: ChatRequest, taken: ChatRequest) -> None:
        """Remember that the server took ``taken`` after it had refused ``wanted``, or took ``wanted`` at once."""
        if taken.json_schema is not None:
            self._took_schema = True
        elif wanted.json_schema is not None:
            self._refused_schemas.add(_fingerprint(wanted))
        if wanted.top_logprobs and not taken.top_logprobs:
            self._logprobs = False


def _fingerprint(request: ChatRequest) -> str:
    return json.dumps(request.json_schema, sort_keys=True, default=str)
