"""The tab of the history: who changed what when, change by change or batch by batch, each to be undone."""

from collections.abc import Mapping

from contracts.dictionary import Batch, Change
from ui.dictionary import pieces
from ui.dictionary.tabs import Outcome, TabAction, TabRequest
from ui.html import Safe, element, join
from ui.words import Words

_BATCHES = "batches"
_BATCHES_SHOWN = 200


class HistoryTab:
    """The history."""

    @property
    def actions(self) -> Mapping[str, TabAction]:
        """What can be asked of the tab."""
        return {"filter_history": _filter, "older": _older, "open_batch": _open}

    async def render(self, request: TabRequest, told: object) -> Safe:
        """Render the changes, or the batches."""
        words, where = request.words, request.where
        views = [("", words("dictionary.history.changes")), (_BATCHES, words("dictionary.history.batches"))]
        term = None
        if where.view != _BATCHES:
            term = pieces.line(words("dictionary.history.term"), "text", where.text, type="search",
                               data_live="filter_history", data_key="filter")  # fmt: skip
        tools = element(
            "div",
            term,
            pieces.choice(words("dictionary.history.view"), "view", views, where.view, data_action="filter_history"),
            class_="toolbar",
            data_form=True,
        )
        return join([tools, await (_batches(request) if where.view == _BATCHES else _changes(request))])


async def _changes(request: TabRequest) -> Safe:
    words, where = request.words, request.where
    found = await request.call(
        request.dictionary.history, term=where.text.strip() or None, before=where.start or None, limit=pieces.PAGE
    )
    if not found.items:
        return element("p", words("dictionary.history.none"), class_="card quiet")
    older = None
    if found.next_before:
        older = pieces.button(words("dictionary.history.older"), "older", data_start=found.next_before)
    newer = pieces.button(words("dictionary.history.newest"), "older", data_start=0) if where.start else None
    items = [_change(words, each) for each in found.items]
    return element("div", element("ul", *items, class_="rows history listing"),
                   element("div", newer, older, class_="pager"))  # fmt: skip


def _change(words: Words, change: Change) -> Safe:
    action = words(f"dictionary.action.{change.action}") if words.knows(f"dictionary.action.{change.action}") else (
        change.action)  # fmt: skip
    origin = element("span", words("dictionary.history.origin", origin=change.origin), class_="quiet")
    undoes = element("span", words("dictionary.history.undoes", number=change.undoes or 0), class_="quiet")
    undo = pieces.button(words("dictionary.undo"), "undo", data_number=change.number,
                         data_confirm=words("dictionary.history.undo_sure", number=change.number))  # fmt: skip
    head = element(
        "div",
        element("span", element("strong", change.name), " ", pieces.chip(action, change.action), " ",
                origin if change.origin else None, undoes if change.undoes else None),
        element("span", f"{words.moment(change.at)} · {pieces.who_said(words, change.who)} · {change.number}",
                class_="quiet"),
        element("span", undo, class_="does"),
        class_="candidate",
    )  # fmt: skip
    return element("li", head, pieces.differences(words, change.differences), data_key=f"change-{change.number}")


async def _batches(request: TabRequest) -> Safe:
    found = await request.call(request.dictionary.batches, limit=_BATCHES_SHOWN)
    if not found:
        return element("p", request.words("dictionary.history.none"), class_="card quiet")
    opened, within = request.where.opened, None
    if any(str(each.number) == opened for each in found):
        changes = await request.call(request.dictionary.batch, int(opened), limit=pieces.PAGE)
        within = element("ul", *[_change(request.words, each) for each in changes], class_="rows within")
    items = [_batch(request.words, each, within if str(each.number) == opened else None) for each in found]
    return element("ul", *items, class_="rows history listing")


def _batch(words: Words, batch: Batch, within: Safe | None) -> Safe:
    action = words(f"dictionary.action.{batch.action}") if words.knows(f"dictionary.action.{batch.action}") else (
        batch.action)  # fmt: skip
    counts = words("dictionary.history.counts", added=words.number(batch.added), changed=words.number(batch.changed),
                   deleted=words.number(batch.deleted))  # fmt: skip
    head = element(
        "div",
        element("span", element("strong", batch.origin or batch.name), " ", pieces.chip(action, batch.action), " ",
                counts),
        element("span", f"{words.moment(batch.at)} · {pieces.who_said(words, batch.who)} · {batch.number}",
                class_="quiet"),
        element("span",
                pieces.button(words("dictionary.history.show"), "close" if within else "open_batch",
                              data_id=batch.number, data_key=f"open-{batch.number}",
                              aria_expanded="true" if within else "false"),
                pieces.button(words("dictionary.history.undo_batch"), "undo", data_number=batch.number,
                                      data_batch="1",
                                      data_confirm=words("dictionary.history.batch_sure", number=batch.number)),
                class_="does"),
        class_="candidate",
    )  # fmt: skip
    rest = batch.added + batch.changed + batch.deleted - pieces.PAGE
    more = element("p", words.count("dictionary.candidates.further", rest), class_="quiet") if rest > 0 else None
    return element("li", head, within, more if within else None, data_key=f"batch-{batch.number}")


async def _filter(request: TabRequest) -> Outcome:
    fields = request.action.fields
    return Outcome(where=request.where.at("history", text=fields.get("text", ""), view=fields.get("view", "")))


async def _open(request: TabRequest) -> Outcome:
    number = str(request.action.number("id"))
    return Outcome(where=request.where.to(opened=number), focus=f"open-{number}")


async def _older(request: TabRequest) -> Outcome:
    return Outcome(where=request.where.to(start=max(0, request.action.number("start"))))
