"""The tab of contexts: what each is about, and questions that are asked in it."""

from collections.abc import Mapping
from dataclasses import dataclass

from ui.client import ApiProblem
from ui.dictionary import pieces
from ui.dictionary.tabs import Doing, Errand, Outcome, is_stale
from ui.dictionary.wire import ContextEntry
from ui.html import Safe, element
from ui.words import Words

# No context is called by nothing.
_NEW = " "


@dataclass(frozen=True, slots=True, kw_only=True)
class _Clash:
    mine: ContextEntry
    theirs: ContextEntry | None


class ContextsTab:
    """Contexts."""

    @property
    def actions(self) -> Mapping[str, Doing]:
        """What can be asked of the tab."""
        return {
            "edit_context": _edit,
            "new_context": _new,
            "save_context": _save,
            "delete_context": _delete,
        }

    async def render(self, errand: Errand, told: object) -> Safe:
        """Render every context, one open."""
        words = errand.words
        found = (await errand.api.contexts()).items
        clash = told if isinstance(told, _Clash) else None
        add = pieces.button(words("dictionary.context.new"), "new_context", class_="primary")
        new = None
        if errand.where.opened == _NEW:
            form = _form(words, ContextEntry(name=""), None, is_new=True)
            new = element("div", form, class_="card", data_key="new-context")
        rows = [_row(errand, each, clash) for each in found]
        listing = element("ul", *rows, class_="rows listing") if rows else (
            element("p", words("dictionary.context.none"), class_="card quiet"))  # fmt: skip
        lead = element("p", words("dictionary.context.lead"), class_="lead")
        return element("div", lead, element("div", add, class_="toolbar"), new, listing)


def _row(errand: Errand, context: ContextEntry, clash: _Clash | None) -> Safe:
    words, is_open = errand.words, errand.where.opened == context.name
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


def _form(words: Words, context: ContextEntry, clash: _Clash | None, *, etag: str = "", is_new: bool = False) -> Safe:
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


async def _edit(errand: Errand) -> Outcome:
    name = errand.action.values.get("name", "")
    return Outcome(where=errand.where.to(opened=name), focus=f"first-{name}")


async def _new(errand: Errand) -> Outcome:
    return Outcome(where=errand.where.to(opened=_NEW), focus=f"first-{_NEW}")


async def _save(errand: Errand) -> Outcome:
    etag = errand.action.values.get("etag", "")
    name = errand.action.values.get("name", "") or errand.field("name")
    if not name:
        return Outcome(where=errand.where, notice=errand.words("dictionary.context.unnamed"), focus=f"first-{_NEW}")
    examples = [line.strip() for line in errand.field("examples").splitlines() if line.strip()]
    fields = {"description": errand.field("description"), "examples": examples}
    try:
        kept = await errand.api.put_context(name, fields, etag)
    except ApiProblem as problem:
        if not is_stale(problem) or not isinstance(problem.current, dict):
            raise
        mine = ContextEntry.model_validate({**fields, "name": name})
        clash = _Clash(mine=mine, theirs=ContextEntry.model_validate(problem.current))
        return Outcome(where=errand.where, notice=str(problem), told=clash)
    said = errand.words("dictionary.saved", term=kept.name)
    where = errand.where.to(opened="", undo=str(kept.last_change or ""))
    return Outcome(where=where, notice=said, focus=f"open-{kept.name}")


async def _delete(errand: Errand) -> Outcome:
    name = errand.action.values.get("name", "")
    gone = await errand.api.delete_context(name, errand.action.values.get("etag", ""))
    where = errand.where.to(opened="", undo=str(gone.change or ""))
    return Outcome(where=where, notice=errand.words("dictionary.context.deleted", name=name), focus="tab-contexts")
