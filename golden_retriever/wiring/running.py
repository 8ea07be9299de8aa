"""What runs where: the engines that the settings ask for, held against what the chat servers have."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from contracts.errors import ConfigurationError
from golden_retriever.profiles import Engine, engines_of
from golden_retriever.settings import Settings
from golden_retriever.wiring.chat import build_servers
from golden_retriever.wiring.vllm import chosen_adapters

if TYPE_CHECKING:
    from tools.adapters import AdapterDeclaration
    from tools.chat.openai import OpenAIChatModel
    from tools.chat.probing import Probe, ServerFindings

# Their verdicts are a label, which has a probability where the server gives log-probabilities.
_LABELLED = frozenset(
    {"context_classification", "context_relevance", "answerability", "faithfulness", "passage_reranking", "certainty"}
)
# Their replies are JSON.
_STRUCTURED = frozenset(
    {
        "question_rewriting", "query_expansion", "jargon_identification", "context_classification", "citation",
        "faithfulness", "summarisation", "question_writing", "term_mining",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineFinding:
    """One intrinsic: the engine ``asked`` for, the one it ``runs_on``, its model there, and what that means."""

    intrinsic: str
    asked: Engine
    runs_on: str
    model: str = ""
    note: str = ""

    @property
    def as_asked(self) -> bool:
        """Whether it runs as it is asked to."""
        return self.asked == self.runs_on


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningReport:
    """What the servers have, and where each intrinsic runs."""

    servers: tuple["ServerFindings", ...]
    engines: tuple[EngineFinding, ...]

    @property
    def as_asked(self) -> bool:
        """Whether everything runs as it is asked to."""
        return all(each.as_asked for each in self.engines)


async def check_running(settings: Settings) -> RunningReport:
    """Probe the configured chat servers, each by itself, and say what will run where.

    Raises:
        ConfigurationError: no chat server is set, or an adapter's file is wrong.
    """
    from tools.chat.probing import probe_server

    if not settings.llm_base_urls:
        raise ConfigurationError("No chat server is set, so everything runs embedded: set GOLDEN_LLM_BASE_URL.")
    adapters = chosen_adapters(settings)
    wanted = {each.model: each.prompt.convention != "chat" for each in adapters.values()}

    async def probe(chat: "OpenAIChatModel") -> "ServerFindings":
        try:
            return await probe_server(chat, adapters=tuple(wanted.items()))
        finally:
            await chat.close()

    servers = await asyncio.gather(*(probe(chat) for chat in build_servers(settings)))
    chosen = engines_of(settings.profile, settings.engines)
    return RunningReport(
        servers=tuple(servers),
        engines=tuple(_found(settings, name, engine, adapters.get(name), servers) for name, engine in chosen.items()),
    )


def _found(
    settings: Settings,
    name: str,
    asked: Engine,
    adapter: "AdapterDeclaration | None",
    servers: Sequence["ServerFindings"],
) -> EngineFinding:
    if asked == "embedded":
        return EngineFinding(intrinsic=name, asked=asked, runs_on="embedded")
    instead = "nothing: its requests are refused" if settings.degrade == "refuse" else "embedded"
    if adapter is not None:
        probes = [server.adapter(adapter.model) for server in servers]
        model = adapter.model
    else:
        probes = [_needed(name, server) for server in servers]
        model = settings.llm_model or next((server.model for server in servers if server.model), "")
    good = [server for server, probe in zip(servers, probes, strict=True) if probe.passed]
    if not good:
        why = next(probe.said for probe in probes)
        return EngineFinding(intrinsic=name, asked=asked, runs_on=instead, model=model, note=why)
    notes = [f"on {len(good)} of {len(servers)} servers only"] if len(good) < len(servers) else []
    if name in _LABELLED and not all(server.logprobs.passed for server in good):
        notes.append("without log-probabilities: by word, not by probability")
    needs_schema = adapter is None or adapter.reply.json_schema or adapter.prompt.convention == "chat"
    if name in _STRUCTURED and needs_schema and not all(server.schemas.passed for server in good):
        notes.append("without JSON schemas: what cannot be read is asked again or judged embedded")
    return EngineFinding(intrinsic=name, asked=asked, runs_on=asked, model=model, note="; ".join(notes))


def _needed(name: str, server: "ServerFindings") -> "Probe":
    from tools.chat.probing import Probe

    if server.problem:
        return Probe(passed=False, said=server.problem)
    return server.streaming if name == "answer_generation" else server.chat
