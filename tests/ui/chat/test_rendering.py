"""What the chat shows: nothing that anybody wrote runs, loads or leads away."""

from typing import Any, get_args

import pytest

from contracts.answer import Answer, CheckedSentence, ClarifyingOption, JudgedSentence, Outcome, PoorlyReadPage, Step
from contracts.jargon import Mention, Reading, Sense
from contracts.provenance import Provenance
from contracts.text import Span
from serving.me import Me
from tests.ui.hostile import PAYLOADS, assert_harmless
from tests.ui.scripted_bot import citation
from ui.chat.conversation import Chosen, Conversation, Exchange
from ui.chat.panel import render_panel
from ui.chat.render import render_composer, render_live, render_past
from ui.words import words_in

ENGLISH = words_in("en")
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


def me_of(**told: Any) -> Me:
    return Me.model_construct(**{"scopes": (), "examples": (), "writer": "", "has_documents": True, **told})


def answer_of_text(text: str, outcome: Outcome) -> Answer:
    """Return an answer with ``text`` wherever a document, a dictionary or a person could write."""
    sense = Sense(id=1, term=text, extended_name=text, context=text, description=text, notes=text, source=text)
    other = sense.model_copy(update={"extended_name": f"other {text}"})
    mention = Mention(text=text, span=Span(0, 3), term=text, corrected=True)
    reading = Reading(mention=mention, status="chosen", sense=sense, reason=text, alternatives=(sense, other),
                      suggestions=(text, text))  # fmt: skip
    mined = reading.model_copy(update={"status": "documents", "sense": None})
    place = {"document_name": text, "document_id": text, "document_title": text, "page": 1}
    provenance = Provenance(implementation=text)
    quoted = citation(1, **place, quote=text, heading_path=(text,), passage_text=text)
    return Answer(
        outcome=outcome, text=f"{text} [1] {text}", question=text, standalone_question=text, turn_id=text,
        certainty=0.5, context=text, context_probability=0.5, missing=(text,),
        readings=(reading, mined),
        steps=(Step(node=text, finding=text, milliseconds=1.0, provenance=provenance),),
        sentences=(CheckedSentence(text=text, citations=(), label="unfaithful", probability=0.1, reason=text),),
        **{"closest" if outcome == "closest_passages" else "citations": (quoted,)},
        unknown_terms=(reading,), options=(ClarifyingOption(number=1, sense=sense),),
        degraded=(f"{text}: {text}",), follow_ups=(text,),
        poor_pages=(PoorlyReadPage(document=text, document_id=text, page=1, citations=(1,), reason=text),),
    )  # fmt: skip


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
