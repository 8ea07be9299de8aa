"""The page of the dictionary: the try-box, the tabs with their counts, and what can be undone."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace

from contracts.dictionary import Overview
from contracts.errors import GoldenError
from ui.dictionary import pieces, trying
from ui.dictionary.candidates import CandidatesTab
from ui.dictionary.checks import ChecksTab
from ui.dictionary.contexts import ContextsTab
from ui.dictionary.history import HistoryTab
from ui.dictionary.place import TABS, Where
from ui.dictionary.queue import QueueTab
from ui.dictionary.sheets import ImportTab
from ui.dictionary.tabs import Outcome, Tab, TabRequest
from ui.dictionary.terms import TermsTab
from ui.html import Safe, element
from ui.pages import Action, Place, Shown, Visit
from ui.words import Words

_TABS: Mapping[str, Tab] = {
    "terms": TermsTab(),
    "candidates": CandidatesTab(),
    "queue": QueueTab(),
    "import": ImportTab(),
    "history": HistoryTab(),
    "contexts": ContextsTab(),
    "checks": ChecksTab(),
}


class DictionaryPage:
    """The page of whoever manages the dictionary."""

    @property
    def name(self) -> str:
        """Its name, and its path."""
        return "dictionary"

    @property
    def scope(self) -> str:
        """Managing the dictionary."""
        return "manage"

    async def show(self, visit: Visit, place: Place) -> Shown:
        """Show a place of the page."""
        return await _shown(TabRequest(visit=visit, where=Where.of(place)), None)

    async def act(self, visit: Visit, place: Place, action: Action) -> AsyncIterator[Shown]:
        """Do what is asked, and show what is there then."""
        request = TabRequest(visit=visit, where=Where.of(place), action=action)
        outcome = await _done(request)
        yield await _shown(replace(request, where=outcome.where), outcome)


async def _done(request: TabRequest) -> Outcome:
    where, action = request.where, request.action
    match action.name:
        case "tab":
            asked = {name: action.values[name] for name in ("text", "context", "opened") if name in action.values}
            tab = action.values.get("tab", "")
            return Outcome(where=where.at(tab, **asked), focus=f"tab-{tab}")
        case "page":
            return Outcome(where=where.to(start=max(0, action.number("start")), opened="", evidence=0))
        case "close":
            return Outcome(where=where.to(opened="", evidence=0), focus=f"open-{where.opened}")
        case "try":
            return Outcome(where=where.to(q=request.field("q"), department=request.field("department")))
        case "try_clear":
            return Outcome(where=where.to(q="", department=""), focus="try")
        case "undo":
            return await _undo(request)
        case "undo_hide":
            return Outcome(where=where.to(undo=""))
    # An action of any tab: what is offered on one may lead to another.
    tabs = (_TABS.get(where.tab), *_TABS.values())
    doing = next((tab.actions[action.name] for tab in tabs if tab and action.name in tab.actions), None)
    return Outcome(where=where) if doing is None else await doing(request)


async def _undo(request: TabRequest) -> Outcome:
    batch, number = request.action.values.get("batch") == "1", request.action.number("number")
    dictionary = request.dictionary
    if batch:
        await request.call(dictionary.undo_batch, number)
    else:
        await request.call(dictionary.undo, number)
    said = "dictionary.undone_batch" if batch else "dictionary.undone"
    return Outcome(where=request.where.to(undo="", opened=""), notice=request.words(said, number=number))


async def _shown(request: TabRequest, outcome: Outcome | None) -> Shown:
    words, where = request.words, request.where
    me, overview, body, read = await asyncio.gather(
        request.visit.me(),
        request.call(request.dictionary.overview),
        _body(request, outcome.told if outcome else None),
        _read(request),
    )
    html = element(
        "div",
        element("h1", words("nav.dictionary")),
        element("div", trying.render_box(words, where, me.departments), read, class_="card try"),
        _tab_bar(words, where, overview),
        _undo_bar(words, where),
        element("div", body, role="tabpanel", id="dictionary-tab", aria_labelledby=f"tab-{where.tab}",
                data_key=f"panel-{where.tab}"),
        class_="dictionary",
    )  # fmt: skip
    return Shown(
        html=html,
        place=where.place(),
        notice=outcome.notice if outcome else "",
        focus=outcome.focus if outcome else "",
        title=words("nav.dictionary"),
    )


async def _body(request: TabRequest, told: object) -> Safe:
    """Render the tab; where it is refused, say so there: the other tabs may be open to them."""
    try:
        return await _TABS[request.where.tab].render(request, told)
    except GoldenError as problem:
        return element("p", str(problem), class_="card problem", role="alert")


async def _read(request: TabRequest) -> Safe | None:
    """Say how the question in the try-box would be read; what is refused is said there."""
    if not request.where.q:
        return None
    try:
        actor = await request.visit.actor("ask")
        read = await request.dictionary.read(actor, request.where.q, request.where.department)
    except GoldenError as problem:
        return element("p", str(problem), class_="problem-line", role="alert")
    return trying.render_reading(request.words, read)


def _tab_bar(words: Words, where: Where, overview: Overview) -> Safe:
    counts = {
        "terms": overview.counts.total,
        "candidates": overview.counts.draft,
        "queue": overview.unknown_terms,
        "contexts": overview.contexts,
    }
    tabs = [_tab(words, name, name == where.tab, counts.get(name)) for name in TABS]
    return element("div", *tabs, class_="tabs", role="tablist", aria_label=words("dictionary.tabs"))


def _tab(words: Words, name: str, current: bool, count: int | None) -> Safe:
    number = element("span", words.number(count), class_="count") if count is not None else None
    return element("button", words(f"dictionary.tab.{name}"), number, type="button", role="tab", id=f"tab-{name}",
                   data_action="tab", data_tab=name, data_key=f"tab-{name}", tabindex=0 if current else -1,
                   aria_selected="true" if current else "false", aria_controls="dictionary-tab")  # fmt: skip


def _undo_bar(words: Words, where: Where) -> Safe | None:
    number = where.undo.removeprefix("b")
    if not number.isdecimal() or len(number) > 10:
        return None
    batch = "1" if where.undo.startswith("b") else None
    return element(
        "div",
        element("span", words("dictionary.changed_last", number=number)),
        pieces.button(words("dictionary.undo"), "undo", data_number=number, data_batch=batch, data_key="undo"),
        pieces.button(words("dictionary.hide"), "undo_hide"),
        class_="undo-bar",
        data_key="undo-bar",
    )
