"""What a client bounds: where its answer ends, and what of the citations is left."""

from typing import Any

import pytest

from contracts.answer import Answer
from serving.replies import cut_answer
from tests.agent.scripted import Script, ScriptedWriter
from tests.serving.running import citation, serve

TEXT = "VPP is 2.5 V on DDR4 [1]. The DLL locks in 512 clock cycles [2]."
FOOTER = "\n\n**Sources**\n\n- [1] bus.pdf, page 1\n- [2] bus.pdf, page 2"
ANSWER = Answer(outcome="answered", text=TEXT, question="?", citations=(citation(1), citation(2)))


def test_an_answer_ends_where_its_client_wants(subtests: pytest.Subtests) -> None:
    for stops, tokens, content, reason, numbers in [
        ((), None, TEXT + FOOTER, "stop", [1, 2]),
        ((" The DLL",), None, "VPP is 2.5 V on DDR4 [1].", "stop", [1]),
        (("512", "DDR4"), None, "VPP is 2.5 V on ", "stop", []),
        # Where the text ends, the answer has ended: nothing of the footer is left of what follows.
        (("\n\n",), None, TEXT, "stop", [1, 2]),
        # The cut falls just behind a marker.
        ((), 6, "VPP is 2.5 V on DDR4 [1]", "length", [1]),
        # The whole text has room, but not the footer: that is no answer cut short.
        ((), 17, TEXT, "stop", [1, 2]),
        (("512",), 2, "VPP is 2", "length", []),
    ]:
        with subtests.test(stops=stops, tokens=tokens):
            cut, footer, finish_reason = cut_answer(ANSWER, stops=stops, most_tokens=tokens, footer=True)
            assert (cut.text + footer, finish_reason) == (content, reason)
            assert [each.number for each in cut.citations] == numbers


def test_a_marker_is_whole_or_gone() -> None:
    # Shifted by each length that is no whole token: the cut falls at every place of a marker.
    for shift in range(4):
        for tokens in range(1, 20):
            answer = ANSWER.model_copy(update={"text": "x" * shift + TEXT})
            text = cut_answer(answer, most_tokens=tokens, footer=True)[0].text
            assert text.count("[") == text.count("]"), text
            assert len(text) <= 4 * tokens


async def test_a_bounded_answer_is_the_same_streamed_and_whole(subtests: pytest.Subtests) -> None:
    ask = {"model": "golden", "messages": [{"role": "user", "content": "What is VPP on DDR4?"}]}
    cases: list[tuple[dict[str, Any], str, str, int]] = [
        # The stop begins in one piece of the stream and ends in the next.
        ({"stop": "DDR4 [1]. The DLL"}, "VPP is 2.5 V on ", "stop", 0),
        ({"max_tokens": 2, "max_completion_tokens": 7}, "VPP is 2.5 V on DDR4 [1]. Th", "length", 1),
    ]
    script = Script(writer=ScriptedWriter(["VPP is 2.5 V on DDR4. The DLL locks in 512 clock cycles."]))
    async with serve(script) as service:
        create: Any = service.client().chat.completions.create
        for bounds, content, reason, quotes in cases:
            with subtests.test(bounds=bounds):
                whole = (await create(**ask, **bounds)).choices[0]
                chunks = [chunk async for chunk in await create(**ask, **bounds, stream=True)]
                streamed = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
                assert whole.message.content == streamed == content
                assert whole.finish_reason == chunks[-1].choices[0].finish_reason == reason
                for extra in (whole.message.model_extra, chunks[-1].model_extra):
                    assert extra is not None
                    assert len(extra["golden"]["citations"]) == len(extra["sources"]) == quotes
