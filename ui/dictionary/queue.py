"""The tab with the unknown terms that people asked about, to be added or dismissed."""

import asyncio

from markupsafe import Markup

from serving.dictionary.bodies import SenseIn
from ui.dictionary.tabs import PAGE, Outcome, TabRequest, fields_in, given


async def render_queue(request: TabRequest, _: object) -> Markup:
    """Render the queue, most frequent first; the form of one term is open."""
    dictionary = request.dictionary
    found, contexts = await asyncio.gather(
        request.call(dictionary.queue, limit=PAGE, offset=request.where.start), request.call(dictionary.contexts)
    )
    most = max((each.count for each in found.items), default=1)
    return request.render("queue", found=found, contexts=contexts, most=most, page=PAGE)


async def define(request: TabRequest) -> Outcome:
    """Add the meaning of an unknown term."""
    wanted = given(SenseIn, {**fields_in(request.action.fields), "term": request.value("term")})
    kept = await request.call(request.dictionary.add_sense, wanted)
    notice = request.words("dictionary.added", term=kept.term, name=kept.extended_name)
    return request.changed(notice, kept.last_change, "tab-queue")


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
