"""What the chat shows: nothing that anybody wrote runs, loads or leads away."""

from typing import Any, get_args

import pytest

from contracts.answer import JudgedSentence, Outcome
from serving.me import Me
from tests.ui.hostile import PAYLOADS, answer_of_text, assert_harmless
from ui.chat.conversation import Chosen, Conversation, Exchange
from ui.chat.panel import render_panel
from ui.chat.render import render_composer, render_live, render_past
from ui.words import words_in

ENGLISH = words_in("en")
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


def me_of(**told: Any) -> Me:
    return Me.model_construct(**{"scopes": (), "examples": (), "writer": "", "has_documents": True, **told})


def test_hostile_text_neither_runs_nor_loads_nor_leads_away(subtests: pytest.Subtests) -> None:
    for payload in PAYLOADS:
        with subtests.test(payload=payload):
            exchanges = [
                Exchange(number=number, question=payload, note=payload, finished=True,
                         answer=answer_of_text(payload, outcome), wanted=(payload,) if number % 2 else ())
                for number, outcome in enumerate(OUTCOMES, start=1)
            ]  # fmt: skip
            answer = exchanges[0].answer
            assert answer is not None
            exchanges += [
                Exchange(number=7, question=payload, draft=payload, running=[payload], found=answer.citations),
                Exchange(
                    number=8,
                    question=payload,
                    draft=payload,
                    judged=(JudgedSentence(text=payload, label="partial", probability=0.1, reason=payload),),
                ),
                Exchange(number=9, question=payload, problem=payload, stopped=True, finished=True),
                Exchange(number=10, question=payload, withheld=payload, finished=True),
            ]
            me = me_of(departments=(payload,), examples=(payload,), writer=payload)
            for last in range(1, len(exchanges) + 1):
                conversation = Conversation(id="c", exchanges=exchanges[:last])
                assert_harmless(render_live(conversation, me, payload, ENGLISH))
            assert_harmless(render_past(conversation, payload, ENGLISH))
            assert_harmless(render_live(Conversation(id="c"), me, payload, ENGLISH))
            assert_harmless(render_composer(me, ENGLISH, Chosen(documents=(payload,)), documents={payload: payload}))
            exchange = Exchange(number=1, question="", answer=answer)
            assert_harmless(render_panel(exchange, answer.citations[0], (), ENGLISH))


def test_an_empty_library_is_said_to_be_and_who_manages_it_is_led_to_it() -> None:
    def shown(**who: Any) -> str:
        return render_live(Conversation(id="c"), me_of(**who), "the manager", ENGLISH)

    assert "There are no documents" not in shown()
    assert "There are no documents" in shown(has_documents=False)
    assert 'href="/documents"' not in shown(has_documents=False)
    assert 'href="/documents"' in shown(has_documents=False, scopes=("manage",))
