"""Builds the parts of an experiment: the arms, the library that they search, and the scorer."""

import hashlib
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path

from contracts.errors import ConfigurationError, InvalidInput
from golden_lab.engine import Engine
from golden_lab.experiments.answers import ArmServices
from golden_lab.experiments.form import BASE, EMBEDDED, Experiment
from golden_lab.wiring.engines import build_engine
from golden_retriever.settings import Settings
from golden_retriever.wiring.application import open_application
from golden_retriever.wiring.chat import build_server, serving_llm
from library.store import LibraryStore
from tools.chat.base import ChatModel
from tools.chat.resilient import ResilientChatModel
from tools.embedding.base import Embedder

_NEVER_LEFT_ALONE = 1_000_000


@asynccontextmanager
async def open_experiment(
    settings: Settings,
    experiment: Experiment,
    *,
    scorer: str = "embedded",
    scorer_model: str = "",
    server: str = "",
    adapters: Path | None = None,
) -> AsyncIterator[tuple[ArmServices, Engine]]:
    """Build the services of the arms and the engine that scores, and close both at the end.

    ``scorer`` is "embedded" or "llm"; "llm" uses ``scorer_model``, if given, instead of the configured model.
    ``server`` is the address of the chat server with the models of the arms; "": the configured one. A configured GGUF
    file is served with the adapters of the arms in the folder ``adapters``.

    Raises:
        InvalidInput: a model is not on the server, or the library is empty although an arm searches it.
        ConfigurationError: a chat server or the name of a model is needed but not set.
        Unavailable: the chat server or the database does not answer.
    """
    alone = settings.model_copy(update={"profile": "embedded", "engines": "", "llm": ""})
    there = settings
    if server:
        named = settings.model_copy(update={"llm": server})
        there = named if named.llm_model else _with_model(named, settings.llm_model)
    async with AsyncExitStack() as parts:
        if not server:
            files = _adapter_files(experiment, adapters) if adapters else ()
            there, _ = await parts.enter_async_context(serving_llm(settings, adapters=files))
            settings = there
        asked = _models(experiment, there)
        chat = await _open_chat(parts, there, asked) if asked else None
        library, embedder = "", None
        if experiment.searches:
            application = await parts.enter_async_context(open_application(alone, one_shot=True))
            library, embedder, services = _digest(application.store), application.embedder, application.services
            engine = build_engine(alone, embedder=embedder)
        else:
            engine = build_engine(alone)
            services = engine.judges
        models = {arm.name: asked.get(arm.name, f"embedded ({engine.model})") for arm in experiment.arms}
        bench = ArmServices(chat=chat, models=models, services=services, library=library)
        yield bench, _scorer(parts, settings, scorer, scorer_model, embedder) if scorer != "embedded" else engine


def _adapter_files(experiment: Experiment, folder: Path) -> tuple[Path, ...]:
    """Return the adapter files of the arms, as golden-lab train export writes them.

    Raises:
        InvalidInput: a file is missing.
    """
    names = dict.fromkeys(arm.model for arm in experiment.arms if arm.model not in (BASE, EMBEDDED))
    files = tuple(folder / name / f"{name}.gguf" for name in names)
    missing = [str(each) for each in files if not each.is_file()]
    if missing:
        raise InvalidInput(f"there is no file {missing[0]}: golden-lab train export writes it", field="adapters")
    return files


def _models(experiment: Experiment, settings: Settings) -> dict[str, str]:
    """Return the model on the server for each arm that uses one."""
    asked = {arm.name: arm.model for arm in experiment.arms if arm.model != EMBEDDED}
    if asked and not settings.llm:
        raise ConfigurationError(
            f"the arms {', '.join(asked)} need a language model: set GOLDEN_LLM, or let the embedded engine "
            "answer with --model ARM=embedded"
        )
    base = next((name for name, model in asked.items() if model == BASE), "")
    if base and not settings.llm_model:
        raise ConfigurationError(
            f"the arm {base} uses the base model, whose name must be recorded: set it in GOLDEN_LLM, or "
            f"give --model {base}=NAME"
        )
    return {name: settings.llm_model if model == BASE else model for name, model in asked.items()}


async def _open_chat(parts: AsyncExitStack, settings: Settings, asked: Mapping[str, str]) -> ChatModel:
    """Return the chat server of the arms; check that it has their models if it lists its models."""
    one = build_server(settings, retries=settings.llm_retries)
    parts.push_async_callback(one.close)
    await one.check()
    missing = {arm: model for arm, model in asked.items() if one.listed and model not in one.listed}
    if missing:
        named = "; ".join(f"{model!r} of the arm {arm}" for arm, model in missing.items())
        raise InvalidInput(
            f"The chat server {one.address} does not have {named}: it has {', '.join(one.listed)}. Serve it there, "
            f"or choose a different model with --model {next(iter(missing))}=NAME. No question was asked.",
            field="model",
        )
    # No user is waiting for an answer here, so a slow server is called again without a pause.
    return ResilientChatModel(
        one, timeout_s=settings.llm_timeout_s, at_once=settings.llm_calls_at_once, failures=_NEVER_LEFT_ALONE
    )


def _with_model(settings: Settings, model: str) -> Settings:
    address = settings.llm_address
    return settings.model_copy(update={"llm": str(replace(address, model=model))}) if address else settings


def _scorer(parts: AsyncExitStack, settings: Settings, name: str, model: str, embedder: Embedder | None) -> Engine:
    named = _with_model(settings, model) if model else settings
    engine = build_engine(named, name, embedder=embedder)
    if engine.chat is not None:
        parts.push_async_callback(engine.chat.close)
    return engine


def _digest(store: LibraryStore) -> str:
    """Return a digest of the contents of a library.

    Raises:
        InvalidInput: it is empty.
    """
    documents = sorted(f"{each.name} {each.content_hash}" for each in store.documents())
    if not documents:
        raise InvalidInput("the library is empty: add documents with golden ingest PATH", field="library")
    return hashlib.sha256("\n".join(documents).encode()).hexdigest()[:16]
