"""The tools, as the SDK's own client sees them over real HTTP, in both eras of the protocol."""

import asyncio
import json

import pytest

from contracts.answer import Answer, CheckedSentence
from contracts.jargon import Sense
from contracts.text import Chunk, Passage
from serving.access import Actor
from serving.mcp.results import answer_values
from tests.agent.judges import ScriptedAnswerabilityJudge, ScriptedWriter
from tests.agent.scripted import SENSES, ListedConversations, Script
from tests.serving.mcp.speaking import ERAS, Spoken, in_process, spoken, text_of


async def test_tools_are_listed_with_titles_schemas_and_annotations(server: Spoken) -> None:
    async with server.client() as client:
        tools = {each.name: each for each in (await client.list_tools()).tools}
    assert list(tools) == ["ask", "search_documents", "look_up_jargon", "read_page"]
    for tool in tools.values():
        assert tool.title
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is True
        assert tool.annotations.open_world_hint is False
        assert tool.input_schema["type"] == "object"
    assert tools["ask"].input_schema["required"] == ["question"]


@pytest.mark.parametrize("era", ERAS)
async def test_ask_answers_with_citations_readings_and_progress(server: Spoken, era: str) -> None:
    steps: list[tuple[float, str]] = []

    async def hear(progress: float, _total: float | None, message: str | None) -> None:
        steps.append((progress, message or ""))

    async with server.client(era) as client:
        result = await client.call_tool("ask", {"question": "What is VPP on DDR4?"}, progress_callback=hear)
    assert not result.is_error
    value = result.structured_content
    assert value["outcome"] == "answered"
    assert value["text"] == "VPP is 2.5 V on DDR4 [1]."
    assert value["certainty"] == 1.0
    (citation,) = value["citations"]
    assert (citation["number"], citation["document"], citation["page"]) == (1, "bus.pdf", 3)
    assert citation["quote"] == "VPP is 2.5 V on DDR4."
    (reading,) = value["readings"]
    assert reading["sense"]["extended_name"] == "Pump Voltage"
    assert json.loads(text_of(result)) == value
    numbers = [number for number, _ in steps]
    assert numbers == sorted(set(numbers)), "progress only increases"
    assert ["write answer" in message for _, message in steps].count(True) == 2


async def test_unanswered_question_is_a_result_with_the_reason() -> None:
    async with spoken(Script(answerability=ScriptedAnswerabilityJudge([0.1]))) as server, server.client() as client:
        closest = await client.call_tool("ask", {"question": "When was VPP launched?"})
        unknown = await client.call_tool("ask", {"question": "What does VPQ do?"})
        ambiguous = {"question": "How many cycles does the DLL need?"}
        unclear = await client.call_tool("ask", ambiguous)
        meaning = {"term": "DLL", "extended_name": "Delay-Locked Loop"}
        chosen = await client.call_tool("ask", {**ambiguous, "meanings": [meaning]})
    assert not any(each.is_error for each in (closest, unknown, unclear))
    assert closest.structured_content["outcome"] == "closest_passages"
    assert closest.structured_content["missing"] == ["launch date"]
    first = closest.structured_content["closest"][0]
    assert (first["number"], first["document"], first["page"]) == (1, "bus.pdf", 4)
    assert first["quote"] in closest.structured_content["text"]
    assert closest.structured_content["certainty"] is None
    assert unknown.structured_content["outcome"] == "unknown_term"
    assert unknown.structured_content["unknown_terms"][0]["term"] == "VPQ"
    assert "VPP" in unknown.structured_content["unknown_terms"][0]["suggestions"]
    assert unclear.structured_content["outcome"] == "clarify"
    names = [each["sense"]["extended_name"] for each in unclear.structured_content["options"]]
    assert names == ["Delay-Locked Loop", "Dynamic-Link Library"]
    assert chosen.structured_content["readings"][0]["sense"]["extended_name"] == "Delay-Locked Loop"


def test_sentences_without_claims_are_not_called_doubtful() -> None:
    sentences = tuple(
        CheckedSentence(text=f"{label}.", citations=(), label=label, probability=0.5)
        for label in ("no_claim", "partial", "faithful")
    )
    answer = Answer(outcome="answered", text="Yes.", question="?", sentences=sentences)
    assert [each["text"] for each in answer_values(answer)["doubtful"]] == ["partial."]


async def test_follow_up_is_interpreted_with_the_given_history(server: Spoken) -> None:
    history = [{"role": "user", "text": "What is VPP on DDR4?"}, {"role": "assistant", "text": "2.5 V."}]
    async with server.client() as client:
        await client.call_tool("ask", {"question": "And the row cycle time?", "history": history})
    (heard,) = server.script.rewriter.histories
    assert [turn.text for turn in heard] == ["What is VPP on DDR4?", "2.5 V."]


async def test_question_is_limited_to_chosen_readable_documents() -> None:
    question = {"question": "What is VPP on DDR4?"}
    async with in_process(Script(), Actor(name="Bob", groups=frozenset({"everyone"}))) as client:
        bus = await client.call_tool("ask", {**question, "documents": ["bus"]})
        found = await client.call_tool("search_documents", {"query": "VPP", "documents": ["bus"]})
        others = await client.call_tool("ask", {**question, "documents": ["apps"]})
        elsewhere = await client.call_tool("ask", {**question, "groups": ["elsewhere"], "documents": ["bus"]})
    assert {each["document_id"] for each in bus.structured_content["citations"]} == {"bus"}
    assert {each["document_id"] for each in found.structured_content["passages"]} == {"bus"}
    assert "There is no document 'apps'" in text_of(others)
    assert "There is no document 'bus'" in text_of(elsewhere)


async def test_answer_is_stored_for_the_mcp_caller() -> None:
    kept = ListedConversations()
    async with in_process(Script(), Actor(name="Ada", account="key:7", department="Memory"), kept=kept) as client:
        await client.call_tool("ask", {"question": "What is VPP on DDR4?"})
        await client.call_tool("search_documents", {"query": "VPP"})
    async with in_process(Script(), kept=kept) as client:
        await client.call_tool("ask", {"question": "What is VPP on DDR4?", "department": "Software"})
    askers = [(each.asker.account, each.asker.name, each.asker.channel, each.asker.department) for each in kept.kept]
    assert askers == [("key:7", "Ada", "mcp", "Memory"), ("local", "Ada", "mcp", "Software")]


async def test_search_returns_passages_and_spells_out_jargon(server: Spoken) -> None:
    async with server.client() as client:
        result = await client.call_tool("search_documents", {"query": "VPP supply on DDR5", "top_k": 2})
        nothing = await client.call_tool("search_documents", {"query": "VPQ", "top_k": 1})
    value = result.structured_content
    assert value["searched_for"] == "VPP supply on DDR5\nVPP means Pump Voltage (Opens the word line)."
    assert [each["rank"] for each in value["passages"]] == [1, 2]
    best = value["passages"][0]
    assert (best["document"], best["page"]) == ("bus.pdf", 4)
    assert best["text"].startswith("On DDR5 the VPP supply")
    assert best["score"] >= value["passages"][1]["score"]
    assert server.script.searcher.queries[-1] == ("VPQ",), "an unknown term is searched unchanged"
    assert nothing.structured_content["readings"][0]["status"] == "unknown"


async def test_jargon_is_looked_up_by_term_and_in_a_sentence(server: Spoken) -> None:
    async with server.client() as client:
        result = await client.call_tool("look_up_jargon", {"terms": ["DLL", " VPQ\u0000 ", "tRC"]})
        sentence = {"text": "How many cycles does the DLL need?", "department": "Memory"}
        read = await client.call_tool("look_up_jargon", sentence)
    terms = {each["term"]: each for each in result.structured_content["terms"]}
    assert list(terms) == ["DLL", "VPQ", "tRC"]
    assert terms["DLL"]["status"] == "dictionary"
    assert [(each["extended_name"], each["context"]) for each in terms["DLL"]["senses"]] == [
        ("Delay-Locked Loop", "Memory"),
        ("Dynamic-Link Library", "Software"),
    ]
    assert terms["VPQ"]["status"] == "unknown"
    assert terms["VPQ"]["near"] == ["VPP"]
    assert terms["tRC"]["status"] == "documents"
    assert terms["tRC"]["used_in_passages"] == 1
    (dll,) = read.structured_content["terms"]
    assert dll["read_as"]["sense"]["extended_name"] == "Delay-Locked Loop"
    assert read.structured_content["context"] == "Memory"


async def test_draft_meaning_is_returned_as_draft_if_there_is_no_published_one() -> None:
    drafts = (
        Sense(id=8, term="ZQX", extended_name="driver", state="draft", source="apps.pdf"),
        Sense(id=9, term="VPP", extended_name="supply", state="draft", source="bus.pdf"),
    )
    async with in_process(Script(senses=(*SENSES, *drafts))) as client:
        result = await client.call_tool("look_up_jargon", {"terms": ["ZQX", "VPP"]})
    mined, published = result.structured_content["terms"]
    assert [(each["extended_name"], each["state"]) for each in mined["senses"]] == [("driver", "draft")]
    (place,) = mined["senses"][0]["defined_at"]
    assert (place["document"], place["page"]) == ("apps.pdf", 1)
    assert [each["extended_name"] for each in published["senses"]] == ["Pump Voltage"]


async def test_read_page_returns_the_text(server: Spoken) -> None:
    async with server.client() as client:
        page = await client.call_tool("read_page", {"document_id": "bus", "page": 4})
        empty = await client.call_tool("read_page", {"document_id": "bus", "page": 1})
        beyond = await client.call_tool("read_page", {"document_id": "bus", "page": 9})
    assert page.structured_content["text"].startswith("On DDR5 the VPP supply is 1.8 V.")
    assert page.structured_content["pages"] == 4
    assert empty.structured_content["text"] == "(No text on this page.)"
    assert beyond.is_error
    assert text_of(beyond) == "bus.pdf has 4 pages: there is no page 9."


async def test_page_of_another_group_is_answered_like_a_missing_one() -> None:
    async with in_process(Script(), Actor(name="Bob", groups=frozenset({"everyone"}))) as client:
        hidden = await client.call_tool("read_page", {"document_id": "apps"})
        missing = await client.call_tool("read_page", {"document_id": "nope"})
        shown = await client.call_tool("read_page", {"document_id": "cafeteria"})
    assert hidden.is_error
    assert text_of(hidden).replace("apps", "nope") == text_of(missing)
    assert "opens at eight" in text_of(shown)


@pytest.mark.parametrize("era", ERAS)
async def test_a_cancelled_call_stops_the_graph(era: str) -> None:
    script = Script(writer=ScriptedWriter(["VPP is 2.5 V on DDR4. " * 50], pause_s=0.2))
    async with spoken(script) as server:

        async def ask() -> None:
            async with server.client(era) as client:
                await client.call_tool("ask", {"question": "What is VPP on DDR4?"})

        asking = asyncio.create_task(ask())
        async with asyncio.timeout(20):
            await script.writer.begun.wait()
            asking.cancel()
            await asyncio.wait({asking})
            await script.writer.stopped.wait()
        assert script.writer.finished == 0


def passage_of(ordinal: int, text: str, *, page: int = 1, last_page: int = 0, heading: str = "Pumps") -> Passage:
    chunk = Chunk(id=f"c{ordinal}", document_id="a/b 1", kind="passage", ordinal=ordinal, text=text, page=page,
                  last_page=last_page or page, heading_path=(heading,))  # fmt: skip
    return Passage(chunk=chunk, document_name="p.pdf", document_title="", score=1.0)


async def test_overlapping_passages_are_joined_in_order_with_headings() -> None:
    passages = (
        passage_of(2, "The level is read at noon. The crew writes it down."),
        passage_of(1, "The pump fills the tank. The level is read at noon."),
        passage_of(3, "An alarm rings.", heading="Alarms", last_page=2),
        passage_of(4, "Elsewhere.", page=2, heading="Alarms"),
    )
    async with in_process(Script(passages=passages)) as client:
        pages = [await client.call_tool("read_page", {"document_id": "a/b 1", "page": page}) for page in (1, 2)]
    first, second = (each.structured_content["text"] for each in pages)
    assert first == (
        "# Pumps\n\nThe pump fills the tank. The level is read at noon. The crew writes it down."
        "\n\n# Alarms\n\nAn alarm rings."
    )
    assert second == "# Alarms\n\nAn alarm rings.\n\nElsewhere."
