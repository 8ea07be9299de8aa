"""The list of conversations as HTML: by day, each with what can be done with it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from urllib.parse import quote

from contracts.records import Conversation, ConversationPage
from ui.html import Safe, button, element, link
from ui.words import Words

PathOf = Callable[[str], str]
_ROOT = "/api/conversations"
_MAX_TITLE_CHARACTERS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """What is shown: the conversations that hold ``text``, seen at ``now`` in the zone of whoever looks.

    ``said`` is said once, ``focus`` is the key of what gets the keyboard, ``gone`` the id of what was deleted ("*":
    everything), ``editing`` the id of what is being renamed, ``turn`` the number of the request.
    """

    page: ConversationPage
    text: str
    now: datetime
    said: str = ""
    focus: str = ""
    gone: str = ""
    editing: str = ""
    turn: int = 0


def render_list(listing: Listing, words: Words, *, path: PathOf) -> Safe:
    """Render the whole list; ``path`` makes an address for the browser."""
    page = listing.page
    groups = [
        _group(words(f"conversations.{name}"), list(some), listing, words, path)
        for name, some in groupby(page.conversations, key=lambda each: _day_of(each, listing.now))
    ]
    more = _button(words("conversations.older"), "more", key="conversations-older") if page.next else None
    listed = element("nav", *(groups or [_nothing(listing, words)]), more, class_="listed",
                     aria_label=words("conversations.title"), data_key="listed")  # fmt: skip
    return element("div", _head(listing, words), listed, _foot(page, words, path), class_="conversations",
                   data_turn=listing.turn, data_focus=listing.focus or None,
                   data_gone=listing.gone or None)  # fmt: skip


def _head(listing: Listing, words: Words) -> Safe:
    title = element("h2", words("conversations.title"))
    new = _button(words("conversations.new"), "new", key="conversations-new")
    search = element("input", type="search", name="text", value=listing.text, maxlength=400, autocomplete="off",
                     placeholder=words("conversations.search"), aria_label=words("conversations.search_for"),
                     data_key="conversations-search", class_="search")  # fmt: skip
    said = element("p", listing.said, role="status", class_="said", data_key="said")
    return element("div", element("div", title, new, class_="head-line"), search, said, class_="head", data_key="head")


def _nothing(listing: Listing, words: Words) -> Safe:
    if listing.text:
        return element("p", words("conversations.none_found", text=listing.text), class_="quiet")
    return element("p", words("conversations.none" if listing.page.kept else "conversations.not_kept"), class_="quiet")


def _group(name: str, some: Sequence[Conversation], listing: Listing, words: Words, path: PathOf) -> Safe:
    rows = [
        _renaming(each, words) if each.id == listing.editing else _row(each, listing.now, words, path) for each in some
    ]
    return element("div", element("h3", name), element("ul", *rows), class_="day", data_key=f"day-{name}")


def _row(kept: Conversation, now: datetime, words: Words, path: PathOf) -> Safe:
    title = kept.title or words("conversations.untitled")
    changed = kept.changed_at.astimezone(now.tzinfo).strftime(words("conversations.changed"))
    told = f"{title}\n{changed} · {words.count('conversations.questions', kept.questions)}"
    shown = button("open", title, class_="open", dir="auto", title=told, data_id=kept.id, data_key=f"open-{kept.id}")
    toggle = element("button", element("span", "⋯", aria_hidden="true"), type="button", class_="more",
                     aria_label=words("conversations.more", title=title), aria_expanded="false", data_menu=kept.id,
                     data_key=f"more-{kept.id}")  # fmt: skip
    menu = element(
        "div",
        _button(words("conversations.rename"), "edit", id_=kept.id),
        link(words("conversations.markdown"), path(_export_path(kept.id, "markdown"))),
        link(words("conversations.json"), path(_export_path(kept.id, "json"))),
        _button(words("conversations.delete"), "delete", id_=kept.id, class_="danger",
                confirm=words("conversations.delete_sure", title=title)),
        class_="menu", hidden=True, role="group", aria_label=title, data_menu_of=kept.id,
    )  # fmt: skip
    return element("li", shown, toggle, menu, class_="kept", data_key=f"kept-{kept.id}", data_of=kept.id)


def _renaming(kept: Conversation, words: Words) -> Safe:
    field = element("input", type="text", name="title", value=kept.title, maxlength=_MAX_TITLE_CHARACTERS, dir="auto",
                    aria_label=words("conversations.title_of"), data_key=f"title-{kept.id}")  # fmt: skip
    save = _button(words("conversations.save"), "rename", id_=kept.id, class_="primary", submit=True)
    cancel = _button(words("conversations.cancel"), "cancel", id_=kept.id)
    form = element("div", field, element("div", save, cancel, class_="buttons"), data_form=True, role="group",
                   aria_label=words("conversations.rename"), class_="renaming")  # fmt: skip
    return element("li", form, class_="kept", data_key=f"renaming-{kept.id}", data_of=kept.id)


def _foot(page: ConversationPage, words: Words, path: PathOf) -> Safe | None:
    lines: list[Safe] = []
    if page.kept and page.days:
        lines.append(element("p", words.count("conversations.kept_for", page.days), class_="quiet"))
    if not page.kept and page.conversations:
        lines.append(element("p", words("conversations.not_kept"), class_="quiet"))
    if page.conversations:
        every = element(
            "div",
            link(words("conversations.all_markdown"), path(_export_path("", "markdown"))),
            link(words("conversations.all_json"), path(_export_path("", "json"))),
            _button(words("conversations.delete_all"), "delete_all", class_="danger",
                    confirm=words("conversations.delete_all_sure")),
            class_="menu",
        )  # fmt: skip
        lines.append(element("details", element("summary", words("conversations.all")), every, data_key="all"))
    return element("div", *lines, class_="foot", data_key="foot") if lines else None


def _export_path(conversation_id: str, kind: str) -> str:
    """Return where a conversation is exported as ``kind``, markdown or json; where all are, if the id is ""."""
    place = f"/{quote(conversation_id, safe='', errors='replace')}" if conversation_id else ""
    return f"{_ROOT}{place}/export?format={kind}"


def _button(text: str, action: str, *, id_: str = "", key: str = "", class_: str = "", confirm: str = "",
            submit: bool = False) -> Safe:  # fmt: skip
    return button(action, text, class_=class_ or None, data_id=id_ or None, data_key=key or None,
                  data_confirm=confirm or None, data_submit=submit)  # fmt: skip


def _day_of(kept: Conversation, now: datetime) -> str:
    day = kept.changed_at.astimezone(now.tzinfo).date()
    if day >= now.date():
        return "today"
    return "yesterday" if day == now.date() - timedelta(days=1) else "earlier"
