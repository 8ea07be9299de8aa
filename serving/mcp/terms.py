"""``look_up_jargon``: what the dictionary and the documents say that terms mean."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from contracts.jargon import Mention, Reading, Sense
from contracts.question import Asker
from contracts.text import Span
from serving.mcp.models import JargonResult, PlaceOut, ReadAsOut, SenseOut, TermOut
from serving.mcp.pages import PageSource

if TYPE_CHECKING:
    from agent.services import Services

_MOST_PLACES = 3
# Passages that have a meaning's words; few of them lack the term itself.
_PASSAGES_READ = 20


async def look_up(
    terms: Sequence[str], text: str, asker: Asker, services: "Services", pages: PageSource
) -> JargonResult:
    """Look up ``terms``, and those that stand in ``text``, as ``asker`` may know them."""
    # Lazy: a process that talks over stdio answers its client before the graph is imported.
    from agent.previewing import QuestionPreviewer

    readings: tuple[Reading, ...] = ()
    context = ""
    if text.strip():
        preview = await QuestionPreviewer(services).preview(text, asker=asker)
        readings, context = preview.readings, preview.contexts.best
    by_term = {each.mention.term: each for each in reversed(readings)}
    asked = dict.fromkeys([*terms, *(each.mention.term for each in readings)])
    found = [await _look_up(each, by_term.get(each), asker, services, pages) for each in asked]
    return JargonResult(terms=found, context=context)


async def _look_up(
    term: str, reading: Reading | None, asker: Asker, services: "Services", pages: PageSource
) -> TermOut:
    from agent.steps.question import look_up_mention

    senses = (await services.dictionary.senses([term])).get(term, ())
    drafts = () if senses else (await services.dictionary.drafts([term])).get(term, ())
    mention = Mention(text=term, span=Span(0, len(term)), term=term)
    found = await look_up_mention(mention, senses, drafts, asker, (), services)
    used = found.document_frequency or await services.lexical.document_frequency(term, groups=asker.groups)
    return TermOut(
        term=term,
        status="dictionary" if senses else "documents" if used else "unknown",
        senses=[
            SenseOut.model_validate(each).model_copy(
                update={"defined_at": await _defined_at(each, asker, services, pages)}
            )
            for each in (*senses, *found.mined)
        ],
        used_in_passages=used,
        near=found.suggestions,
        read_as=ReadAsOut.model_validate(reading) if reading is not None else None,
    )


async def _defined_at(sense: Sense, asker: Asker, services: "Services", pages: PageSource) -> list[PlaceOut]:
    """Return pages that ``asker`` may read and that have the term beside its meaning."""
    from agent.mined_senses import holds_term

    uses = await services.lexical.passages_with(sense.extended_name, _PASSAGES_READ, groups=asker.groups)
    telling = [each for each in uses if holds_term(each.text, sense.term)][:_MOST_PLACES]
    chunks = await asyncio.to_thread(pages.chunks, [each.chunk_id for each in telling]) if telling else {}
    places = [
        PlaceOut(document=each.document_name, document_id=each.document_id, title=chunk.document_title, page=chunk.page)
        for each in telling
        if (chunk := chunks.get(each.chunk_id)) is not None
    ]
    return list({each.uri: each for each in places}.values())
