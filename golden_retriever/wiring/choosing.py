"""The choice of an implementation: embedded, or on the chat server with the embedded one behind it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from golden_retriever.profiles import Engine, engines_of
from golden_retriever.settings import Settings

if TYPE_CHECKING:
    from tools.chat import ChatModel
    from tools.tie_breaking import IsClose

Judge = TypeVar("Judge")


class EngineChooser:
    """Chooses by the settings' profile and exceptions; without a chat server everything is embedded."""

    def __init__(self, settings: Settings, chat: "ChatModel | None") -> None:
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
        prompted: "Callable[[ChatModel], Judge] | None" = None,
        *,
        adapted: "Callable[[ChatModel], Judge] | None" = None,
        is_close: "IsClose | None" = None,
    ) -> Judge:
        """Return ``embedded``, or what the intrinsic's engine asks for: that degrades to it, unless refused.

        ``prompted`` makes a judge of the chat server, and ``adapted`` one of an adapter on it. On the engine ``ties``
        the prompted one is asked only where ``is_close`` says so of the embedded verdict.
        """
        engine, chat = self.engine_of(intrinsic), self._chat
        if chat is None or engine == "embedded":
            return embedded
        makes = {"llm": prompted, "adapter": adapted, "ties": prompted if is_close is not None else None}[engine]
        if makes is None:
            raise ValueError(f"the wiring of {intrinsic} lacks the engine {engine}")
        if engine == "ties" and is_close is not None:
            from tools.tie_breaking import breaking_ties

            return breaking_ties(embedded, makes(chat), is_close, refuse=self._refuse)
        from tools.degrading import degrading

        return degrading(makes(chat), embedded, refuse=self._refuse)
