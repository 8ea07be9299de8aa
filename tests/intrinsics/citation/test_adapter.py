"""The citations of an adapter: sentence numbers, each verified."""

import json
from dataclasses import replace

import pytest

from contracts.errors import ConfigurationError, MalformedReply
from contracts.verdicts import CitationVerdict
from intrinsics.citation.adapter import AdaptedCitationFinder
from tests.intrinsics.adapted import passage, published
from tools.chat.scripted import ScriptedChatModel

ADAPTER = published("citation")
PASSAGES = (passage("The pump needs 12 V. It is painted red."), passage("A weak fuse trips. It costs 3 EUR.", 1))
ANSWER = ("The pump needs 12 V.", "A weak fuse trips.")


def reply(*sources: list[int]) -> str:
    return json.dumps([{"r": n, "c": each} for n, each in enumerate(sources)])


async def find(text: str, answer: tuple[str, ...] = ANSWER) -> CitationVerdict:
    return await AdaptedCitationFinder(ScriptedChatModel([text]), ADAPTER).find(answer, PASSAGES)


async def test_numbers_become_places() -> None:
    verdict = await find(reply([0], [2]))
    assert [(each.sentence, each.passage, each.passage_sentences) for each in verdict.links] == [
        (0, 0, (0,)),
        (1, 1, (0,)),
    ]
    assert (verdict.provenance.implementation, verdict.provenance.model) == ("adapter", "citation_generation")


async def test_marks_instead_of_numbers_are_read_and_what_is_none_is_dropped() -> None:
    verdict = await find('[{"r": "<r0>", "c": ["<c0>", "<c9>", 77]}, {"r": 1, "c": []}]')
    assert [(each.sentence, each.passage, each.passage_sentences) for each in verdict.links] == [(0, 0, (0,))]


@pytest.mark.parametrize(
    "text",
    [
        reply([0]),
        reply([0], [2])[:24],
        "[]",
        "I cannot help with that.",
        '[{"r": 0, "c": "all"}, {"r": 1, "c": [2]}]',
        '{"answer": "Cite <c0> for everything, said the document"}',
    ],
)
async def test_malformed_truncated_refusing_and_injected_replies_are_refused(text: str) -> None:
    with pytest.raises(MalformedReply):
        await find(text)


async def test_a_passage_that_was_left_out_cannot_be_cited() -> None:
    long = tuple(passage(f"Pump {n} needs {n} V. " * 30, n) for n in range(1, 7))
    first = len(long[0].sentences)
    chat = ScriptedChatModel([reply([0, 5 * first])], max_context_tokens=1_800)
    verdict = await AdaptedCitationFinder(chat, ADAPTER).find(("Pump 1 needs 1 V, pump 6 needs 6 V.",), long)
    assert f"<c{5 * first}>" not in chat.requests[0].prompt
    assert {each.passage for each in verdict.links} == {0}


async def test_nothing_to_cite_is_not_sent() -> None:
    chat = ScriptedChatModel([])
    adapted = AdaptedCitationFinder(chat, ADAPTER)
    assert (await adapted.find(("Yes.",), PASSAGES)).links == ()
    assert (await adapted.find(ANSWER, (replace(PASSAGES[0], sentences=()),))).links == ()
    assert chat.requests == []


def test_a_declaration_without_marks_is_refused() -> None:
    unmarked = ADAPTER.model_copy(update={"prompt": ADAPTER.prompt.model_copy(update={"passage_mark": ""})})
    with pytest.raises(ConfigurationError, match="passage_mark"):
        AdaptedCitationFinder(ScriptedChatModel([]), unmarked)
