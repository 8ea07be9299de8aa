"""The tab of contexts: what each is about, and questions that are asked in it."""

from collections.abc import Mapping
from dataclasses import dataclass

from contracts.dictionary import ContextEntry
from contracts.jargon import Context
from serving.dictionary.preconditions import PreconditionFailed
from serving.dictionary.requests import ContextIn
from ui.dictionary import pieces
from ui.dictionary.tabs import Outcome, TabAction, TabRequest
from ui.html import Safe, element
from ui.words import Words

# No context is called by nothing.
_NEW = " "


@dataclass(frozen=True, slots=True, kw_only=True)
class _Clash:
    mine: Context
    theirs: ContextEntry | None


class ContextsTab:
    """Contexts."""

    @property
    def actions(self) -> Mapping[str, TabAction]:
        """What can be asked of the tab."""
        return {
            "edit_context": _edit,
            "new_context": _new,
            "save_context": _save,
            "delete_context": _delete,
        }

    async def render(self, request: TabRequest, told: object) -> Safe:
        """Render every context, one open."""
        words = request.words
        found = await request.call(request.dictionary.contexts)
        clash = told if isinstance(told, _Clash) else None
        add = pieces.button(words("dictionary.context.new"), "new_context", class_="primary")
        new = None
        if request.where.opened == _NEW:
            form = _form(words, Context(name=""), None, is_new=True)
            new = element("div", form, class_="card", data_key="new-context")
        rows = [_row(request, each, clash) for each in found]
        listing = element("ul", *rows, class_="rows listing") if rows else (
            element("p", words("dictionary.context.none"), class_="card quiet"))  # fmt: skip
        lead = element("p", words("dictionary.context.lead"), class_="lead")
        return element("div", lead, element("div", add, class_="toolbar"), new, listing)


def _row(request: TabRequest, context: ContextEntry, clash: _Clash | None) -> Safe:
    words, is_open = request.words, request.where.opened == context.name
    head = element(
        "div",
        pieces.button(context.name, "close" if is_open else "edit_context", class_="term", data_name=context.name,
                      data_key=f"open-{context.name}", data_row=True, aria_expanded="true" if is_open else "false"),
        element("span", context.description, class_="quiet name"),
        element("span", pieces.button(words("dictionary.context.terms"), "tab", data_tab="terms",
                                      data_context=f"={context.name}"), class_="does"),
        class_="candidate",
    )  # fmt: skip
    form = None
    if is_open:
        mine = clash if clash is not None and clash.mine.name == context.name else None
        form = _form(words, mine.mine if mine else context, mine, etag=context.etag)
    return element("li", head, form, data_key=f"context-{context.name}", class_="open" if is_open else None)


def _form(words: Words, context: Context, clash: _Clash | None, *, etag: str = "", is_new: bool = False) -> Safe:
    name = pieces.line(pieces.field_name(words, "name"), "name", "", data_key=f"first-{_NEW}") if is_new else None
    first = None if is_new else f"first-{context.name}"
    described = element("textarea", context.description, name="description", rows=3, data_key=first)
    examples = pieces.box(words("dictionary.context.examples"), "examples", "\n".join(context.examples), rows=4)
    delete = None
    if not is_new:
        sure = words("dictionary.context.delete_sure", name=context.name)
        delete = pieces.button(words("dictionary.delete"), "delete_context", class_="danger", data_name=context.name,
                               data_etag=etag, data_confirm=sure)  # fmt: skip
    save = words("dictionary.keep_mine") if clash else words("dictionary.save")
    return element(
        "div",
        _said(words, clash),
        element("div", name, pieces.labelled(pieces.field_name(words, "description"), described, class_="wide"),
                examples, class_="fields"),
        element(
            "div",
            pieces.button(save, "save_context", class_="primary", data_submit=True, data_name=context.name,
                          data_etag=etag),
            pieces.button(words("dictionary.cancel"), "close", data_cancel=True),
            delete,
            class_="buttons",
        ),
        class_="editor",
        data_form=True,
        data_key=f"context-form-{context.name}-{etag}{'-mine' if clash else ''}",
        role="group",
        aria_label=context.name or words("dictionary.context.new"),
    )  # fmt: skip


def _said(words: Words, clash: _Clash | None) -> Safe | None:
    if clash is None or clash.theirs is None:
        return None
    theirs, who = clash.theirs, pieces.who_said(words, clash.theirs.changed_by)
    said = element("p", words("dictionary.clash.said", who=who))
    head = element("p", element("strong", words("dictionary.clash.theirs", who=who)))
    lines = [element("li", each) for each in theirs.examples]
    take = pieces.button(words("dictionary.clash.take"), "edit_context", data_name=theirs.name)
    return element("div", said, head, element("p", theirs.description), element("ul", *lines) if lines else None, take,
                   class_="clash", role="alert")  # fmt: skip


async def _edit(request: TabRequest) -> Outcome:
    name = request.action.values.get("name", "")
    return Outcome(where=request.where.to(opened=name), focus=f"first-{name}")


async def _new(request: TabRequest) -> Outcome:
    return Outcome(where=request.where.to(opened=_NEW), focus=f"first-{_NEW}")


async def _save(request: TabRequest) -> Outcome:
    etag = request.action.values.get("etag", "")
    name = request.action.values.get("name", "") or request.field("name")
    if not name:
        return Outcome(where=request.where, notice=request.words("dictionary.context.unnamed"), focus=f"first-{_NEW}")
    examples = [line.strip() for line in request.field("examples").splitlines() if line.strip()]
    wanted = ContextIn(description=request.field("description"), examples=examples)
    try:
        kept, _ = await request.call(request.dictionary.put_context, name, wanted, etag)
    except PreconditionFailed as problem:
        if not isinstance(problem.current, ContextEntry):
            raise
        mine = Context(name=name, description=wanted.description, examples=tuple(examples))
        clash = _Clash(mine=mine, theirs=problem.current)
        return Outcome(where=request.where, notice=str(problem), told=clash)
    said = request.words("dictionary.saved", term=kept.name)
    where = request.where.to(opened="", undo=str(kept.last_change or ""))
    return Outcome(where=where, notice=said, focus=f"open-{kept.name}")


async def _delete(request: TabRequest) -> Outcome:
    name = request.action.values.get("name", "")
    gone = await request.call(request.dictionary.delete_context, name, request.action.values.get("etag", ""))
    where = request.where.to(opened="", undo=str(gone.change or ""))
    return Outcome(where=where, notice=request.words("dictionary.context.deleted", name=name), focus="tab-contexts")
