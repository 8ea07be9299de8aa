"""What can be done with an answer in the chat, over its services."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from contracts.answer import Answer
from contracts.errors import NotFound
from contracts.question import SensePick, Turn
from tests.ui.chat.person import QUESTION, action, last, person, text_of
from tests.ui.hostile import assert_harmless
from tests.ui.scripted_bot import ScriptedBot, answered, by_words, citation

LIBRARY = {"term": "DLL", "name": "Dynamic-Link Library", "context": "Software"}
PICK = SensePick(term="DLL", extended_name="Dynamic-Link Library", context="Software")


async def test_choosing_another_meaning_asks_again_and_holds_for_the_conversation() -> None:
    def answer(question: str, picks: Sequence[SensePick]) -> Answer:
        understood = {"standalone_question": f"{question} (as it was understood)"}
        return by_words(question, picks).model_copy(update=understood)

    someone = person(ScriptedBot(answer_for=answer))
    bot = someone.bot
    first = await last(someone.ask(QUESTION, department="Test"))
    again = await last(someone.click(first.conversation_id, "sense", "Test", exchange=1, **LIBRARY))
    assert bot.asked[-1] == (f"{QUESTION} (as it was understood)", "Test", (PICK,))
    assert "Asked again with DLL interpreted as Dynamic-Link Library" in text_of(again.live)
    await last(someone.ask("And what is DLL for?", first.conversation_id))
    # It holds on, but is a correction of the first question alone.
    assert bot.asked[-1][2] == (PICK.model_copy(update={"kept": True}),)
    assert [turn.role for turn in bot.heard[-1]] == ["user", "assistant"] * 2
    assert bot.heard[-1][0] == Turn(role="user", text=QUESTION)


async def test_a_choice_holds_where_its_answer_was_overtaken_by_the_next_question() -> None:
    someone = person()
    first = await last(someone.ask(QUESTION))
    someone.bot.pause_s = 30
    await anext(someone.click(first.conversation_id, "sense", exchange=1, **LIBRARY))
    someone.bot.pause_s = 0
    await last(someone.ask("And what is DLL for?", first.conversation_id))
    assert someone.bot.asked[-1][2] == (PICK.model_copy(update={"kept": True}),)


async def test_a_page_that_is_cited_twice_is_one_source() -> None:
    cited = (citation(1), citation(2), citation(3, page=9))
    answer = answered(QUESTION).model_copy(update={"citations": cited})
    view = await last(person(ScriptedBot(answer_for=lambda *_: answer)).ask(QUESTION))
    sources = [each.get_text(" ", strip=True) for each in assert_harmless(view.live).select(".source")]
    assert sources == ["1 2 Interfaces Handbook page 8", "3 Interfaces Handbook page 9"]


async def test_a_meaning_in_their_own_words_takes_the_place_of_the_term() -> None:
    someone = person()
    first = await last(someone.ask(QUESTION))
    own_meaning = replace(
        action("own_meaning", exchange=1, term="DLL", written="DLL"), fields={"meaning": " Data  Lane Latch "}
    )
    again = await last(someone.page.act(someone.visit(), first.conversation_id, own_meaning))
    none = SensePick(term="DLL", extended_name="", decision="none")
    assert someone.bot.asked[-1] == ("What does Data Lane Latch need?", "", (none,))
    assert "Asked again with DLL interpreted as Data Lane Latch" in text_of(again.live)
    await last(someone.ask("And then?", first.conversation_id))
    assert someone.bot.asked[-1][2] == ()


async def test_a_meaning_corrected_in_words_takes_the_place_of_a_chosen_one() -> None:
    def answer(question: str, picks: Sequence[SensePick]) -> Answer:
        return answered(question) if "Loop" in question else by_words(question, picks)

    someone = person(ScriptedBot(answer_for=answer))
    first = await last(someone.ask(QUESTION))
    await last(someone.click(first.conversation_id, "sense", exchange=1, **LIBRARY))
    await last(someone.ask("No, DLL means Delay-Locked Loop", first.conversation_id))
    await last(someone.ask("And what is DLL for?", first.conversation_id))
    corrected = SensePick(term="DLL", extended_name="Delay-Locked Loop", context="Interfaces", kept=True)
    assert someone.bot.asked[-1][2] == (corrected,)


async def test_an_option_of_a_question_back_or_a_near_spelling_asks_again_with_it() -> None:
    someone = person()
    first = await last(someone.ask("Which DLL?"))
    await last(someone.click(first.conversation_id, "sense", exchange=1, **LIBRARY))
    assert someone.bot.asked[-1] == ("Which DLL?", "", (PICK,))
    first = await last(someone.ask("What is the PRL timeout?"))
    view = await last(someone.click(first.conversation_id, "suggestion", exchange=1, term="PRL", name="DLL"))
    assert someone.bot.asked[-1][0] == "What is the DLL timeout?"
    assert "PRL written as DLL" in text_of(view.live)


async def test_the_manager_is_asked_for_an_unknown_term_once() -> None:
    someone = person()
    first = await last(someone.ask("What is the PRL timeout?"))
    view = await someone.say(first.conversation_id, "request_term", {"note": "A radio thing."}, exchange=1, term="PRL")
    assert someone.records.wanted == [("PRL", "A radio thing.")]
    assert "Ada has been asked to add PRL." in text_of(view.live)
    assert not assert_harmless(view.live).select("[data-action=request_term]")


async def test_further_questions_are_offered_and_asked_by_a_click() -> None:
    someone = person()
    first = await last(someone.ask(QUESTION))
    buttons = assert_harmless(first.live).select(".follow [data-action=example]")
    offered = [str(each["data-question"]) for each in buttons]
    assert offered == ["What does VPP stand for?", "What is VPP on DDR4?", "What is the row cycle time?"]
    view = await last(someone.click(first.conversation_id, "example", question=offered[1]))
    assert someone.bot.asked[-1][0] == offered[1]
    assert not assert_harmless((await last(someone.show(view.conversation_id))).past or "").select(".follow")


async def test_a_citation_opens_its_page_with_its_sentences_marked() -> None:
    someone = person()
    view = await last(someone.ask(QUESTION))
    panel = assert_harmless(await someone.open(view.conversation_id, exchange=1, number=1))
    assert panel.select_one("mark").get_text() == "The DLL needs 512 clock cycles to lock."  # type: ignore[union-attr]
    assert panel.select_one(".page-picture img")["src"] == "/api/documents/d1/pages/8/picture"  # type: ignore[index]
    assert panel.select_one(".highlight")["style"].startswith("left:12.00%;top:15.00%")  # type: ignore[index, union-attr]
    assert panel.select_one("a.open-document")["href"] == "/api/documents/d1/file#page=8"  # type: ignore[index]
    assert "Source 1 of 2" in panel.get_text()
    assert [each.has_attr("disabled") for each in panel.select(".go")] == [True, False]
    someone.records.pictured = False
    panel = assert_harmless(await someone.open(view.conversation_id, exchange=1, number=1))
    assert "There is no picture of this page." in panel.get_text()
    assert panel.select("mark")


async def test_a_quotation_that_may_not_answer_opens_and_a_missing_document_is_reported_below_it() -> None:
    someone = person()
    shown = await last(someone.ask("Where is the parking?"))
    closest = assert_harmless(shown.live).select_one(".closest")
    assert closest is not None
    assert [each.get_text() for each in closest.select("blockquote")] == ["Bicycles stand in the yard."]
    assert "House rules" in closest.get_text()
    assert "parking permit" in closest.get_text()
    panel = assert_harmless(await someone.open(shown.conversation_id, exchange=1, number=1))
    assert panel.select_one(".page-picture img")["src"] == "/api/documents/d2/pages/1/picture"  # type: ignore[index]
    assert "Report a missing document" in text_of(shown.live)
    shown = await someone.say(shown.conversation_id, "report_missing", {"text": "the site map"}, exchange=1)
    (feedback,) = someone.records.feedback.values()
    assert (feedback.verdict, feedback.reason, feedback.text) == ("down", "should_have_answered", "the site map")
    assert "Report a missing document" not in text_of(shown.live)
    assert "Thank you" in text_of(shown.live)


async def test_a_button_that_is_not_there_asks_nothing(subtests: pytest.Subtests) -> None:
    someone = person()
    view = await last(someone.ask(QUESTION))
    buttons: list[tuple[str, dict[str, object]]] = [
        ("", {}),
        ("sense", {"exchange": 9, **LIBRARY}),
        ("sense", {"exchange": 1, "term": "DLL"}),
        ("suggestion", {"exchange": 1, "name": "DLL"}),
        ("own_meaning", {"exchange": 1, "term": "DLL"}),
        ("example", {"question": " "}),
        ("<script>", {"exchange": 1, **LIBRARY}),
        ("sense", {"exchange": ["1"], "term": None, "name": {}}),
    ]
    for name, values in buttons:
        with subtests.test(name=name, values=values):
            with pytest.raises(NotFound):
                await last(someone.click(view.conversation_id, name, **values))
            with pytest.raises(NotFound):
                await someone.open(view.conversation_id, name, **{**values, "number": 77})
    assert len(someone.bot.asked) == 1


async def test_what_is_said_of_an_answer_reaches_the_server_and_can_be_taken_back() -> None:
    someone = person()
    view = await last(someone.ask(QUESTION))
    down = await someone.say(view.conversation_id, "down", exchange=1)
    assert "What is wrong with it?" in text_of(down.live)
    fields = {"reason": "outdated", "text": "It is 256 now."}
    answered = await someone.say(view.conversation_id, "send_feedback", fields, exchange=1)
    feedback = someone.records.feedback["turn-1"]
    assert (feedback.verdict, feedback.reason, feedback.text) == ("down", "outdated", "It is 256 now.")
    assert "Thank you" in text_of(answered.live)
    await someone.say(view.conversation_id, "send_feedback", {"reason": "<script>"}, exchange=1)
    assert someone.records.feedback["turn-1"].reason == ""
    await someone.say(view.conversation_id, "withdraw_feedback", exchange=1)
    assert someone.records.feedback == {}
