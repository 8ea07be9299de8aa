"""Citations in the shapes that clients know, read as Open WebUI reads them."""

import json
from typing import Any

from contracts.answer import Answer
from serving.replies import CitationLinks, annotations_of, citations_of, citing_fields, sources_of
from tests.agent.scripted import Script, ScriptedWriter
from tests.serving.running import Service, citation, serve

PATH = "/v1/chat/completions"
ASK: dict[str, Any] = {"messages": [{"role": "user", "content": "What is VPP on DDR4?"}], "stream": True}
LINKS = CitationLinks("https://docs.example/{name}?id={id}#page={page}")


CITATIONS = tuple(
    citation(
        number, document_id="d1", document_name=name, document_title="The bus", page=page, quote=f"Quote {number}."
    )
    for number, name, page in ((1, "bus 1.pdf", 3), (2, "bus 1.pdf", 3), (3, "notes.md", 0))
)
ANSWER = Answer(
    outcome="answered", text="One [1][2]. Not one [7] or [x]. Two [3]. Again [1].", question="?", citations=CITATIONS
)


def test_each_marker_is_annotated_where_it_stands() -> None:
    found = annotations_of(ANSWER, CitationLinks())
    assert [ANSWER.text[each["start_index"] : each["end_index"]] for each in found] == ["[1]", "[2]", "[3]", "[1]"]
    assert {each["type"] for each in found} == {"file_citation"}
    assert found[0]["file_id"] == "d1"
    assert found[0]["filename"] == "bus 1.pdf"
    linked = annotations_of(ANSWER, LINKS)[0]
    assert linked == {
        "type": "url_citation",
        "url_citation": {
            "start_index": 4,
            "end_index": 7,
            "title": "bus 1.pdf, page 3",
            "url": "https://docs.example/bus%201.pdf?id=d1#page=3",
        },
    }


def test_the_list_of_citations_is_read_by_the_markers_number() -> None:
    assert citations_of(CITATIONS, CitationLinks()) == ["bus 1.pdf#page=3", "bus 1.pdf#page=3", "notes.md"]
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
    for links in (CitationLinks(), LINKS):
        sources = sources_of(CITATIONS, links)
        assert marked_sources(sources) == ["bus 1.pdf, page 3", "bus 1.pdf, page 3 (2)", "notes.md"]
        assert list(listed_sources(sources).values()) == [["Quote 1."], ["Quote 2."], ["Quote 3."]]
    assert sources[0]["source"]["url"] == "https://docs.example/bus%201.pdf?id=d1#page=3"
    assert "url" not in sources_of(CITATIONS, CitationLinks())[0]["source"]


def test_nothing_cited_is_empty_lists_and_quotations_that_may_not_answer_are_sources_too() -> None:
    bare = Answer(outcome="declined", text="I do not know [1].", question="?")
    assert citing_fields(bare, LINKS) == {"annotations": [], "citations": [], "sources": []}
    text = "These passages come closest:\n\n[1] bus 1.pdf"
    closest = Answer(outcome="closest_passages", text=text, question="?", closest=CITATIONS[:1])
    fields = citing_fields(closest, LINKS)
    assert [each["url_citation"]["start_index"] for each in fields["annotations"]] == [text.index("[1]")]
    assert (len(fields["citations"]), [each["document"] for each in fields["sources"]]) == (1, [["Quote 1."]])


async def lines_of(service: Service, **fields: Any) -> list[str]:
    async with service.http() as http:
        response = await http.post(PATH, json={**ASK, **fields})
    assert response.headers["content-type"].startswith("text/event-stream")
    return response.text.splitlines()


def open_webui(lines: list[str]) -> dict[str, Any]:
    """Gather a stream as Open WebUI's server and message view do: by lines, whatever else a chunk holds passed on."""
    message: dict[str, Any] = {"content": "", "sources": [], "usage": None, "error": None}
    for line in lines:
        if not line.startswith("data:"):
            continue
        data = line.removeprefix("data:").strip()
        if data == "[DONE]":
            continue
        chunk = json.loads(data)
        if chunk.get("sources") and not message["sources"]:
            message["sources"] = chunk["sources"]
        message["usage"] = chunk.get("usage") or message["usage"]
        choices = chunk.get("choices", [])
        if not choices:
            message["error"] = chunk.get("error") or message["error"]
            continue
        delta = choices[0].get("delta", {})
        # What stands here comes as a source of its own, beside the sources.
        assert not delta.get("annotations")
        message["content"] += delta.get("content") or ""
    return message


async def test_front_ends_show_the_answer_and_its_sources() -> None:
    script = Script(writer=ScriptedWriter(["VPP is 2.5 V on DDR4. The DLL locks in 512 clock cycles."]))
    async with serve(script, links=LINKS) as service:
        lines = await lines_of(service, stream_options={"include_usage": True})
    shown = open_webui(lines)
    assert shown["content"].startswith("VPP is 2.5 V on DDR4 [1]. The DLL locks in 512 clock cycles [2].")
    assert marked_sources(shown["sources"]) == ["bus.pdf, page 3", "bus.pdf, page 3 (2)"]
    assert [source["document"] for source in shown["sources"]] == [
        ["VPP is 2.5 V on DDR4."],
        ["The DLL locks in 512 clock cycles."],
    ]
    assert shown["usage"]["total_tokens"] > 0


async def test_the_order_of_a_stream_is_openais_with_its_progress_or_without(service: Service) -> None:
    lines = await lines_of(service, stream_options={"include_usage": True})
    assert [line for line in lines if line][-1] == "data: [DONE]"
    chunks = [json.loads(line.removeprefix("data: ")) for line in lines if line and line != "data: [DONE]"]
    assert len({(chunk["id"], chunk["created"], chunk["model"], chunk["object"]) for chunk in chunks}) == 1
    first, *middle, last, usage = chunks
    assert first["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    assert {chunk["choices"][0]["finish_reason"] for chunk in (first, *middle)} == {None}
    assert all(set(chunk["choices"][0]["delta"]) == {"content"} for chunk in middle)
    assert last["choices"] == [{"index": 0, "delta": {}, "logprobs": None, "finish_reason": "stop"}]
    assert {chunk["usage"] is None for chunk in (first, *middle, last)} == {True}
    assert usage["choices"] == []
    assert usage["usage"]["total_tokens"] == usage["usage"]["prompt_tokens"] + usage["usage"]["completion_tokens"]
    lines = await lines_of(service, golden={"progress": False})
    chunks = [json.loads(line.removeprefix("data: ")) for line in lines if line and line != "data: [DONE]"]
    assert [index for index, chunk in enumerate(chunks) if "golden" in chunk] == [len(chunks) - 1]
    assert all("usage" not in chunk for chunk in chunks)
