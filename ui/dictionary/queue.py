"""The tab of unknown terms: what people asked for in vain, to be added, called a spelling, or dismissed."""

import asyncio
from collections.abc import Mapping, Sequence

from contracts.dictionary import ContextEntry, UnknownTerm
from serving.dictionary.requests import MeaningIn, SensePatch
from ui.dictionary import pieces
from ui.dictionary.meaning_form import fields_in
from ui.dictionary.tabs import Outcome, TabAction, TabRequest, given
from ui.html import Safe, element
from ui.words import Words


class QueueTab:
    """The queue of unknown terms."""

    @property
    def actions(self) -> Mapping[str, TabAction]:
        """What can be asked of the tab."""
        return {"define": _define, "start": _start, "spelling": _spelling, "dismiss": _dismiss, "redact": _redact}

    async def render(self, request: TabRequest, told: object) -> Safe:
        """Render the queue, most asked first; the form of one term is open."""
        words, where = request.words, request.where
        found, contexts = await asyncio.gather(
            request.call(request.dictionary.queue, limit=pieces.PAGE, offset=where.start, near=True),
            request.call(request.dictionary.contexts),
        )
        if not found.items:
            return element("p", words("dictionary.queue.none"), class_="card quiet")
        near = tuple(dict.fromkeys(each for item in found.items for each in item.near))
        listed = {each.term for each in await request.call(request.dictionary.look_up, near[:100]) if each.senses}
        most = max(each.count for each in found.items)
        items = [_item(request, each, contexts, listed, most) for each in found.items]
        redact = pieces.button(words("dictionary.queue.redact"), "redact",
                               data_confirm=words("dictionary.queue.redact_sure"))  # fmt: skip
        return element(
            "div",
            element("p", words("dictionary.queue.lead"), class_="lead"),
            element("ul", *items, class_="rows queue listing"),
            pieces.pager(words, start=where.start, shown=len(items), total=found.total),
            element("div", redact, class_="buttons"),
        )


def _item(
    request: TabRequest, unknown: UnknownTerm, contexts: Sequence[ContextEntry], listed: set[str], most: int
) -> Safe:
    words, term = request.words, unknown.term
    is_open = request.where.opened == term
    share = round(100 * unknown.count / max(1, most))
    count = element(
        "span",
        element("span", class_="bar-share", style=f"width:{share}%", aria_hidden="true"),
        element("span", words.count("dictionary.queue.asked", unknown.count)),
        class_="asked",
    )
    head = element(
        "div",
        pieces.button(term, "close" if is_open else "start", class_="term", data_term=term, data_key=f"open-{term}",
                      data_row=True, aria_expanded="true" if is_open else "false"),
        count,
        element(
            "span",
            None if is_open else pieces.button(words("dictionary.queue.add"), "start", class_="primary",
                                               data_term=term),
            pieces.button(words("dictionary.queue.dismiss"), "dismiss", data_term=term),
            class_="does",
        ),
        class_="candidate",
    )  # fmt: skip
    question = None
    if unknown.last_question:
        question = element("p", words("dictionary.queue.last"), " ", element("q", unknown.last_question), dir="auto")
    when = element("p", words("dictionary.queue.when", when=words.moment(unknown.last_asked_at)), class_="quiet")
    form = _form(request, unknown, contexts) if is_open else None
    return element("li", head, question, _near(words, unknown, listed), when, form, data_key=f"unknown-{term}",
                   class_="open" if is_open else None)  # fmt: skip


def _near(words: Words, unknown: UnknownTerm, listed: set[str]) -> Safe | None:
    """Render the known spellings near to a term: those of the dictionary as buttons, those of documents as told."""
    same = [
        pieces.button(words("dictionary.queue.spelling", term=each), "spelling", data_term=unknown.term, data_of=each)
        for each in unknown.near
        if each in listed
    ]
    written = [each for each in unknown.near if each not in listed]
    told = words("dictionary.queue.written", near=", ".join(written)) if written else None
    if not same and told is None:
        return None
    return element("div", *same, element("span", told, class_="quiet") if told else None, class_="near")


def _form(request: TabRequest, unknown: UnknownTerm, contexts: Sequence[ContextEntry]) -> Safe:
    words = request.words
    names = [each.name for each in contexts]
    context = unknown.context if unknown.context in names else ""
    return element(
        "div",
        element(
            "div",
            pieces.line(pieces.field_name(words, "extended_name"), "extended_name", required=True,
                        data_key=f"first-{unknown.term}"),
            pieces.context_choice(words, contexts, context),
            pieces.box(pieces.field_name(words, "description"), "description", rows=2),
            class_="fields",
        ),
        element(
            "div",
            pieces.button(words("dictionary.queue.publish"), "define", class_="primary", data_submit=True,
                          data_term=unknown.term),
            pieces.button(words("dictionary.cancel"), "close", data_cancel=True),
            class_="buttons",
        ),
        class_="editor",
        data_form=True,
        data_key=f"define-{unknown.term}",
        role="group",
        aria_label=words("dictionary.try.add", term=unknown.term),
    )  # fmt: skip


async def _start(request: TabRequest) -> Outcome:
    term = request.action.values.get("term", "")
    return Outcome(where=request.where.to(opened=term), focus=f"first-{term}")


async def _define(request: TabRequest) -> Outcome:
    term = request.action.values.get("term", "")
    wanted = given(MeaningIn, fields_in(request.action.fields))
    kept = await request.call(request.dictionary.define, term, wanted)
    said = request.words("dictionary.added", term=kept.term, name=kept.extended_name)
    return Outcome(where=request.where.to(opened="", undo=str(kept.last_change or "")), notice=said, focus="tab-queue")


async def _spelling(request: TabRequest) -> Outcome:
    """Let a term be another spelling of what a known one means; then it is on the queue no more."""
    term, known = request.action.values.get("term", ""), request.action.values.get("of", "")
    meant = [each for found in await request.call(request.dictionary.look_up, [known]) for each in found.senses]
    undo: int | None = None
    for each in meant:
        meaning = await request.call(request.dictionary.sense, each.id)
        wanted = SensePatch(aliases=[*meaning.aliases, term])
        undo = (await request.call(request.dictionary.edit_sense, meaning.id, wanted, meaning.etag)).last_change
    if not meant:
        return Outcome(where=request.where, notice=request.words("frame.gone"))
    # Several meanings are several changes; each can be undone in the history.
    where = request.where.to(opened="", undo=str(undo) if undo and len(meant) == 1 else "")
    return Outcome(where=where, notice=request.words("dictionary.merged", old=term, into=known), focus="tab-queue")


async def _dismiss(request: TabRequest) -> Outcome:
    term = request.action.values.get("term", "")
    await request.call(request.dictionary.dismiss, term)
    said = request.words("dictionary.queue.dismissed", term=term)
    return Outcome(where=request.where.to(opened=""), notice=said, focus="tab-queue")


async def _redact(request: TabRequest) -> Outcome:
    gone = await request.call(request.dictionary.redact)
    return Outcome(
        where=request.where, notice=request.words.count("dictionary.queue.redacted", gone), focus="tab-queue"
    )
