"""What the chat shows: nothing that anybody wrote runs, loads or leads away."""

from typing import Any

import pytest

from tests.ui.hostile import PAYLOADS, assert_harmless
from ui.answer_wire import Citation, Golden
from ui.chat.composer import render_composer
from ui.chat.conversation import Conversation, Exchange
from ui.chat.panel import Opened, render_panel
from ui.chat.render import render_live, render_past
from ui.words import words_in

ENGLISH = words_in("en")
OUTCOMES = ("answered", "declined", "unknown_term", "clarify", "something new")


def told(text: str, outcome: str) -> dict[str, Any]:
    """Return an answer as the API tells it, with ``text`` wherever a document, a dictionary or a person could write."""
    sense = {"term": text, "extended_name": text, "context": text, "description": text, "notes": text, "source": text}
    other = {**sense, "extended_name": f"other {text}"}
    reading = {"text": text, "term": text, "status": "chosen", "corrected": True, "sense": sense, "reason": text,
               "alternatives": [sense, other]}  # fmt: skip
    place = {"document": text, "document_id": text, "title": text, "page": 1}
    return {
        "outcome": outcome, "question": text, "standalone_question": text, "turn_id": text, "certainty": 0.5,
        "context": {"name": text, "probability": 0.5}, "missing": [text], "nearest": [place],
        "readings": [reading, {**reading, "status": "documents", "sense": None}],
        "steps": [{"node": text, "finding": text, "milliseconds": 1.0, "implementation": text}],
        "sentences": [{"text": text, "label": "unfaithful", "reason": text}],
        "citations": [{**place, "number": 1, "quote": text, "headings": [text], "passage": text, "spans": [[0, 3]]}],
        "unknown_terms": [{"term": text, "suggestions": [text, text]}], "options": [{**sense, "number": 1}],
        "degraded": [f"{text}: {text}"], "follow_ups": [text],
        "poor_pages": [{**place, "reason": text}],
    }  # fmt: skip


@pytest.mark.parametrize("payload", PAYLOADS)
def test_hostile_text_neither_runs_nor_loads_nor_leads_away(payload: str) -> None:
    exchanges = [
        Exchange(number=number, question=payload, note=payload, finished=True, text=f"{payload} [1] {payload}",
                 answer=Golden.model_validate(told(payload, outcome)), wanted=(payload,) if number % 2 else ())
        for number, outcome in enumerate(OUTCOMES, start=1)
    ]  # fmt: skip
    answer = exchanges[0].answer
    assert answer is not None
    exchanges += [
        Exchange(number=7, question=payload, draft=payload, running=[payload], found=answer.citations),
        Exchange(number=8, question=payload, draft=payload, judged=answer.sentences),
        Exchange(number=9, question=payload, problem=payload, stopped=True, finished=True),
        Exchange(number=10, question=payload, withheld=payload, finished=True),
    ]
    for last in range(1, len(exchanges) + 1):
        conversation = Conversation(id="c", exchanges=exchanges[:last])
        assert_harmless(render_live(conversation, (payload,), payload, ENGLISH))
    assert_harmless(render_past(conversation, payload, ENGLISH))
    assert_harmless(render_live(Conversation(id="c"), (payload,), payload, ENGLISH))
    assert_harmless(render_composer((payload,), payload, ENGLISH))
    for shown in (answer.citations[0], answer.nearest[0]):
        assert_harmless(render_panel(Opened(exchange=1, count=1, shown=shown, poor=answer.poor_pages), ENGLISH))


def test_a_huge_table_in_a_passage_is_cut() -> None:
    rows = "\n".join(f"row {number} | {'x' * 40}" for number in range(5_000))
    panel = render_panel(Opened(exchange=1, count=1, shown=Citation(number=1, passage=rows)), ENGLISH)
    assert len(assert_harmless(panel).select("tr")) <= 121
