"""What is done with one's own conversations. It knows no Gradio, and keeps nothing between two requests."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo

from ui.client import ApiProblem
from ui.conversations_list.api import ConversationsApi
from ui.conversations_list.rendering import Listing, render_list
from ui.html import Safe
from ui.pages import Action, Visit

A_PAGE = 40
_MOST_PAGES = 100
_MAX_TEXT_CHARACTERS = 400
_MAX_TITLE_CHARACTERS = 200
_MAX_OFFSET_MINUTES = 14 * 60
_GONE = 404


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
            ApiProblem: the server refuses it.
        """
        api = ConversationsApi(visit.session)
        try:
            outcome = await _done(api, visit, action)
        except ApiProblem as problem:
            if problem.status != _GONE:
                raise
            outcome = _Outcome(said=visit.words("conversations.gone"), gone=action.values.get("id", ""))
        text = action.values.get("text", "").strip()[:_MAX_TEXT_CHARACTERS]
        pages = min(max(action.number("pages"), 1), _MOST_PAGES)
        listing = Listing(
            page=await api.first(pages * A_PAGE, text),
            text=text,
            now=datetime.now(_zone_of(action.values.get("offset", ""))),
            said=outcome.said,
            focus=outcome.focus,
            gone=outcome.gone,
            editing=outcome.editing,
            turn=max(action.number("turn"), 0),
        )
        return render_list(listing, visit.words, path=visit.path)


async def _done(api: ConversationsApi, visit: Visit, action: Action) -> _Outcome:
    words, chosen = visit.words, action.values.get("id", "")
    match action.name:
        case "edit":
            return _Outcome(editing=chosen, focus=f"title-{chosen}")
        case "cancel":
            return _Outcome(focus=f"open-{chosen}")
        case "rename":
            title = " ".join(action.fields.get("title", "").split())[:_MAX_TITLE_CHARACTERS]
            if not title:
                return _Outcome(editing=chosen, said=words("conversations.no_title"), focus=f"title-{chosen}")
            await api.rename(chosen, title)
            return _Outcome(said=words("conversations.renamed", title=title), focus=f"open-{chosen}")
        case "delete":
            await api.delete(chosen)
            return _Outcome(said=words("conversations.deleted"), gone=chosen, focus="conversations-search")
        case "delete_all":
            count = await api.delete_all()
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
