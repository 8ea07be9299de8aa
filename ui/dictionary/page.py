"""The dictionary page: the try-box, the tabs with their counts, and the change that can be undone."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from markupsafe import Markup

from agent.previews import QuestionReading
from contracts.errors import GoldenError
from ui.dictionary import candidates, contexts, history, queue, sheets, terms
from ui.dictionary.tabs import TABS, Outcome, RenderTab, TabAction, TabRequest, Where
from ui.pages import Action, Place, Shown, Visit

_TABS: Mapping[str, RenderTab] = {
    "terms": terms.render_terms,
    "candidates": candidates.render_candidates,
    "queue": queue.render_queue,
    "import": sheets.render_import,
    "history": history.render_history,
    "contexts": contexts.render_contexts,
}
# Actions on one tab may lead to another.
_ACTIONS: Mapping[str, TabAction] = {
    "edit": terms.edit,
    "save": terms.save,
    "delete": terms.delete,
    "merge": terms.merge,
    "change": candidates.change,
    "publish": partial(candidates.set_state, state="published"),
    "reject": partial(candidates.set_state, state="rejected"),
    "save_candidate": candidates.save_candidate,
    "above": candidates.above,
    "publish_above": candidates.publish_above,
    "define": queue.define,
    "dismiss": queue.dismiss,
    "redact": queue.redact,
    "previewed": sheets.previewed,
    "imported": sheets.imported,
    "import_refused": sheets.import_refused,
    "save_context": contexts.save_context,
    "delete_context": contexts.delete_context,
}


class DictionaryPage:
    """The page for people who manage the dictionary."""

    name = "dictionary"
    scope = "manage"

    async def show(self, visit: Visit, place: Place) -> Shown:
        where = Where.of(place)
        return await _shown(TabRequest(visit=visit, where=where), Outcome(where=where))

    async def act(self, visit: Visit, place: Place, action: Action) -> AsyncIterator[Shown]:
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
        case "go":
            tab = action.values.get("tab", where.tab)
            there = where if tab == where.tab else where.at(tab)
            return Outcome(where=there.to(opened=action.values.get("opened", "")), focus=action.values.get("focus", ""))
        case "filter":
            asked = {name: action.fields.get(name, "") for name in ("text", "context", "state")}
            return Outcome(where=where.at(where.tab, **asked))
        case "page":
            return Outcome(where=where.to(start=max(0, action.number("start")), opened=""))
        case "close":
            return Outcome(where=where.to(opened=""), focus=f"open-{where.opened}")
        case "try":
            return Outcome(where=where.to(q=request.field("q"), department=request.field("department")))
        case "try_clear":
            return Outcome(where=where.to(q="", department=""), focus="try")
        case "undo":
            return await _undo(request)
        case "undo_hide":
            return Outcome(where=where.to(undo=""))
    doing = _ACTIONS.get(action.name)
    return Outcome(where=where) if doing is None else await doing(request)


async def _undo(request: TabRequest) -> Outcome:
    number, dictionary = request.action.number("number"), request.dictionary
    await request.call(dictionary.undo, number)
    notice = request.words("dictionary.undone", number=number)
    return Outcome(where=request.where.to(undo="", opened=""), notice=notice)


async def _shown(request: TabRequest, outcome: Outcome) -> Shown:
    where = request.where
    me, counts, body, (read, refused) = await asyncio.gather(
        request.visit.me(), request.call(request.dictionary.counts), _body(request, outcome.told), _read(request)
    )
    html = request.render(
        "page",
        body=body,
        tabs=[(name, counts.get(name)) for name in TABS],
        departments=me.departments,
        read=read,
        refused=refused,
        marked=_marked(read) if read else (),
        undo=where.undo if where.undo.isdecimal() and len(where.undo) <= 10 else "",
    )
    title = request.words("nav.dictionary")
    return Shown(html=html, place=where.place(), notice=outcome.notice, focus=outcome.focus, title=title)


async def _body(request: TabRequest, told: object) -> Markup:
    """Render the tab; if access is refused, show the reason there, because the other tabs may be allowed."""
    try:
        return await _TABS[request.where.tab](request, told)
    except GoldenError as problem:
        return request.render("refused", problem=request.words.message(str(problem)))


async def _read(request: TabRequest) -> tuple[QuestionReading | None, str]:
    """Return how the question in the try-box would be interpreted, or why this is refused."""
    where = request.where
    if not where.q:
        return None, ""
    try:
        return await request.dictionary.read(await request.visit.actor("ask"), where.q, where.department), ""
    except GoldenError as problem:
        return None, request.words.message(str(problem))


def _marked(read: QuestionReading) -> Sequence[tuple[bool, str]]:
    """Split a question at its terms; return for each piece whether it is a term, and its text."""
    pieces: list[tuple[bool, str]] = []
    done = 0
    for start, end in sorted((each.span.start, each.span.end) for each in read.mentions):
        if done <= start < end <= len(read.question):
            pieces += [(False, read.question[done:start]), (True, read.question[start:end])]
            done = end
    return [*pieces, (False, read.question[done:])]
