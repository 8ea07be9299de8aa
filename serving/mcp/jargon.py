"""``look_up_jargon``: what the dictionary and the documents say that terms mean."""

import asyncio

from agent.questions import remove_controls
from contracts.errors import InvalidInput
from contracts.jargon import Reading, Sense
from contracts.question import Asker
from serving.mcp.arguments import JargonArguments
from serving.mcp.calls import Call, Reply
from serving.mcp.desk import KnowledgeDesk
from serving.mcp.places import named, page_words, place, read_as
from serving.mcp.results import JargonResult, PlaceOut, SenseOut, TermOut
from serving.mcp.searching import reading_words

_MOST_PLACES = 3
# Passages that have a meaning's words; few of them lack the term itself.
_PASSAGES_READ = 20


async def look_up_jargon(call: Call, given: JargonArguments) -> Reply:
    """Look terms up, those that are named and those of a text, as whoever asks may know them."""
    terms = [" ".join(remove_controls(each).split()) for each in given.terms]
    terms = [each for each in terms if each]
    if not terms and not given.text.strip():
        raise InvalidInput("Send the terms to look up as terms, or a sentence as text.", field="terms")
    asker = call.asker(given.department)
    readings: tuple[Reading, ...] = ()
    context = ""
    if given.text.strip():
        from agent.previewing import QuestionPreviewer

        preview = await QuestionPreviewer(call.desk.services).preview(given.text, asker=asker)
        readings, context = preview.readings, preview.contexts.best
    by_term = {each.mention.term: each for each in reversed(readings)}
    asked = list(dict.fromkeys([*terms, *(each.mention.term for each in readings)]))
    found = [await _look_up(each, by_term.get(each), asker, call.desk) for each in asked]
    value = JargonResult(terms=found, context=context)
    return Reply(value=value, text=_text(value))


async def _look_up(term: str, reading: Reading | None, asker: Asker, desk: KnowledgeDesk) -> TermOut:
    # Words take long to load: a process that talks over stdio answers its client before they are there.
    from agent.mined_senses import readable_drafts

    dictionary, lexical = desk.services.dictionary, desk.services.lexical
    senses = (await dictionary.senses([term])).get(term, ())
    frequency = await lexical.document_frequency(term, groups=asker.groups)
    if not senses and frequency:
        drafts = (await dictionary.drafts([term])).get(term, ())
        mined = await readable_drafts(drafts, lexical, asker.groups)
    else:
        mined = ()
    known = bool(senses) or bool(frequency)
    return TermOut(
        term=term,
        status="dictionary" if senses else "documents" if frequency else "unknown",
        senses=[await _sense(each, asker, desk) for each in (*senses, *mined)],
        used_in_passages=frequency,
        near=[] if known else await _near(term, asker, desk),
        read_as=read_as(reading) if reading is not None else None,
    )


async def _sense(sense: Sense, asker: Asker, desk: KnowledgeDesk) -> SenseOut:
    return SenseOut(
        extended_name=sense.extended_name,
        context=sense.context,
        description=sense.description,
        notes=sense.notes,
        aliases=list(sense.aliases),
        source=sense.source,
        state=sense.state,
        defined_at=await _defined_at(sense, asker, desk),
    )


async def _defined_at(sense: Sense, asker: Asker, desk: KnowledgeDesk) -> list[PlaceOut]:
    """Return pages that whoever asks may read and that have the term beside its meaning."""
    from agent.mined_senses import holds_term

    uses = await desk.services.lexical.passages_with(sense.extended_name, _PASSAGES_READ, groups=asker.groups)
    telling = [each for each in uses if holds_term(each.text, sense.term)][:_MOST_PLACES]
    if not telling:
        return []
    chunks = await asyncio.to_thread(desk.pages.chunks, [each.chunk_id for each in telling])
    places = [
        place(each.document_id, each.document_name, chunk.document_title, chunk.page)
        for each in telling
        if (chunk := chunks.get(each.chunk_id)) is not None
    ]
    return list({each.uri: each for each in places}.values())


async def _near(term: str, asker: Asker, desk: KnowledgeDesk) -> list[str]:
    from tools.jargon.spelling import NearSpellings

    limit = desk.services.policy.suggestions
    listed = await desk.services.dictionary.near_spellings(term, limit)
    written = await desk.services.lexical.near_spellings(term, limit, groups=asker.groups)
    return list(NearSpellings((*listed, *written)).nearest(term, limit))


def _text(value: JargonResult) -> str:
    return "\n\n".join(_term_words(each) for each in value.terms) or "No jargon was found in the text."


def _term_words(term: TermOut) -> str:
    lines = [f"{term.term}:"]
    if term.status == "unknown":
        near = f" Near spellings: {', '.join(term.near)}." if term.near else ""
        lines = [f"{term.term}: neither the dictionary nor the documents know it. Do not guess its meaning.{near}"]
    elif not term.senses:
        lines = [f"{term.term}: the documents use it (passages: {term.used_in_passages}), but nobody defined it."]
    lines += [_sense_words(each) for each in term.senses]
    if term.read_as is not None and len(term.senses) > 1:
        lines.append(f"In this text: {reading_words(term.read_as)}")
    return "\n".join(lines)


def _sense_words(sense: SenseOut) -> str:
    unpublished = " [mined from documents, not confirmed by a person]" if sense.state == "draft" else ""
    described = "".join(f". {each.rstrip('.')}" for each in (sense.description, sense.notes) if each)
    places = [page_words(each) for each in sense.defined_at] or [each for each in (sense.source,) if each]
    source = f" (source: {'; '.join(places)})" if places else ""
    return f"- {named(sense)}{unpublished}{described}{source}."
