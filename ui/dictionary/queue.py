"""The tab of unknown terms that people asked about, to be added, made a spelling of another term, or dismissed."""

import asyncio

from markupsafe import Markup

from serving.dictionary.bodies import MeaningIn, SensePatch
from ui.dictionary.tabs import PAGE, Outcome, TabRequest, fields_in, given

_MAX_NEAR = 100


async def render_queue(request: TabRequest, _: object) -> Markup:
    """Render the queue, most asked first; the form of one term is open."""
    dictionary = request.dictionary
    found, contexts = await asyncio.gather(
        request.call(dictionary.queue, limit=PAGE, offset=request.where.start, near=True),
        request.call(dictionary.contexts),
    )
    near = tuple(dict.fromkeys(each for item in found.items for each in item.near))[:_MAX_NEAR]
    looked_up = await request.call(dictionary.look_up, near) if near else ()
    return request.render(
        "queue",
        found=found,
        contexts=contexts,
        known={each.term for each in looked_up if each.senses},
        most=max((each.count for each in found.items), default=1),
        page=PAGE,
    )


async def define(request: TabRequest) -> Outcome:
    """Add what an unknown term means."""
    wanted = given(MeaningIn, fields_in(request.action.fields))
    kept = await request.call(request.dictionary.define, request.value("term"), wanted)
    notice = request.words("dictionary.added", term=kept.term, name=kept.extended_name)
    return request.changed(notice, kept.last_change, "tab-queue")


async def spelling(request: TabRequest) -> Outcome:
    """Make a term another spelling of a known one, which removes it from the queue."""
    term, known = request.value("term"), request.value("of")
    meant = [each for found in await request.call(request.dictionary.look_up, [known]) for each in found.senses]
    if not meant:
        return Outcome(where=request.where, notice=request.words("frame.gone"))
    last: int | None = None
    for each in meant:
        meaning = await request.call(request.dictionary.sense, each.id)
        wanted = SensePatch(aliases=[*meaning.aliases, term])
        last = (await request.call(request.dictionary.edit_sense, meaning.id, wanted, meaning.etag)).last_change
    # Several meanings are several changes; each can be undone in the history.
    undo = last if len(meant) == 1 else None
    return request.changed(request.words("dictionary.merged", old=term, into=known), undo, "tab-queue")


async def dismiss(request: TabRequest) -> Outcome:
    """Remove a term from the queue."""
    term = request.value("term")
    await request.call(request.dictionary.dismiss, term)
    notice = request.words("dictionary.queue.dismissed", term=term)
    return Outcome(where=request.where.to(opened=""), notice=notice, focus="tab-queue")


async def redact(request: TabRequest) -> Outcome:
    """Delete the stored questions with unknown terms."""
    gone = await request.call(request.dictionary.redact)
    notice = request.words.count("dictionary.queue.questions_deleted", gone)
    return Outcome(where=request.where, notice=notice, focus="tab-queue")
