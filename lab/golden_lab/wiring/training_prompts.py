"""The judgements as they are asked online, for whoever catches their prompts to train an adapter on them."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import intrinsics
from contracts.errors import InvalidInput
from golden_lab.training.export.declaration import TrainedPrompt
from golden_lab.training.judgements.forms import Online, form_of
from golden_retriever.settings import Settings
from golden_retriever.wiring.chat import find_adapter_of
from golden_retriever.wiring.engines import COMBINED, EngineChooser, build_cross_encoder
from golden_retriever.wiring.indexes import build_embedder
from golden_retriever.wiring.judgements import (
    build_answerability_judge,
    build_augmenter,
    build_certainty_estimator,
    build_citation_finder,
    build_faithfulness_judge,
    build_miner,
    build_question_writer,
    build_relevance_judge,
    build_rewriter,
    build_summariser,
    build_writer,
)
from tools.adapters.declaration import AdapterDeclaration, load_adapter
from tools.chat.base import ChatModel
from tools.embedding.base import Embedder
from tools.reading.ranking import QuoteRanker

_Build = Callable[[EngineChooser, Embedder], Any]


def online_judgement(settings: Settings, intrinsic: str, chat: ChatModel, adapter: AdapterDeclaration | None) -> Online:
    """Return ``intrinsic`` as it is asked online on ``chat``: by ``adapter``, or by the language model's own prompt.

    Nothing stands in for a reply that cannot be read. What the prompts do not depend on is empty: the dictionary
    and the documents.

    Raises:
        ConfigurationError: the adapter's convention is none that the intrinsic runs on.
    """
    engine = "llm" if adapter is None else "adapter"
    asked = settings.model_copy(update={"engines": f"{intrinsic}={engine}", "degrade": "refuse"})
    engines = EngineChooser(asked, chat, adapter=adapter)
    return Online(judge=_BUILDS[intrinsic](engines, build_embedder(settings)), augmenter=build_augmenter())


def adapter_to_train(
    settings: Settings, intrinsic: str, file: Path | None = None, *, messages: bool = False
) -> AdapterDeclaration | None:
    """Return whose prompt an adapter is trained on: that of ``file``, else the one that ``intrinsic`` runs on.

    None: there is none yet, or the language model's own prompt is wanted (``messages``).

    Raises:
        InvalidInput: both a file and messages are asked for, or the intrinsic has no messages of its own.
        ConfigurationError: a file is no adapter's.
    """
    if file is not None and messages:
        raise InvalidInput("name an adapter file, or ask for messages: not both", field="adapter")
    if file is not None:
        return load_adapter(file)
    if messages and intrinsic in COMBINED:
        raise InvalidInput(
            f"a language model judges {intrinsic} in one call with others: train on an adapter's prompt",
            field="messages",
        )
    return None if messages else find_adapter_of(settings, intrinsic)


def trained_prompt(
    settings: Settings, intrinsic: str, file: Path | None = None, *, messages: bool = False
) -> TrainedPrompt:
    """Return the prompt that an adapter for ``intrinsic`` was trained on, as ``golden-lab train intrinsic`` chooses it.

    Raises:
        InvalidInput: nothing called ``intrinsic`` runs on adapters, or both a file and messages are asked for.
        ConfigurationError: a file is no adapter's.
    """
    form_of(intrinsic)
    own = Path(next(iter(intrinsics.__path__))) / intrinsic / "llm.toml"
    adapter = adapter_to_train(settings, intrinsic, file, messages=messages)
    return TrainedPrompt(intrinsic=intrinsic, adapter=adapter, file=own if own.is_file() else None)


def _with_ranker(build: Callable[[EngineChooser, QuoteRanker], Any]) -> _Build:
    # The embedded judgement next to the prompted one is never called, so its weights are not loaded.
    return lambda engines, _: build(engines, QuoteRanker(build_cross_encoder()))


_BUILDS: Mapping[str, _Build] = {
    "question_rewriting": lambda engines, _: build_rewriter(engines),
    "context_relevance": _with_ranker(build_relevance_judge),
    "answerability": _with_ranker(build_answerability_judge),
    "answer_generation": _with_ranker(build_writer),
    "citation": build_citation_finder,
    "faithfulness": build_faithfulness_judge,
    "certainty": lambda engines, _: build_certainty_estimator(engines),
    "summarisation": build_summariser,
    "question_writing": lambda engines, _: build_question_writer(engines),
    "term_mining": lambda engines, _: build_miner(engines),
}
