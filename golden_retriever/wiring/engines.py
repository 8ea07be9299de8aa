"""The choice of an engine for each judgement, the cross-encoder, and the OCR engine."""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from contracts.errors import ConfigurationError
from golden_retriever.profiles import Engine, engines_of
from golden_retriever.settings import Settings
from intrinsics.combined.base import ANSWER_PARTS, PASSAGE_PARTS, QUESTION_PARTS

if TYPE_CHECKING:
    from tools.adapters.declaration import AdapterDeclaration
    from tools.chat.base import ChatModel
    from tools.cross_encoder.base import AnswerScorer
    from tools.ocr import OcrEngine

Judge = TypeVar("Judge")
COMBINED = frozenset({*QUESTION_PARTS, *PASSAGE_PARTS, *ANSWER_PARTS})


class EngineChooser:
    """Chooses engines by the profile and exceptions in the settings; without a chat server, everything is embedded."""

    def __init__(
        self, settings: Settings, chat: "ChatModel | None", *, adapter: "AdapterDeclaration | None" = None
    ) -> None:
        """Prepare the choice; ``adapter`` replaces the adapters in the settings, for every intrinsic."""
        self._settings = settings
        self._adapter = adapter
        self._chosen = engines_of(settings.profile, settings.engines)
        # If set, a verdict that the language model fails to give must not be replaced by an embedded one.
        self.refuses = settings.degrade == "refuse"
        self._chat = chat

    def engine_of(self, intrinsic: str) -> Engine:
        return self._chosen[intrinsic] if self._chat is not None else "embedded"

    def choose(
        self,
        intrinsic: str,
        embedded: Judge | None,
        prompted: Callable[..., Judge] | None = None,
        *,
        adapted: Callable[..., Judge] | None = None,
    ) -> Judge:
        """Return ``embedded``, or a judge on the intrinsic's engine, with ``embedded`` as its fallback if allowed.

        ``embedded`` is None for an intrinsic that only a language model can do; every profile lets it use one.

        ``prompted`` makes a judge from the chat server (and from ``model`` and ``prompt_path``, for an adapter that was
        trained on messages); ``adapted`` makes one from the server and an ``adapter`` with its own kind of prompt. A
        judgement that the language model makes in a shared call (see ``combine``) uses ``embedded`` here.

        Raises:
            ConfigurationError: the intrinsic needs a language model and there is none; or the engine is "adapter", and
            there is no adapter that the intrinsic can use.
        """
        engine, chat = self.engine_of(intrinsic), self._chat
        if engine == "llm" and intrinsic in COMBINED:
            engine = "embedded"
        if embedded is not None and engine == "embedded":
            return embedded
        if chat is None:
            raise ConfigurationError(f"{intrinsic.replace('_', ' ')} needs a language model: set GOLDEN_LLM")
        makes = self._adapted(intrinsic, prompted, adapted) if engine == "adapter" else prompted
        if makes is None:
            raise ValueError(f"the wiring of {intrinsic} lacks the engine {engine}")
        if embedded is None:
            return makes(chat)
        from tools.fallback import with_fallback

        return with_fallback(makes(chat), embedded, refuse=self.refuses)

    def combine(self, parts: Sequence[str], prompted: Callable[..., Judge], nothing: Judge) -> Judge | None:
        """Return a judge that makes, in one call, the ``parts`` that run on the language model; None if none does.

        If the model does not answer, ``nothing`` leaves all parts to their own judges, unless fallback is refused.
        """
        chosen = [part for part in parts if self.engine_of(part) == "llm"]
        if not chosen:
            return None
        from tools.fallback import with_fallback

        return with_fallback(prompted(self._chat, parts=chosen), nothing, refuse=self.refuses)

    def _adapted(
        self, intrinsic: str, prompted: Callable[..., Judge] | None, adapted: Callable[..., Judge] | None
    ) -> Callable[..., Judge] | None:
        from golden_retriever.wiring.chat import adapter_of

        adapter = self._adapter or adapter_of(self._settings, intrinsic)
        in_messages = adapter.prompt.convention == "chat"
        if in_messages and prompted is not None:
            return _on_messages(intrinsic, prompted, adapter)
        if in_messages or adapted is None:
            other = "chat" if adapted is None else "granite-3.3"
            raise ConfigurationError(
                f"The adapter file {adapter.path} has the convention {adapter.prompt.convention}, which {intrinsic} "
                f"does not support: it needs the convention {other}."
            )
        return partial(adapted, adapter=adapter)


def _on_messages(intrinsic: str, prompted: Callable[..., Judge], adapter: "AdapterDeclaration") -> Callable[..., Judge]:
    if adapter.prompt_path is None:
        return partial(prompted, model=adapter.model)
    if "prompt_path" not in signature(prompted).parameters:
        raise ConfigurationError(
            f"The adapter file {adapter.path} names a prompt file, but {intrinsic} has several prompts: it uses its "
            "own, so leave out prompt.file."
        )
    return partial(prompted, model=adapter.model, prompt_path=adapter.prompt_path)


@lru_cache(maxsize=2)
def build_cross_encoder(folder: Path | None = None) -> "AnswerScorer":
    """Return the cross-encoder with the weights in ``folder``, or with the included weights if it is None."""
    import tools.cross_encoder
    from tools.cross_encoder.onnx import OnnxAnswerScorer
    from tools.embedding.weights import find_default_model

    shipped = Path(tools.cross_encoder.__path__[0]) / "weights"
    return OnnxAnswerScorer(folder or shipped, find_default_model() / "tokenizer.json")


def build_ocr(settings: Settings) -> "OcrEngine":
    """Return Tesseract; if it is not installed, the report on each scanned page explains how to install it."""
    from tools.ocr.tesseract import TesseractOcr

    return TesseractOcr(language=settings.ocr_language)
