"""The choice of an implementation: embedded, or on the chat server with the embedded one behind it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from golden_retriever.profiles import Engine, engines_of
from golden_retriever.settings import Settings

if TYPE_CHECKING:
    from tools.chat import ChatModel

Judge = TypeVar("Judge")


class EngineChooser:
    """Chooses by the settings' profile and exceptions; without a chat server everything is embedded."""

    def __init__(self, settings: Settings, chat: "ChatModel | None") -> None:
        self._chosen = engines_of(settings.profile, settings.engines)
        self._refuse = settings.degrade == "refuse"
        self._chat = chat

    def engine_of(self, intrinsic: str) -> Engine:
        """Return the engine on which ``intrinsic`` runs."""
        return self._chosen[intrinsic] if self._chat is not None else "embedded"

    def choose(self, intrinsic: str, embedded: Judge, prompted: "Callable[[ChatModel], Judge]") -> Judge:
        """Return ``embedded``, or what ``prompted`` makes of the chat server: that degrades to it, unless refused."""
        if self._chat is None or self.engine_of(intrinsic) == "embedded":
            return embedded
        from tools.degrading import degrading

        return degrading(prompted(self._chat), embedded, refuse=self._refuse)
