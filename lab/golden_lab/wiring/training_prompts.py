"""Builds the judgements as used online, so that their prompts can be captured for training an adapter."""

from pathlib import Path

import intrinsics
from contracts.errors import InvalidInput
from golden_lab.training.export.declaration import TrainedPrompt
from golden_lab.training.judgements.forms import Online, form_of
from golden_retriever.settings import Settings
from golden_retriever.wiring.chat import find_adapter_of
from golden_retriever.wiring.engines import COMBINED, EngineChooser, build_cross_encoder
from golden_retriever.wiring.indexes import build_embedder
from golden_retriever.wiring.judgements import build_judge
from intrinsics.question_augmentation.template import TemplateQuestionAugmenter
from tools.adapters.declaration import AdapterDeclaration, load_adapter
from tools.chat.base import ChatModel
from tools.reading.ranking import QuoteRanker


def online_judgement(settings: Settings, intrinsic: str, chat: ChatModel, adapter: AdapterDeclaration | None) -> Online:
    """Return ``intrinsic`` as used online on ``chat``: with ``adapter``, or with the language model's own prompt.

    There is no fallback for an unreadable reply. The dictionary and the documents are empty, because prompts do not
    depend on them.

    Raises:
        ConfigurationError: the intrinsic does not support the adapter's convention.
    """
    engine = "llm" if adapter is None else "adapter"
    asked = settings.model_copy(update={"engines": f"{intrinsic}={engine}", "degrade": "refuse"})
    engines = EngineChooser(asked, chat, adapter=adapter)
    # The embedded judgement next to the prompted one is never called, so its weights are not loaded.
    ranker = QuoteRanker(build_cross_encoder())
    return Online(
        judge=build_judge(intrinsic, engines, build_embedder(settings), ranker), augmenter=TemplateQuestionAugmenter()
    )


def adapter_to_train(
    settings: Settings, intrinsic: str, file: Path | None = None, *, messages: bool = False
) -> AdapterDeclaration | None:
    """Return the adapter whose prompt is used for training: ``file``, or else the one that ``intrinsic`` runs on.

    None: there is no adapter yet, or the language model's own prompt is requested (``messages``).

    Raises:
        InvalidInput: both a file and messages are requested, or the intrinsic has no messages of its own.
        ConfigurationError: a file does not belong to an adapter.
    """
    if file is not None and messages:
        raise InvalidInput("name an adapter file, or ask for messages: not both", field="adapter")
    if file is not None:
        return load_adapter(file)
    if messages and intrinsic in COMBINED:
        raise InvalidInput(
            f"language models judge {intrinsic} in the same call as other intrinsics: use an adapter's prompt instead",
            field="messages",
        )
    return None if messages else find_adapter_of(settings, intrinsic)


def trained_prompt(
    settings: Settings, intrinsic: str, file: Path | None = None, *, messages: bool = False
) -> TrainedPrompt:
    """Return the prompt that an adapter for ``intrinsic`` was trained on, as ``golden-lab train intrinsic`` chooses it.

    Raises:
        InvalidInput: no intrinsic of this name runs on adapters, or both a file and messages are requested.
        ConfigurationError: a file does not belong to an adapter.
    """
    form_of(intrinsic)
    own = Path(next(iter(intrinsics.__path__))) / intrinsic / "llm.toml"
    adapter = adapter_to_train(settings, intrinsic, file, messages=messages)
    return TrainedPrompt(intrinsic=intrinsic, adapter=adapter, file=own if own.is_file() else None)
