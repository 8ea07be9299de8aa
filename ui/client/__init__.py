"""The server's HTTP API as the pages use it: an ordinary client, in the same process or over the network."""

from ui.client.base import ApiClient, ApiSession, Caller
from ui.client.problems import ApiProblem

__all__ = ["ApiClient", "ApiProblem", "ApiSession", "Caller"]
