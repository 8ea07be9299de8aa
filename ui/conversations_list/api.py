"""The routes of a person's own conversations as typed calls. Each raises ``ApiProblem`` where it is refused."""

from urllib.parse import quote

from ui.client import ApiSession
from ui.conversations_list.wire import KeptPage

ROOT = "/api/conversations"
_MOST_AT_ONCE = 200


class ConversationsApi:
    """Asks for conversations over one session."""

    def __init__(self, session: ApiSession) -> None:
        self._session = session

    async def first(self, most: int, text: str) -> KeptPage:
        """Return the last changed conversations that hold ``text``, at most ``most``."""
        found = await self._page(min(most, _MOST_AT_ONCE), text, "")
        while found.next and len(found.conversations) < most:
            left = min(most - len(found.conversations), _MOST_AT_ONCE)
            more = await self._page(left, text, found.next)
            found = more.model_copy(update={"conversations": (*found.conversations, *more.conversations)})
        return found

    async def rename(self, conversation_id: str, title: str) -> None:
        """Give a conversation another title."""
        await self._session.send("PATCH", _path(conversation_id), json={"title": title})

    async def delete(self, conversation_id: str) -> None:
        """Delete a conversation."""
        await self._session.send("DELETE", _path(conversation_id))

    async def delete_all(self) -> int:
        """Delete every conversation; return how many there were."""
        return int((await self._session.send("DELETE", ROOT)).json()["conversations"])

    async def _page(self, limit: int, text: str, after: str) -> KeptPage:
        asked = {"text": text or None, "limit": limit, "after": after or None}
        return KeptPage.model_validate(await self._session.get(ROOT, asked))


def export_path(conversation_id: str, kind: str) -> str:
    """Return where a conversation is exported as ``kind``, markdown or json; where all are, if the id is ""."""
    return f"{_path(conversation_id) if conversation_id else ROOT}/export?format={kind}"


def _path(conversation_id: str) -> str:
    return f"{ROOT}/{quote(conversation_id, safe='', errors='replace')}"
