"""The extension ``golden`` of a finished answer."""

import json

from contracts.answer import Answer, RefinementRecord
from serving.extension import golden_answer
from tests.serving.running import Service


def test_what_was_decided_about_the_draft_stands_with_the_answer() -> None:
    record = RefinementRecord(
        policy="overlap", signal_name="S3", signal=0.4, threshold=0.65, fired=True, reasons=("noisy",), kept="rewrite",
        kept_reason="no less faithful", draft_before="It is 3 V.", draft_after="It is 2 V.",
        other_documents=(("7", "a.pdf"),),
    )  # fmt: skip
    told = golden_answer(Answer(outcome="answered", text="It is 2 V.", question="?", refinement=record)).refinement
    assert told is not None
    assert told.model_dump() == {
        "policy": "overlap", "signal_name": "S3", "signal": 0.4, "threshold": 0.65, "fired": True, "reasons": ["noisy"],
        "kept": "rewrite", "kept_reason": "no less faithful", "draft_before": "It is 3 V.", "draft_after": "It is 2 V.",
    }  # fmt: skip


def test_an_answer_whose_draft_nobody_reviewed_says_nothing_of_it() -> None:
    assert golden_answer(Answer(outcome="declined", text="No.", question="?")).refinement is None


async def test_passages_and_further_questions_come_to_those_who_ask_for_them(service: Service) -> None:
    body = {"messages": [{"role": "user", "content": "What is VPP on DDR4?"}]}
    wanted = {**body, "golden": {"passages": True, "follow_ups": True}}
    async with service.http() as http:
        plain = (await http.post("/v1/chat/completions", json=body)).json()["choices"][0]["message"]["golden"]
        whole = (await http.post("/v1/chat/completions", json=wanted)).json()["choices"][0]["message"]["golden"]
        streamed = await http.post("/v1/chat/completions", json={**wanted, "stream": True})
    assert (plain["citations"][0]["passage"], plain["citations"][0]["spans"], plain["follow_ups"]) == ("", [], [])
    (cited,) = whole["citations"]
    assert cited["passage"][slice(*cited["spans"][0])] == cited["quote"] == "VPP is 2.5 V on DDR4."
    # The one that was asked is not among them, nor what the reading has told already.
    assert whole["follow_ups"] == ["What is the row cycle time?", "When does the DLL lock?"]
    events = [json.loads(line[6:]) for line in streamed.text.splitlines() if line.startswith("data: {")]
    found = next(each["golden"]["citations"] for each in events if each.get("golden", {}).get("cited"))
    assert found[0]["passage"] == cited["passage"]
