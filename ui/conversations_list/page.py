"""What is done with one's own conversations. It knows no Gradio, and keeps nothing between two requests."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo

from contracts.errors import NotFound
from ui.conversations_list.rendering import Listing, render_list
from ui.html import Safe
from ui.pages import Action, Visit

A_PAGE = 40
_MOST_PAGES = 100
_MAX_TEXT_CHARACTERS = 400
_MAX_TITLE_CHARACTERS = 200
_MAX_OFFSET_MINUTES = 14 * 60


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outcome:
    """What came of an action: what is said of it, what gets the keyboard, which conversations are gone."""

    said: str = ""
    focus: str = ""
    gone: str = ""
    editing: str = ""


class ConversationsList:
    """The list beside the chat. Each request says what is shown: the text that is searched, how many pages, where."""

    async def act(self, visit: Visit, action: Action) -> Safe:
        """Do what a person asks, and return the list as it is then.

        ``values`` hold ``text``, ``pages``, ``offset`` (minutes east of UTC), ``turn`` (told back), and the ``id`` of
        the conversation that is meant. All of it came from a browser and may be anything.

        Raises:
            GoldenError: it is refused.
        """
        try:
            outcome = await _done(visit, action)
        except NotFound:
            outcome = _Outcome(said=visit.words("conversations.gone"), gone=action.values.get("id", ""))
        text = action.values.get("text", "").strip()[:_MAX_TEXT_CHARACTERS]
        pages = min(max(action.number("pages"), 1), _MOST_PAGES)
        listing = Listing(
            page=await visit.call("ask", visit.services.records.conversations, text=text, limit=pages * A_PAGE),
            text=text,
            now=datetime.now(_zone_of(action.values.get("offset", ""))),
            said=outcome.said,
            focus=outcome.focus,
            gone=outcome.gone,
            editing=outcome.editing,
            turn=max(action.number("turn"), 0),
        )
        return render_list(listing, visit.words, path=visit.path)


async def _done(visit: Visit, action: Action) -> _Outcome:
    words, records, chosen = visit.words, visit.services.records, action.values.get("id", "")
    match action.name:
        case "edit":
            return _Outcome(editing=chosen, focus=f"title-{chosen}")
        case "cancel":
            return _Outcome(focus=f"open-{chosen}")
        case "rename":
            title = " ".join(action.fields.get("title", "").split())[:_MAX_TITLE_CHARACTERS]
            if not title:
                return _Outcome(editing=chosen, said=words("conversations.no_title"), focus=f"title-{chosen}")
            await visit.call("ask", records.rename, chosen, title)
            return _Outcome(said=words("conversations.renamed", title=title), focus=f"open-{chosen}")
        case "delete":
            await visit.call("ask", records.delete, chosen)
            return _Outcome(said=words("conversations.deleted"), gone=chosen, focus="conversations-search")
        case "delete_all":
            count = await visit.call("ask", records.delete_all)
            return _Outcome(said=words.count("conversations.deleted_all", count), gone="*", focus="conversations-new")
        case _:
            return _Outcome()


def _zone_of(offset: str) -> tzinfo:
    """Return the zone of a browser's clock, by which its person calls a day today."""
    try:
        minutes = int(offset) if len(offset) < 6 else 0
    except ValueError:
        minutes = 0
    return timezone(timedelta(minutes=minutes)) if abs(minutes) <= _MAX_OFFSET_MINUTES else UTC
