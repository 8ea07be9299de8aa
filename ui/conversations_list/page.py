"""Actions on a person's own conversations. This module does not use Gradio and keeps no state between requests."""

from dataclasses import dataclass

from markupsafe import Markup

from contracts.errors import NotFound
from ui.pages import CHANNEL, Action, Visit

A_PAGE = 40
_MAX_PAGES = 100
_MAX_TEXT_CHARACTERS = 400
_MAX_TITLE_CHARACTERS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outcome:
    """The result of an action: the notice, the element that gets the focus, and deleted conversations ("*": all)."""

    notice: str = ""
    focus: str = ""
    gone: str = ""


async def list_conversations(visit: Visit, action: Action) -> Markup:
    """Perform an action, and return the resulting list of conversations from the chat.

    ``values`` contains the ``text`` to search for, the number of ``pages`` shown, ``requestNumber`` (returned
    unchanged), and the ``id`` of the conversation. All of it comes from a browser and may be anything.

    Raises:
        GoldenError: the action is refused.
    """
    try:
        outcome = await _done(visit, action)
    except NotFound:
        outcome = _Outcome(notice=visit.words("conversations.gone"), gone=action.values.get("id", ""))
    text = action.values.get("text", "").strip()[:_MAX_TEXT_CHARACTERS]
    limit = A_PAGE * min(max(action.number("pages"), 1), _MAX_PAGES)
    page = await visit.call("ask", visit.services.records.conversations, text=text, channel=CHANNEL, limit=limit)
    return visit.render(
        "conversations_list/list.html",
        outcome=outcome,
        page=page,
        text=text,
        request_number=max(action.number("requestNumber"), 0),
    )


async def _done(visit: Visit, action: Action) -> _Outcome:
    words, records, chosen = visit.words, visit.services.records, action.values.get("id", "")
    match action.name:
        case "rename" if title := " ".join(action.fields.get("title", "").split())[:_MAX_TITLE_CHARACTERS]:
            await visit.call("ask", records.rename, chosen, title)
            return _Outcome(notice=words("conversations.renamed", title=title), focus=f"open-{chosen}")
        case "delete":
            await visit.call("ask", records.delete, chosen)
            return _Outcome(notice=words("conversations.deleted"), gone=chosen, focus="conversations-search")
        case "delete_all":
            count = await visit.call("ask", records.delete_all, channel=CHANNEL)
            return _Outcome(notice=words.count("conversations.deleted_all", count), gone="*", focus="conversations-new")
        case _:
            return _Outcome()
