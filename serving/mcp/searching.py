"""``search_documents``: the passages that the bot itself would read for a question."""

from dataclasses import replace

from contracts.text import Passage
from serving.mcp.arguments import SearchArguments
from serving.mcp.calls import Call, Reply
from serving.mcp.places import named, page_uri, page_words, read_as
from serving.mcp.results import PassageOut, ReadAsOut, SearchResult


async def search_documents(call: Call, given: SearchArguments) -> Reply:
    """Find passages for a query, its jargon spelt out as the graph does it, within the groups of whoever asks."""
    from agent.search import search_passages

    asker = call.asker(given.department)
    if given.groups is not None:
        wanted = frozenset(given.groups)
        asker = replace(asker, groups=wanted if asker.groups is None else wanted & asker.groups)
    found = await search_passages(given.query, asker, call.desk.services, top_k=given.top_k)
    value = SearchResult(
        searched_for=found.searched_for,
        readings=[read_as(each) for each in found.preview.readings],
        passages=[_passage(each, rank) for rank, each in enumerate(found.passages, start=1)],
    )
    pages = {each.uri: page_words(each) for each in value.passages if each.uri}
    return Reply(value=value, text=_text(value), pages=tuple((name, uri) for uri, name in pages.items()))


def _passage(passage: Passage, rank: int) -> PassageOut:
    chunk = passage.chunk
    return PassageOut(
        rank=rank,
        document=passage.document_name,
        document_id=chunk.document_id,
        title=passage.document_title,
        page=chunk.page,
        last_page=chunk.last_page,
        headings=list(chunk.heading_path),
        text=chunk.text,
        score=passage.score,
        uri=page_uri(chunk.document_id, chunk.page),
    )


def _text(value: SearchResult) -> str:
    lines = [f"Searched for: {value.searched_for}"]
    lines += [reading_words(each) for each in value.readings]
    if not value.passages:
        lines.append("No passage was found in the documents that you may read.")
    for each in value.passages:
        place = " > ".join([page_words(each), *each.headings])
        lines.append(f"\n{each.rank}. {place} (document_id {each.document_id})\n{each.text}")
    return "\n".join(lines)


def reading_words(reading: ReadAsOut) -> str:
    """Say how a term was read."""
    reason = f": {reading.reason}" if reading.reason else ""
    if reading.meaning is not None:
        return f"{reading.text} was read as {named(reading.meaning)}{reason}"
    words = {"documents": "is used in the documents, but not defined", "ambiguous": "has several meanings"}
    others = "; ".join(named(each) for each in reading.others) or ", ".join(reading.suggestions)
    told = f" ({others})" if others else ""
    return f"{reading.text} {words.get(reading.status, 'is unknown')}{told}"
