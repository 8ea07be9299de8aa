"""The parts of an experiment: who answers, over which library, and who scores."""

import hashlib
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from agent.services import Services
from contracts.errors import ConfigurationError, InvalidInput
from golden_lab.engine import Engine
from golden_lab.experiments.arms import Bench
from golden_lab.experiments.cases import ExperimentCases, read_cases
from golden_lab.experiments.form import BASE, EMBEDDED, Experiment
from golden_lab.experiments.judging import ExperimentJudge, calibrate_judge
from golden_lab.judge.gold import read_gold
from golden_lab.judge.grades import GoldItem
from golden_lab.wiring.measuring import build_engine
from golden_retriever.settings import Settings
from golden_retriever.wiring.application import open_application
from golden_retriever.wiring.chat import build_server
from library.store import LibraryStore
from tools.chat import ChatModel
from tools.chat.base import ChatMessage, ChatRequest
from tools.chat.openai import OpenAIChatModel
from tools.chat.refusal import ChatLocked, ChatRefused
from tools.chat.resilient import ResilientChatModel
from tools.embedding import Embedder

_NEVER_LEFT_ALONE = 1_000_000


@dataclass(frozen=True, kw_only=True)
class ScorerChoice:
    """Who scores: "embedded" or "llm", there by another ``model`` of the server than the configured one.

    ``gold`` is a scored gold set that the judge is calibrated on and held against, None for none; a language model is
    shown ``examples`` of it a criterion.
    """

    engine: str = "embedded"
    model: str = ""
    gold: Path | None = None
    examples: int = 2


@dataclass(frozen=True, kw_only=True)
class OpenedExperiment:
    """What an experiment runs with; ``library`` stands for the documents that arms search, "" where none does."""

    cases: ExperimentCases
    bench: Bench
    scorer: ExperimentJudge | Engine
    library: str


@asynccontextmanager
async def open_experiment(
    settings: Settings,
    experiment: Experiment,
    cases: Path,
    *,
    scorer: ScorerChoice,
    server: str = "",
    subsample: int = 0,
    seed: int = 0,
) -> AsyncIterator[OpenedExperiment]:
    """Make everything that an experiment needs, and close it at the end; nothing is asked of an arm yet.

    ``server`` is the address of the chat server that the arms' models are on; "": the configured one.

    Raises:
        InvalidInput: a model is not on the server, the library is empty though an arm searches it, or a case is wrong.
        ConfigurationError: a chat server or a model's name is needed, and none is set.
        Unavailable: the chat server or the database does not answer.
    """

    alone = settings.model_copy(update={"profile": "embedded", "engines": "", "llm_base_url": ""})
    there = settings.model_copy(update={"llm_base_url": server}) if server else settings
    async with AsyncExitStack() as parts:
        asked = _models(experiment, there)
        chat = await _open_chat(parts, there, asked)
        store: LibraryStore | None = None
        embedder: Embedder | None = None
        over: Services | None = None
        if any(arm.searches for arm in experiment.arms) or experiment.cases.form == "quiz":
            application = await parts.enter_async_context(open_application(alone, one_shot=True))
            store, embedder, over = application.store, application.embedder, application.services
        engine = build_engine(alone, embedder=embedder)
        services = engine.judges if over is None else over
        models = {arm.name: asked.get(arm.name, f"embedded ({engine.model})") for arm in experiment.arms}
        yield OpenedExperiment(
            cases=read_cases(experiment, cases, store=store, subsample=subsample, seed=seed),
            bench=Bench(chat=chat, models=models, services=services),
            scorer=await _scorer(parts, settings, experiment, scorer, engine),
            library=_digest(store) if store is not None else "",
        )


def _models(experiment: Experiment, settings: Settings) -> dict[str, str]:
    """Return the model on the server of each arm that has one."""

    asked = {arm.name: arm.model for arm in experiment.arms if arm.model != EMBEDDED}
    if asked and not settings.llm_base_url:
        raise ConfigurationError(
            f"the arms {', '.join(asked)} need a chat server: set GOLDEN_LLM_BASE_URL, or let the embedded engine "
            "answer with --model ARM=embedded"
        )
    for name, model in asked.items():
        if model == BASE and not settings.llm_model:
            raise ConfigurationError(
                f"the arm {name} is the base model, and an experiment names what it measures: set GOLDEN_LLM_MODEL, or "
                f"give --model {name}=NAME"
            )
    return {name: settings.llm_model if model == BASE else model for name, model in asked.items()}


async def _open_chat(parts: AsyncExitStack, settings: Settings, asked: Mapping[str, str]) -> ChatModel | None:
    """Return the chat server of the arms, every model of theirs being there."""
    if not asked:
        return None

    server = build_server(settings, retries=settings.llm_retries)
    parts.push_async_callback(server.close)
    await server.check()
    await _check_models(server, asked)
    # Nobody waits for a single answer here: a server that is slow is asked on, and not left alone for a while.
    return ResilientChatModel(server, timeout_s=settings.llm_timeout_s, failures=_NEVER_LEFT_ALONE)


async def _check_models(server: OpenAIChatModel, asked: Mapping[str, str]) -> None:
    missing = {arm: model for arm, model in asked.items() if not await _has(server, model)}
    if missing:
        named = "; ".join(f"{model!r} of the arm {arm}" for arm, model in missing.items())
        listed = f"it has {', '.join(server.listed)}" if server.listed else "it lists none"
        raise InvalidInput(
            f"The chat server {server.address} does not have {named}: {listed}. Serve it there, or name another with "
            f"--model {next(iter(missing))}=NAME. Nothing was asked.",
            field="model",
        )


async def _has(server: OpenAIChatModel, model: str) -> bool:
    """Say whether a server has a model; one that lists none is asked for a word."""

    if server.listed:
        return model in server.listed
    try:
        await server.complete(
            ChatRequest(messages=(ChatMessage(role="user", content="Say yes."),), max_tokens=1, model=model)
        )
    except (ChatLocked, ChatRefused):
        return False
    return True


async def _scorer(
    parts: AsyncExitStack, settings: Settings, experiment: Experiment, choice: ScorerChoice, embedded: Engine
) -> ExperimentJudge | Engine:

    engine = embedded
    if choice.engine != "embedded":
        named = settings.model_copy(update={"llm_model": choice.model}) if choice.model else settings
        engine = build_engine(named, choice.engine, embedder=embedded.embedder)
        if engine.chat is not None:
            parts.push_async_callback(engine.chat.close)
    if experiment.scorer == "trifex":
        return engine
    gold: Sequence[GoldItem] = read_gold(choice.gold) if choice.gold is not None else ()
    return await calibrate_judge(engine, gold, choice.examples)


def _digest(store: LibraryStore) -> str:
    """Name what a library holds.

    Raises:
        InvalidInput: it is empty.
    """
    documents = sorted(f"{each.name} {each.content_hash}" for each in store.documents())
    if not documents:
        raise InvalidInput("the library is empty: put documents in with golden ingest PATH", field="library")
    return hashlib.sha256("\n".join(documents).encode()).hexdigest()[:16]
