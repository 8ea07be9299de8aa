"""The tab of terms: every meaning by filter and page; one opens in its row, to be edited, deleted or merged."""

import asyncio
from collections.abc import Mapping, Sequence

from contracts.dictionary import ContextEntry, SenseEntry, SenseFilter, SenseOrder, SensePage
from contracts.errors import NotFound
from contracts.jargon import Sense
from serving.dictionary.preconditions import PreconditionFailed
from serving.dictionary.requests import MergeIn, SenseIn
from ui.dictionary import pieces
from ui.dictionary.meaning_form import Clash, fields_in, meaning_in, render_form
from ui.dictionary.place import Where
from ui.dictionary.tabs import Outcome, TabAction, TabRequest, given
from ui.html import Safe, element, join
from ui.words import Words

_NEW = "new"


class TermsTab:
    """Terms and their meanings."""

    @property
    def actions(self) -> Mapping[str, TabAction]:
        """What can be asked of the tab."""
        return {"filter": _filter, "edit": _edit, "new": _new, "save": _save, "delete": _delete, "merge": _merge}

    async def render(self, request: TabRequest, told: object) -> Safe:
        """Render the list at its place, one meaning open."""
        where = request.where
        state = next((each for each in pieces.STATES if each == where.state), None)
        wanted = SenseFilter(text=where.text, context=where.context_filter, state=state)
        order: SenseOrder = "newest" if where.order == "newest" else "term"
        dictionary = request.dictionary
        found, contexts = await asyncio.gather(
            request.call(dictionary.senses, wanted, order=order, limit=pieces.PAGE, offset=where.start),
            request.call(dictionary.contexts),
        )
        items: tuple[Sense, ...] = found.items
        clash = told if isinstance(told, Clash) else None
        if where.opened.isdecimal() and not any(str(each.id) == where.opened for each in items):
            # A link to a meaning that this page of the list has not.
            items = (*await _opened(request, clash), *items)
        return element(
            "div",
            _toolbar(request.words, where, found, contexts),
            _new_form(request, contexts),
            _list(request, items, contexts, clash),
            pieces.pager(request.words, start=where.start, shown=len(found.items), total=found.total),
            class_="terms",
        )


async def _opened(request: TabRequest, clash: Clash | None) -> tuple[Sense, ...]:
    try:
        return (await request.call(request.dictionary.sense, int(request.where.opened)),)
    except NotFound:
        return (clash.mine,) if clash else ()


def _toolbar(words: Words, where: Where, found: SensePage, contexts: Sequence[ContextEntry]) -> Safe:
    any_context = [("", words("dictionary.any")), ("=", words("dictionary.everywhere"))]
    any_context += [(f"={each.name}", each.name) for each in contexts]
    any_state = [("", words("dictionary.any"))]
    any_state += [
        (each, f"{words(f'dictionary.state.{each}')} ({words.number(getattr(found.counts, each))})")
        for each in pieces.STATES
    ]
    orders = [("", words("dictionary.order.term")), ("newest", words("dictionary.order.newest"))]
    live = {"data_live": "filter", "data_key": "filter", "type": "search"}
    tools = element(
        "div",
        pieces.line(words("dictionary.filter"), "text", where.text, **live),
        pieces.choice(pieces.field_name(words, "context"), "context", any_context, where.context, data_action="filter"),
        pieces.choice(pieces.field_name(words, "state"), "state", any_state, where.state, data_action="filter"),
        pieces.choice(words("dictionary.order.label"), "order", orders, where.order, data_action="filter"),
        pieces.button(words("dictionary.new_term"), "new", class_="primary", data_key="new"),
        class_="toolbar",
        data_form=True,
        role="search",
    )
    total = element("p", words.count("dictionary.meanings", found.total), class_="quiet", aria_live="polite")
    return join([tools, total])


def _new_form(request: TabRequest, contexts: Sequence[ContextEntry]) -> Safe | None:
    opened = request.where.opened
    if opened != _NEW and not opened.startswith(f"{_NEW}:"):
        return None
    blank = Sense(id=0, term=opened.partition(":")[2], extended_name="")
    form = render_form(request.words, blank, contexts, key="new", save_text=request.words("dictionary.add"))
    return element("div", element("h2", request.words("dictionary.new_term")), form, class_="card", data_key="new-form")


def _list(request: TabRequest, items: Sequence[Sense], contexts: Sequence[ContextEntry], clash: Clash | None) -> Safe:
    words = request.words
    if not items:
        return element("p", words("dictionary.no_terms"), class_="card quiet")
    names = ("term", "extended_name", "context", "state", "description")
    head = element("div", *[element("span", pieces.field_name(words, each)) for each in names], class_="row head",
                   aria_hidden="true")  # fmt: skip
    rows = [_row(request, each, contexts, clash) for each in items]
    return element("div", head, element("ul", *rows, class_="rows"), class_="listing")


def _row(request: TabRequest, meaning: Sense, contexts: Sequence[ContextEntry], clash: Clash | None) -> Safe:
    words, is_open = request.words, request.where.opened == str(meaning.id)
    term = pieces.button(meaning.term, "close" if is_open else "edit", class_="term", data_id=meaning.id,
                         data_key=f"open-{meaning.id}", data_row=True,
                         aria_expanded="true" if is_open else "false")  # fmt: skip
    spellings = element("span", " · ".join(meaning.aliases), class_="quiet aliases") if meaning.aliases else None
    row = element(
        "div",
        element("span", term, spellings),
        element("span", meaning.extended_name, class_="name"),
        element("span", pieces.context_chip(words, meaning.context)),
        element("span", pieces.chip(words(f"dictionary.state.{meaning.state}"), meaning.state)),
        element("span", meaning.description, class_="quiet about"),
        class_="row",
    )
    form = None
    if is_open:
        form = _open_form(words, meaning, contexts, clash if clash and clash.mine.id == meaning.id else None)
    return element("li", row, form, data_key=f"meaning-{meaning.id}", class_="open" if is_open else None)


def _open_form(words: Words, meaning: Sense, contexts: Sequence[ContextEntry], clash: Clash | None) -> Safe:
    own = meaning.etag if isinstance(meaning, SenseEntry) else ""
    shown, etag, said = meaning, own, None
    if clash is not None:
        etag = clash.theirs.etag if clash.theirs else ""
        shown = clash.mine if clash.theirs else clash.mine.model_copy(update={"id": 0})
    if isinstance(meaning, SenseEntry):
        when, who = words.moment(meaning.changed_at), pieces.who_said(words, meaning.changed_by)
        said = element("p", words("dictionary.last_changed", when=when, who=who), class_="quiet")
    merge = element(
        "div",
        pieces.line(words("dictionary.merge_into"), "into"),
        pieces.button(words("dictionary.merge"), "merge", data_term=meaning.term,
                      data_confirm=words("dictionary.merge_sure", term=meaning.term)),
        class_="merge",
        data_form=True,
    )  # fmt: skip
    more = element(
        "div",
        said,
        element("div",
                pieces.button(words("dictionary.another"), "new", data_term=meaning.term),
                pieces.button(words("dictionary.its_history"), "tab", data_tab="history", data_text=meaning.term),
                pieces.button(words("dictionary.delete"), "delete", class_="danger", data_id=meaning.id,
                              data_etag=own, data_term=meaning.term,
                              data_confirm=words("dictionary.delete_sure", term=meaning.term,
                                                 name=meaning.extended_name)),
                class_="buttons"),
        merge,
        class_="more",
    )  # fmt: skip
    return render_form(words, shown, contexts, key=f"{meaning.id}-{own}", etag=etag, clash=clash, more=more)


async def _filter(request: TabRequest) -> Outcome:
    fields = request.action.fields
    return Outcome(
        where=request.where.at(
            "terms",
            text=fields.get("text", ""),
            context=fields.get("context", ""),
            state=fields.get("state", ""),
            order=fields.get("order", ""),
            opened="",
        )
    )


async def _edit(request: TabRequest) -> Outcome:
    number = request.action.number("id")
    meaning = await request.call(request.dictionary.sense, number)
    where = request.where if request.where.tab == "terms" else request.where.at("terms")
    return Outcome(where=where.to(opened=str(number)), focus=f"first-{number}-{meaning.etag}")


async def _new(request: TabRequest) -> Outcome:
    term = request.action.values.get("term", "")
    where = request.where if request.where.tab == "terms" else request.where.at("terms")
    return Outcome(where=where.to(opened=f"{_NEW}:{term}" if term else _NEW), focus="first-new")


async def _save(request: TabRequest) -> Outcome:
    number, sent = request.action.number("id"), request.action.fields
    if number < 1:
        added = await request.call(request.dictionary.add_sense, given(SenseIn, fields_in(sent)))
        said = request.words("dictionary.added", term=added.term, name=added.extended_name)
        return _changed(request, said, added.last_change, f"open-{added.id}", opened="")
    try:
        wanted, etag = given(SenseIn, fields_in(sent)), request.action.values.get("etag", "")
        kept = await request.call(request.dictionary.edit_sense, number, wanted, etag)
    except PreconditionFailed as problem:
        clash = Clash.of(meaning_in(number, sent), problem)
        return Outcome(where=request.where.to(opened=str(number)), notice=str(problem), told=clash)
    said = request.words("dictionary.saved", term=kept.term)
    return _changed(request, said, kept.last_change, f"open-{kept.id}", opened="")


async def _delete(request: TabRequest) -> Outcome:
    number, etag = request.action.number("id"), request.action.values.get("etag", "")
    gone = await request.call(request.dictionary.delete_sense, number, etag)
    said = request.words("dictionary.deleted", term=request.action.values.get("term", ""))
    return _changed(request, said, gone.change, "filter", opened="")


async def _merge(request: TabRequest) -> Outcome:
    old, into = request.action.values.get("term", ""), request.field("into")
    merged = await request.call(request.dictionary.merge, MergeIn(old=old, into=into))
    return _changed(request, request.words("dictionary.merged", old=old, into=into), merged.change, "filter", opened="")


def _changed(request: TabRequest, notice: str, change: int | None, focus: str, *, opened: str) -> Outcome:
    undo = str(change) if change else ""
    return Outcome(where=request.where.to(opened=opened, undo=undo), notice=notice, focus=focus)
