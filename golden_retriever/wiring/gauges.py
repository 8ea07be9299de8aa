"""Gauges: what is told of the library, the queues and the chat servers when metrics are asked for."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, get_args

from contracts.errors import GoldenError

if TYPE_CHECKING:
    from golden_retriever.wiring.application import Application

_OPEN = {"closed": 0.0, "half-open": 0.5, "open": 1.0}


def read_gauges(application: "Application") -> Mapping[str, Mapping[str, float]]:
    """Return what is kept elsewhere, for ``Metrics.exposition``: the library, the queues, the chat servers. Blocking.

    What cannot be read just now is left out: that the database is away must not hide the other numbers.
    """
    from contracts.jobs import JobState
    from tools.chat.resilient import ResilientChatModel

    gauges: dict[str, Mapping[str, float]] = {}
    try:
        documents, chunks = application.store.counts()
        gauges["golden_library_documents"] = {"": documents}
        gauges["golden_library_chunks"] = {"": chunks}
        gauges["golden_unknown_terms"] = {"": len(application.jargon.unknown_terms())}
        states = application.jobs.queue.counts()
        gauges["golden_ingestion_jobs:state"] = {state: states.get(state, 0) for state in get_args(JobState)}
    except GoldenError:
        pass
    if isinstance(application.chat, ResilientChatModel):
        chat = application.chat
        gauges["golden_chat_server_open:server"] = {_host_of(chat.address): _OPEN[chat.breaker]}
    return gauges


def _host_of(address: str) -> str:
    return address.partition("://")[2].partition("/")[0].rpartition("@")[2] or address
