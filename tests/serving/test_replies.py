"""An answer as clients get it: with its citations in the shapes that they know, and cut where they want it to end."""

import json
from typing import Any

import pytest

from contracts.answer import Answer
from serving.replies import annotations_of, citations_of, citing_fields, cut_answer, sources_of
from tests.agent.judges import ScriptedWriter
from tests.agent.scripted import Script
from tests.serving.running import Service, citation, serve

PATH = "/v1/chat/completions"
ASK: dict[str, Any] = {"messages": [{"role": "user", "content": "What is VPP on DDR4?"}], "stream": True}
LINKS = "https://docs.example/{name}?id={id}#page={page}"
CITATIONS = tuple(
    citation(
        number, document_id="d1", document_name=name, document_title="The bus", page=page, quote=f"Quote {number}."
    )
    for number, name, page in ((1, "bus 1.pdf", 3), (2, "bus 1.pdf", 3), (3, "notes.md", 0))
)
ANSWER = Answer(
    outcome="answered", text="One [1][2]. Not one [7] or [x]. Two [3]. Again [1].", question="?", citations=CITATIONS
)


def test_each_marker_has_an_annotation_with_its_position() -> None:
    found = annotations_of(ANSWER, "")
    assert [ANSWER.text[each["start_index"] : each["end_index"]] for each in found] == ["[1]", "[2]", "[3]", "[1]"]
    assert {each["type"] for each in found} == {"file_citation"}
    assert found[0]["file_id"] == "d1"
    assert found[0]["filename"] == "bus 1.pdf"
    linked = annotations_of(ANSWER, LINKS)[0]
    place = {"start_index": 4, "end_index": 7, "title": "bus 1.pdf, page 3"}
    url = "https://docs.example/bus%201.pdf?id=d1#page=3"
    assert linked == {"type": "url_citation", "url_citation": {**place, "url": url}}


def test_citation_list_is_indexed_by_marker_number() -> None:
    assert citations_of(CITATIONS, "") == ["bus 1.pdf#page=3", "bus 1.pdf#page=3", "notes.md"]
    assert citations_of(CITATIONS, LINKS)[2] == "https://docs.example/notes.md?id=d1#page=1"
    assert citations_of((), LINKS) == []


def marked_sources(sources: list[dict[str, Any]]) -> list[str]:
    """Return what Open WebUI shows behind [1], [2], …: its message view counts the names that differ."""
    names: list[str] = []
    for source in sources:
        for index, _ in enumerate(source.get("document") or []):
            metadata = (source.get("metadata") or [])[index : index + 1]
            name = metadata[0].get("name") if metadata else None
            names.append(name or (source.get("source") or {}).get("name") or "N/A")
    return list(dict.fromkeys(names))


def listed_sources(sources: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Return Open WebUI's list of sources: their documents by the id that its list view joins them by."""
    listed: dict[str, list[str]] = {}
    for source in sources:
        for index, text in enumerate(source.get("document") or []):
            metadata = (source.get("metadata") or [])[index]
            listed.setdefault(metadata.get("source") or source["source"].get("id") or "N/A", []).append(text)
    return listed


def test_open_webui_finds_the_source_of_each_marker() -> None:
    for links in ("", LINKS):
        sources = sources_of(CITATIONS, links)
        assert marked_sources(sources) == ["bus 1.pdf, page 3", "bus 1.pdf, page 3 (2)", "notes.md"]
        assert list(listed_sources(sources).values()) == [["Quote 1."], ["Quote 2."], ["Quote 3."]]
    assert sources[0]["source"]["url"] == "https://docs.example/bus%201.pdf?id=d1#page=3"
    assert "url" not in sources_of(CITATIONS, "")[0]["source"]


def test_no_citations_are_empty_lists_and_closest_passages_are_sources() -> None:
    bare = Answer(outcome="declined", text="I do not know [1].", question="?")
    assert citing_fields(bare, LINKS) == {"annotations": [], "citations": [], "sources": []}
    text = "These passages come closest:\n\n[1] bus 1.pdf"
    closest = Answer(outcome="closest_passages", text=text, question="?", closest=CITATIONS[:1])
    fields = citing_fields(closest, LINKS)
    assert [each["url_citation"]["start_index"] for each in fields["annotations"]] == [text.index("[1]")]
    assert (len(fields["citations"]), [each["document"] for each in fields["sources"]]) == (1, [["Quote 1."]])


async def chunks_of(service: Service, **fields: Any) -> list[dict[str, Any]]:
    async with service.http() as http:
        response = await http.post(PATH, json={**ASK, **fields})
    assert response.headers["content-type"].startswith("text/event-stream")
    *lines, last = [line.removeprefix("data: ") for line in response.text.splitlines() if line]
    assert last == "[DONE]"
    return list(map(json.loads, lines))


async def test_stream_follows_openais_order_with_or_without_progress(service: Service) -> None:
    chunks = await chunks_of(service, stream_options={"include_usage": True})
    assert len({(chunk["id"], chunk["created"], chunk["model"], chunk["object"]) for chunk in chunks}) == 1
    first, *middle, last, usage = chunks
    assert first["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    assert {chunk["choices"][0]["finish_reason"] for chunk in (first, *middle)} == {None}
    assert all(set(chunk["choices"][0]["delta"]) == {"content"} for chunk in middle)
    assert last["choices"] == [{"index": 0, "delta": {}, "logprobs": None, "finish_reason": "stop"}]
    assert {chunk["usage"] is None for chunk in (first, *middle, last)} == {True}
    assert usage["choices"] == []
    assert usage["usage"]["total_tokens"] == usage["usage"]["prompt_tokens"] + usage["usage"]["completion_tokens"]
    chunks = await chunks_of(service, golden={"progress": False})
    assert [index for index, chunk in enumerate(chunks) if "golden" in chunk] == [len(chunks) - 1]
    assert all("usage" not in chunk for chunk in chunks)


BOUNDED_TEXT = "VPP is 2.5 V on DDR4 [1]. The DLL locks in 512 clock cycles [2]."
FOOTER = "\n\n**Sources**\n\n- [1] bus.pdf, page 1\n- [2] bus.pdf, page 2"
BOUNDED = Answer(outcome="answered", text=BOUNDED_TEXT, question="?", citations=(citation(1), citation(2)))


def test_answer_ends_at_stop_sequences_and_token_limits(subtests: pytest.Subtests) -> None:
    for stops, tokens, content, reason, numbers in [
        ((), None, BOUNDED_TEXT + FOOTER, "stop", [1, 2]),
        ((" The DLL",), None, "VPP is 2.5 V on DDR4 [1].", "stop", [1]),
        (("512", "DDR4"), None, "VPP is 2.5 V on ", "stop", []),
        # A stop sequence at the end of the text ends the answer, and the footer is left out.
        (("\n\n",), None, BOUNDED_TEXT, "stop", [1, 2]),
        # The cut is directly after a marker.
        ((), 6, "VPP is 2.5 V on DDR4 [1]", "length", [1]),
        # There is room for the whole text, but not for the footer: this does not count as cut off.
        ((), 17, BOUNDED_TEXT, "stop", [1, 2]),
        (("512",), 2, "VPP is 2", "length", []),
    ]:
        with subtests.test(stops=stops, tokens=tokens):
            cut, footer, finish_reason = cut_answer(BOUNDED, stops=stops, most_tokens=tokens, footer=True)
            assert (cut.text + footer, finish_reason) == (content, reason)
            assert [each.number for each in cut.citations] == numbers


def test_cut_answer_contains_no_partial_marker() -> None:
    # Shifted by every fraction of a token, so that the cut falls at every position within a marker.
    for shift in range(4):
        for tokens in range(1, 20):
            answer = BOUNDED.model_copy(update={"text": "x" * shift + BOUNDED_TEXT})
            text = cut_answer(answer, most_tokens=tokens, footer=True)[0].text
            assert text.count("[") == text.count("]"), text
            assert len(text) <= 4 * tokens


async def test_limited_answer_is_the_same_streamed_and_whole(subtests: pytest.Subtests) -> None:
    cases: list[tuple[dict[str, Any], str, str, int]] = [
        # The stop sequence begins in one piece of the stream and ends in the next.
        ({"stop": "DDR4 [1]. The DLL"}, "VPP is 2.5 V on ", "stop", 0),
        ({"max_tokens": 2, "max_completion_tokens": 7}, "VPP is 2.5 V on DDR4 [1]. Th", "length", 1),
    ]
    script = Script(writer=ScriptedWriter(["VPP is 2.5 V on DDR4. The DLL locks in 512 clock cycles."]))
    async with serve(script) as service:
        for bounds, content, reason, quotes in cases:
            with subtests.test(bounds=bounds):
                whole = (await service.ask("What is VPP on DDR4?", **bounds)).choices[0]
                stream = await service.ask("What is VPP on DDR4?", stream=True, **bounds)
                chunks = [chunk async for chunk in stream]
                streamed = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
                assert whole.message.content == streamed == content
                assert whole.finish_reason == chunks[-1].choices[0].finish_reason == reason
                for extra in (whole.message.model_extra, chunks[-1].model_extra):
                    assert extra is not None
                    assert len(extra["golden"]["citations"]) == len(extra["sources"]) == quotes
