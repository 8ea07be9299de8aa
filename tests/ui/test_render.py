from dataclasses import replace

import pytest

from contracts.answer import Answer, CheckedSentence, ClarifyingOption, JudgedSentence, NearDocument, Step
from contracts.jargon import Mention, Reading, Sense
from contracts.text import Span
from tests.ui.hostile import PAYLOADS, assert_harmless
from tests.ui.scripted_bot import DLL_SOFTWARE, answered, citation, clarify, declined, unknown
from ui.conversations import Exchange
from ui.html import element
from ui.panel import render_panel
from ui.render import render_departments, render_exchange, render_welcome


def shown(answer: Answer | None, **changes: object) -> str:
    values: dict[str, object] = {"number": 1, "question": "What does DLL need?", "answer": answer, "finished": True}
    return render_exchange(Exchange(**{**values, **changes}), contact="Ada")  # type: ignore[arg-type]


def hostile_answers(text: str) -> list[Answer]:
    sense = Sense(id=1, term=text, extended_name=text, context=text, description=text, notes=text, source=text)
    other = replace(sense, extended_name=f"other {text}")
    mention = Mention(text=text, span=Span(0, 1), term=text, corrected=True)
    reading = Reading(mention=mention, status="chosen", sense=sense, alternatives=(other,), reason=text)
    lost = Reading(mention=mention, status="unknown", suggestions=(text, text))
    near = NearDocument(document_id=text, document_name=text, document_title=text, page=1)
    sentences = (CheckedSentence(text=text, citations=(1,), label="unfaithful", probability=0.0, reason=text),)
    cited = citation(document_name=text, document_title=text, heading_path=(text,), passage_text=text, quote=text)
    base = Answer(
        outcome="answered",
        text=f"{text} [1] and {text}",
        question=text,
        readings=(reading, Reading(mention=mention, status="documents")),
        sentences=sentences,
        citations=(cited,),
        context=text,
        certainty=0.5,
        degraded=(f"{text}: {text}",),
        steps=(Step(node=text, finding=text, milliseconds=1),),
    )
    return [
        base,
        replace(base, outcome="declined", missing=(text,), nearest=(near,)),
        replace(base, outcome="declined", missing=(), nearest=()),
        replace(base, outcome="unknown_term", unknown_terms=(lost, lost)),
        replace(base, outcome="clarify", options=(ClarifyingOption(number=1, sense=sense),)),
    ]


@pytest.mark.parametrize("payload", PAYLOADS)
def test_hostile_text_neither_runs_nor_loads_nor_leads_away(payload: str) -> None:
    for answer in hostile_answers(payload):
        page = shown(answer, question=payload, note=payload, steps=list(answer.steps))
        assert_harmless(page)
    for exchange in (
        {"restored": payload},
        {"draft": payload, "finished": False, "running": [payload]},
        {
            "draft": payload,
            "found": hostile_answers(payload)[0].citations,
            "judged": (JudgedSentence(text=payload, label="unfaithful", probability=0.1, reason=payload),),
            "finished": False,
        },
        {"problem": payload, "stopped": True},
    ):
        assert_harmless(shown(None, question=payload, **exchange))
    assert_harmless(render_welcome([payload]))
    assert_harmless(render_departments([payload], payload) or "")
    hostile = hostile_answers(payload)[0].citations[0]
    assert_harmless(render_panel(hostile, exchange=1, count=1, pictures={}, opening=1))


def test_hostile_text_is_still_shown_as_text() -> None:
    page = assert_harmless(shown(hostile_answers("<script>alert(1)</script>")[0]))
    answer = page.select_one(".answer")
    assert answer is not None
    assert "<script>alert(1)</script>" in answer.get_text()


def test_an_element_that_could_run_cannot_even_be_written() -> None:
    for name in ("script", "iframe", "a", "svg", "form", "IMG onerror=x"):
        with pytest.raises(ValueError):
            element(name)
    for attribute in ("onclick", "href", "srcdoc", "formaction"):
        with pytest.raises(ValueError):
            element("div", **{attribute: "x"})


def test_an_answer_shows_reading_text_citations_certainty_and_sources() -> None:
    page = assert_harmless(shown(answered("q")))
    chip = page.select_one("details.chip")
    assert chip is not None
    assert chip.summary.get_text(" ", strip=True) == "Read DLL as Delay-Locked Loop Interfaces change"  # type: ignore[union-attr]
    assert [each.get_text(" ", strip=True) for each in chip.select("button.sense strong")] == ["Dynamic-Link Library"]
    assert [each.get_text() for each in page.select(".answer .cite")] == ["1", "2"]
    assert page.select_one(".answer").get_text().startswith("The DLL needs 512 clock cycles to lock1.")  # type: ignore[union-attr]
    assert page.select_one(".certainty").get_text() == "Fairly sure · 80 %"  # type: ignore[union-attr]
    assert [each.get_text() for each in page.select(".source .page")] == ["page 8", "page 9"]


def test_a_meaning_from_the_documents_can_be_changed_where_they_have_another() -> None:
    answer = answered("q")
    (reading,) = answer.readings
    mined = replace(reading, status="documents")
    chip = assert_harmless(shown(replace(answer, readings=(mined,)))).select_one("details.chip")
    assert chip is not None
    assert "not in the dictionary, but used in the documents" in chip.summary.get_text()  # type: ignore[union-attr]
    assert [each.get_text(" ", strip=True) for each in chip.select("button.sense strong")] == ["Dynamic-Link Library"]
    for plain in (replace(mined, alternatives=()), replace(mined, sense=None)):
        page = assert_harmless(shown(replace(answer, readings=(plain,))))
        assert page.select_one("span.chip.plain") is not None
        assert page.select("button.sense") == []


def test_an_unsupported_sentence_is_underlined_with_its_reason() -> None:
    page = assert_harmless(shown(answered("q")))
    weak = {next(iter(set(each["class"]) - {"weak"})): each.get_text() for each in page.select(".weak")}
    assert weak["unfaithful"].endswith("It locks faster when it is cold")
    assert "No passage speaks of temperature." in weak["unfaithful"]
    assert weak["partial"].endswith("Reset it afterwards")
    assert "512" not in "".join(weak.values())


def test_an_unsupported_sentence_that_cannot_be_marked_in_place_is_named_below() -> None:
    row = CheckedSentence(text="| a | b |", citations=(), label="unfaithful", probability=0.1, reason="Not there.")
    answer = replace(answered("q"), text="| x | y |\n|---|---|\n| a | b |", sentences=(row,))
    page = assert_harmless(shown(answer))
    below = page.select_one(".unsupported")
    assert below is not None
    assert "Not there." in below.get_text()
    assert len(page.select(".answer table td")) == 2


def test_brackets_that_cite_nothing_stay_text() -> None:
    answer = replace(answered("q"), text="DQ[1] toggles [1, 2], see \\[1\\] and [7].")
    page = assert_harmless(shown(answer))
    assert [each["data-number"] for each in page.select(".answer .cite")] == ["1", "2"]
    assert page.select_one(".answer p").get_text() == "DQ[1] toggles12, see [1] and [7]."  # type: ignore[union-attr]


def test_a_corrected_spelling_is_shown_beside_what_was_written() -> None:
    answer = answered("q")
    mention = replace(answer.readings[0].mention, text="DDL", corrected=True)
    page = assert_harmless(shown(replace(answer, readings=(replace(answer.readings[0], mention=mention),))))
    assert page.select_one(".chip s").get_text() == "DDL"  # type: ignore[union-attr]
    assert "DDL → DLL" in page.select_one(".chip .menu").get_text()  # type: ignore[union-attr]


def test_refusals_offer_what_to_do_next() -> None:
    page = assert_harmless(shown(unknown("What is PRL?")))
    assert [each.get_text() for each in page.select("button.suggestion")] == ["PLR", "DLL"]
    assert "Ada" in page.select_one(".card").get_text()  # type: ignore[union-attr]
    page = assert_harmless(shown(declined("Where may I park?")))
    assert page.select_one(".tags").get_text() == "parking permit"  # type: ignore[union-attr]
    assert page.select_one(".nearest").get_text() == "House rulespage 1"  # type: ignore[union-attr]
    page = assert_harmless(shown(clarify("Which DLL?")))
    assert [each.strong.get_text() for each in page.select("button.sense")] == [  # type: ignore[union-attr]
        "Delay-Locked Loop",
        DLL_SOFTWARE.extended_name,
    ]


def test_steps_are_named_in_words_and_folded() -> None:
    steps = [Step(node="retrieve", finding="12 passages", milliseconds=1_234)]
    page = assert_harmless(shown(None, steps=steps, running=["judge_relevance"], finished=False))
    details = page.select_one("details.steps")
    assert details is not None
    assert not details.has_attr("open")
    assert details.summary.get_text() == "Judging the passages…"  # type: ignore[union-attr]
    assert details.li.get_text("|") == "Searching the documents|12 passages|1.2 s"  # type: ignore[union-attr]


def test_degradation_is_said() -> None:
    page = assert_harmless(shown(replace(answered("q"), degraded=("write_answer: timed out",))))
    assert "Writing the answer" in page.select_one(".degraded").get_text()  # type: ignore[union-attr]
