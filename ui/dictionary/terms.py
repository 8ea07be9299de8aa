"""The tab of terms: every meaning by filter and page; one opens in its row, to be edited, deleted or merged."""

import asyncio
from collections.abc import Mapping, Sequence

from ui.client import ApiProblem
from ui.dictionary import pieces
from ui.dictionary.meaning_form import Clash, fields_in, meaning_in, render_form
from ui.dictionary.tabs import Doing, Errand, Outcome, is_stale
from ui.dictionary.where import Where
from ui.dictionary.wire import STATES, ContextEntry, Meaning, Meanings
from ui.html import Safe, element, join
from ui.words import Words

_NEW = "new"
_ORDERS = ("term", "newest")


class TermsTab:
    """Terms and their meanings."""

    @property
    def actions(self) -> Mapping[str, Doing]:
        """What can be asked of the tab."""
        return {"filter": _filter, "edit": _edit, "new": _new, "save": _save, "delete": _delete, "merge": _merge}

    async def render(self, errand: Errand, told: object) -> Safe:
        """Render the list at its place, one meaning open."""
        where = errand.where
        asked = errand.api.meanings(
            text=where.text,
            context=where.context_filter,
            state=where.state if where.state in STATES else None,
            order=where.order if where.order in _ORDERS else None,
            limit=pieces.PAGE,
            offset=where.start,
        )
        found, contexts = await asyncio.gather(asked, errand.api.contexts())
        items = found.items
        clash = told if isinstance(told, Clash) else None
        if where.opened.isdecimal() and not any(str(each.id) == where.opened for each in items):
            # A link to a meaning that this page of the list has not.
            items = (*await _opened(errand, clash), *items)
        return element(
            "div",
            _toolbar(errand.words, where, found, contexts.items),
            _new_form(errand, contexts.items),
            _list(errand, items, contexts.items, clash),
            pieces.pager(errand.words, start=where.start, shown=len(found.items), total=found.total),
            class_="terms",
        )


async def _opened(errand: Errand, clash: Clash | None) -> tuple[Meaning, ...]:
    try:
        return (await errand.api.meaning(int(errand.where.opened)),)
    except ApiProblem as problem:
        if problem.status not in (404, 422):
            raise
        return (clash.mine,) if clash else ()


def _toolbar(words: Words, where: Where, found: Meanings, contexts: Sequence[ContextEntry]) -> Safe:
    any_context = [("", words("dictionary.any")), ("=", words("dictionary.everywhere"))]
    any_context += [(f"={each.name}", each.name) for each in contexts]
    any_state = [("", words("dictionary.any"))]
    any_state += [
        (each, f"{words(f'dictionary.state.{each}')} ({words.number(getattr(found.counts, each))})") for each in STATES
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


def _new_form(errand: Errand, contexts: Sequence[ContextEntry]) -> Safe | None:
    opened = errand.where.opened
    if opened != _NEW and not opened.startswith(f"{_NEW}:"):
        return None
    blank = Meaning(id=0, term=opened.partition(":")[2], extended_name="")
    form = render_form(errand.words, blank, contexts, key="new", save_text=errand.words("dictionary.add"))
    return element("div", element("h2", errand.words("dictionary.new_term")), form, class_="card", data_key="new-form")


def _list(errand: Errand, items: Sequence[Meaning], contexts: Sequence[ContextEntry], clash: Clash | None) -> Safe:
    words = errand.words
    if not items:
        return element("p", words("dictionary.no_terms"), class_="card quiet")
    names = ("term", "extended_name", "context", "state", "description")
    head = element("div", *[element("span", pieces.field_name(words, each)) for each in names], class_="row head",
                   aria_hidden="true")  # fmt: skip
    rows = [_row(errand, each, contexts, clash) for each in items]
    return element("div", head, element("ul", *rows, class_="rows"), class_="listing")


def _row(errand: Errand, meaning: Meaning, contexts: Sequence[ContextEntry], clash: Clash | None) -> Safe:
    words, is_open = errand.words, errand.where.opened == str(meaning.id)
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


def _open_form(words: Words, meaning: Meaning, contexts: Sequence[ContextEntry], clash: Clash | None) -> Safe:
    shown = meaning
    if clash is not None:
        etag = clash.theirs.etag if clash.theirs else ""
        shown = clash.mine.model_copy(update={"etag": etag, "id": clash.mine.id if clash.theirs else 0})
    if meaning.changed_at is None:
        said = None
    else:
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
                              data_etag=meaning.etag, data_term=meaning.term,
                              data_confirm=words("dictionary.delete_sure", term=meaning.term,
                                                 name=meaning.extended_name)),
                class_="buttons"),
        merge,
        class_="more",
    )  # fmt: skip
    return render_form(words, shown, contexts, key=f"{meaning.id}-{meaning.etag}", clash=clash, more=more)


async def _filter(errand: Errand) -> Outcome:
    fields = errand.action.fields
    return Outcome(
        where=errand.where.at(
            "terms",
            text=fields.get("text", ""),
            context=fields.get("context", ""),
            state=fields.get("state", ""),
            order=fields.get("order", ""),
            opened="",
        )
    )


async def _edit(errand: Errand) -> Outcome:
    number = errand.action.number("id")
    meaning = await errand.api.meaning(number)
    where = errand.where if errand.where.tab == "terms" else errand.where.at("terms")
    return Outcome(where=where.to(opened=str(number)), focus=f"first-{number}-{meaning.etag}")


async def _new(errand: Errand) -> Outcome:
    term = errand.action.values.get("term", "")
    where = errand.where if errand.where.tab == "terms" else errand.where.at("terms")
    return Outcome(where=where.to(opened=f"{_NEW}:{term}" if term else _NEW), focus="first-new")


async def _save(errand: Errand) -> Outcome:
    number, sent = errand.action.number("id"), errand.action.fields
    if number < 1:
        added = await errand.api.add_meaning(fields_in(sent))
        said = errand.words("dictionary.added", term=added.term, name=added.extended_name)
        return _changed(errand, said, added.last_change, f"open-{added.id}", opened="")
    try:
        kept = await errand.api.put_meaning(number, fields_in(sent), errand.action.values.get("etag", ""))
    except ApiProblem as problem:
        if not is_stale(problem):
            raise
        theirs = Meaning.model_validate(problem.current) if isinstance(problem.current, dict) else None
        mine = meaning_in(number, sent)
        where = errand.where.to(opened=str(number))
        return Outcome(where=where, notice=str(problem), told=Clash(mine=mine, theirs=theirs))
    said = errand.words("dictionary.saved", term=kept.term)
    return _changed(errand, said, kept.last_change, f"open-{kept.id}", opened="")


async def _delete(errand: Errand) -> Outcome:
    gone = await errand.api.delete_meaning(errand.action.number("id"), errand.action.values.get("etag", ""))
    said = errand.words("dictionary.deleted", term=errand.action.values.get("term", ""))
    return _changed(errand, said, gone.change, "filter", opened="")


async def _merge(errand: Errand) -> Outcome:
    old, into = errand.action.values.get("term", ""), errand.field("into")
    merged = await errand.api.merge(old, into)
    return _changed(errand, errand.words("dictionary.merged", old=old, into=into), merged.change, "filter", opened="")


def _changed(errand: Errand, notice: str, change: int | None, focus: str, *, opened: str) -> Outcome:
    undo = str(change) if change else ""
    return Outcome(where=errand.where.to(opened=opened, undo=undo), notice=notice, focus=focus)
