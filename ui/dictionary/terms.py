"""The tab of terms: every meaning by filter and page; one opens in its row, to be edited, deleted or merged."""

import asyncio

from markupsafe import Markup

from contracts.dictionary import SenseFilter
from contracts.errors import NotFound, PreconditionFailed
from contracts.jargon import Sense
from serving.dictionary.bodies import SenseIn
from ui.dictionary.meaning_form import STATES, Clash, MeaningForm, clash_of, fields_in, form_of
from ui.dictionary.tabs import PAGE, Outcome, TabRequest, given

_NEW = "new"


async def render_terms(request: TabRequest, told: object) -> Markup:
    """Render the list at its place, one meaning open."""
    where, dictionary = request.where, request.dictionary
    state = next((each for each in STATES if each == where.state), None)
    wanted = SenseFilter(text=where.text, context=where.context_filter, state=state)
    found, contexts = await asyncio.gather(
        request.call(dictionary.senses, wanted, limit=PAGE, offset=where.start), request.call(dictionary.contexts)
    )
    items: tuple[Sense, ...] = found.items
    opened = next((each for each in items if str(each.id) == where.opened), None)
    if opened is None and where.opened.isdecimal():
        # A link to a meaning that is not on this page of the list, or the edit of one deleted in the meantime.
        try:
            opened = await request.call(dictionary.sense, int(where.opened))
        except NotFound:
            opened = told.mine if isinstance(told, Clash) else None
        items = items if opened is None else (opened, *items)
    new_form = None
    if where.opened.partition(":")[0] == _NEW:
        blank = Sense(id=0, term=where.opened.partition(":")[2], extended_name="")
        new_form = MeaningForm(meaning=blank, key="new")
    return request.render(
        "terms",
        found=found,
        items=items,
        contexts=contexts,
        opened=opened,
        form=form_of(opened, told) if opened is not None else None,
        new_form=new_form,
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
    number, sent = request.number, request.action.fields
    wanted = given(SenseIn, fields_in(sent))
    if number < 1:
        added = await request.call(request.dictionary.add_sense, wanted)
        notice = request.words("dictionary.added", term=added.term, name=added.extended_name)
        return request.changed(notice, added.last_change, f"open-{added.id}")
    try:
        kept = await request.call(request.dictionary.edit_sense, number, wanted, request.value("etag"))
    except PreconditionFailed as problem:
        where = request.where.to(opened=str(number))
        return Outcome(where=where, notice=request.words.message(str(problem)), told=clash_of(number, sent, problem))
    return request.changed(request.words("dictionary.saved", term=kept.term), kept.last_change, f"open-{kept.id}")


async def delete(request: TabRequest) -> Outcome:
    """Delete a meaning."""
    gone = await request.call(request.dictionary.delete_sense, request.number, request.value("etag"))
    return request.changed(request.words("dictionary.deleted", term=request.value("term")), gone.change, "filter")


async def merge(request: TabRequest) -> Outcome:
    """Make a term a spelling of another one."""
    old, into = request.value("term"), request.field("into")
    merged = await request.call(request.dictionary.merge, old, into)
    return request.changed(request.words("dictionary.merged", old=old, into=into), merged.change, "filter")
