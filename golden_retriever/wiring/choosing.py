"""The choice of an implementation: embedded, or on the chat server with the embedded one behind it."""

from collections.abc import Callable
from functools import partial
from inspect import signature
from typing import TYPE_CHECKING, TypeVar

from contracts.errors import ConfigurationError
from golden_retriever.profiles import Engine, engines_of
from golden_retriever.settings import Settings

if TYPE_CHECKING:
    from tools.adapters import AdapterDeclaration
    from tools.chat import ChatModel
    from tools.degrading import IsClose

Judge = TypeVar("Judge")


class EngineChooser:
    """Chooses by the settings' profile and exceptions; without a chat server everything is embedded."""

    def __init__(
        self, settings: Settings, chat: "ChatModel | None", *, adapter: "AdapterDeclaration | None" = None
    ) -> None:
        """Choose; ``adapter`` takes the place of what the settings have for any intrinsic."""
        self._settings = settings
        self._adapter = adapter
        self._chosen = engines_of(settings.profile, settings.engines)
        self._refuse = settings.degrade == "refuse"
        self._chat = chat

    @property
    def refuses(self) -> bool:
        """Whether no embedded verdict may stand in for one that the language model did not give."""
        return self._refuse

    def engine_of(self, intrinsic: str) -> Engine:
        """Return the engine on which ``intrinsic`` runs."""
        return self._chosen[intrinsic] if self._chat is not None else "embedded"

    def choose(
        self,
        intrinsic: str,
        embedded: Judge,
        prompted: Callable[..., Judge] | None = None,
        *,
        adapted: Callable[..., Judge] | None = None,
        is_close: "IsClose | None" = None,
    ) -> Judge:
        """Return ``embedded``, or what the intrinsic's engine asks for: that degrades to it, unless refused.

        ``prompted`` makes a judge of the chat server (and of ``model`` and ``prompt_path``, for an adapter that was
        trained on messages), ``adapted`` one of the server and of an ``adapter`` with a prompt of its own kind. On the
        engine ``ties`` the prompted one is asked only where ``is_close`` says so of the embedded verdict.

        Raises:
            ConfigurationError: the engine is adapter, and there is none, or none of a kind that the intrinsic can use.
        """
        engine, chat = self.engine_of(intrinsic), self._chat
        if chat is None or engine == "embedded":
            return embedded
        makes = prompted
        if engine == "adapter":
            makes = self._adapted(intrinsic, prompted, adapted)
        if makes is None or (engine == "ties" and is_close is None):
            raise ValueError(f"the wiring of {intrinsic} lacks the engine {engine}")
        if engine == "ties" and is_close is not None:
            from tools.degrading import breaking_ties

            return breaking_ties(embedded, makes(chat), is_close, refuse=self._refuse)
        from tools.degrading import degrading

        return degrading(makes(chat), embedded, refuse=self._refuse)

    def _adapted(
        self, intrinsic: str, prompted: Callable[..., Judge] | None, adapted: Callable[..., Judge] | None
    ) -> Callable[..., Judge] | None:
        from golden_retriever.wiring.adapters import adapter_of

        adapter = self._adapter or adapter_of(self._settings, intrinsic)
        if adapter.prompt.convention == "chat" and prompted is not None:
            return _on_messages(intrinsic, prompted, adapter)
        if adapted is None:
            raise ConfigurationError(
                f"The adapter file {adapter.path} has the convention {adapter.prompt.convention}, which {intrinsic} "
                "does not run on: it takes the convention chat."
            )
        return partial(adapted, adapter=adapter)


def _on_messages(intrinsic: str, prompted: Callable[..., Judge], adapter: "AdapterDeclaration") -> Callable[..., Judge]:
    if adapter.prompt_path is None:
        return partial(prompted, model=adapter.model)
    if "prompt_path" not in signature(prompted).parameters:
        raise ConfigurationError(
            f"The adapter file {adapter.path} names a prompt file, but {intrinsic} has several prompts: it runs on its "
            "own ones, so leave prompt.file out."
        )
    return partial(prompted, model=adapter.model, prompt_path=adapter.prompt_path)
