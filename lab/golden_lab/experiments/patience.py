"""A server that fails at one request, and a server that is gone."""

from contracts.errors import MalformedReply, Unavailable
from tools.chat.base import ChatModel
from tools.chat.refusal import ChatLocked, ChatRefused

# So many requests in a row without an answer are no matter of the requests.
MOST_IN_A_ROW = 5


class Patience:
    """Lets single failures pass, and ends the run where none of the next requests would pass either.

    Else a server that went away would make a failure of everything that is left.
    """

    def __init__(self, chat: ChatModel | None) -> None:
        self._chat = chat
        self._in_a_row = 0

    def passed(self) -> None:
        """Take note of a request that was answered."""
        self._in_a_row = 0

    async def failed(self, error: Unavailable) -> None:
        """Take note of a request that failed with ``error``.

        Raises:
            Unavailable: the server does not let us in, does not answer, or has failed too often in a row.
        """
        if isinstance(error, ChatLocked):
            raise error
        if isinstance(error, MalformedReply | ChatRefused):
            self.passed()
            return
        self._in_a_row += 1
        if self._in_a_row >= MOST_IN_A_ROW:
            raise Unavailable(
                f"{error} {MOST_IN_A_ROW} requests in a row were not answered, so the run ends here. What is done is "
                "kept: give the same command again, for a slow server with fewer --at-once or a larger "
                "GOLDEN_LLM_TIMEOUT_S."
            ) from error
        if self._chat is not None:
            await self._chat.check()
