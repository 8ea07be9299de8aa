"""The terms tab: meanings by filter and page; one can be opened in its row to be edited, deleted or merged."""

import asyncio
from contextlib import suppress

from markupsafe import Markup

from contracts.dictionary import SenseFilter
from contracts.errors import NotFound
from contracts.jargon import Sense
from serving.dictionary.bodies import SenseIn
from ui.dictionary.tabs import PAGE, STATES, Outcome, TabRequest, fields_in, given

_NEW = "new"


async def render_terms(request: TabRequest, _: object) -> Markup:
    """Render the list at its place, with one meaning open."""
    where, dictionary = request.where, request.dictionary
    state = next((each for each in STATES if each == where.state), None)
    wanted = SenseFilter(text=where.text, context=where.context_filter, state=state)
    found, contexts = await asyncio.gather(
        request.call(dictionary.senses, wanted, limit=PAGE, offset=where.start), request.call(dictionary.contexts)
    )
    items: tuple[Sense, ...] = found.items
    opened = next((each for each in items if str(each.id) == where.opened), None)
    if opened is None and where.opened.isdecimal():
        # A link to a meaning that is not on this page of the list.
        with suppress(NotFound):
            opened = await request.call(dictionary.sense, int(where.opened))
            items = (opened, *items)
    is_new, _, new_term = where.opened.partition(":")
    return request.render(
        "terms",
        found=found,
        items=items,
        contexts=contexts,
        opened=opened,
        new=Sense(id=0, term=new_term, extended_name="") if is_new == _NEW else None,
        states=STATES,
        page=PAGE,
    )


async def edit(request: TabRequest) -> Outcome:
    """Open the form of a meaning."""
    meaning = await request.call(request.dictionary.sense, request.number)
    where = request.where if request.where.tab == "terms" else request.where.at("terms")
    return Outcome(where=where.to(opened=str(meaning.id)), focus=f"first-{meaning.id}-{meaning.etag}")


async def save(request: TabRequest) -> Outcome:
    """Save the form of a meaning."""
    number, wanted = request.number, given(SenseIn, fields_in(request.action.fields))
    if number < 1:
        added = await request.call(request.dictionary.add_sense, wanted)
        notice = request.words("dictionary.added", term=added.term, name=added.extended_name)
        return request.changed(notice, added.last_change, f"open-{added.id}")
    kept = await request.call(request.dictionary.edit_sense, number, wanted, request.value("etag"))
    return request.changed(request.words("dictionary.saved", term=kept.term), kept.last_change, f"open-{kept.id}")


async def delete(request: TabRequest) -> Outcome:
    """Delete a meaning."""
    gone = await request.call(request.dictionary.delete_sense, request.number, request.value("etag"))
    return request.changed(request.words("dictionary.deleted", term=request.value("term")), gone.change, "filter")


async def merge(request: TabRequest) -> Outcome:
    """Make a term an additional spelling of another term."""
    old, into = request.value("term"), request.field("into")
    merged = await request.call(request.dictionary.merge, old, into)
    return request.changed(request.words("dictionary.merged", old=old, into=into), merged.change, "filter")
