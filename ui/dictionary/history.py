"""The tabs of the history, who changed what when, and of the checks, what deserves a look."""

import asyncio
from itertools import groupby

from markupsafe import Markup

from ui.dictionary.tabs import PAGE, Outcome, TabRequest

_FOUND_SHOWN = 200


async def render_history(request: TabRequest, _: object) -> Markup:
    """Render the changes, newest first; those that were made at once stand together."""
    where = request.where
    found = await request.call(
        request.dictionary.history, term=where.text.strip() or None, before=where.start or None, limit=PAGE
    )
    batches = [list(changes) for _, changes in groupby(found.items, key=lambda each: each.batch or each.number)]
    return request.render("history", batches=batches, older=found.next_before)


async def filter_history(request: TabRequest) -> Outcome:
    """List the changes of a term."""
    return Outcome(where=request.where.at("history", text=request.action.fields.get("text", "")))


async def older(request: TabRequest) -> Outcome:
    """List older changes, or the newest again."""
    return Outcome(where=request.where.to(start=max(0, request.action.number("start"))))


async def render_checks(request: TabRequest, _: object) -> Markup:
    """Render what was found, kind by kind, and the corrections of readings."""
    actor = await request.visit.actor("manage")
    findings, corrections = await asyncio.gather(
        request.dictionary.check(actor), request.call(request.dictionary.corrections, limit=_FOUND_SHOWN)
    )
    return request.render("checks", findings=findings, corrections=corrections, shown=_FOUND_SHOWN)
