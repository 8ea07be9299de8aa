import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

import pytest

from contracts.answer import Answer, AnswerReady, TextDelta, TextReset
from contracts.errors import NotFound
from contracts.question import Asker, SensePick
from tests.ui.hostile import assert_harmless
from tests.ui.scripted_bot import ScriptedBot, answered, by_words, checks_of
from ui.chat import ChatDesk, View


async def last(views: AsyncIterator[View]) -> View:
    return [view async for view in views][-1]


def text_of(html: str) -> str:
    return assert_harmless(html).get_text(" ", strip=True)


async def test_a_question_shows_at_once_then_its_steps_then_its_answer() -> None:
    desk = ChatDesk(ScriptedBot(pause_s=0.1))
    views = [view async for view in desk.ask("", "", "What does DLL need?")]
    assert views[0].busy
    assert "What does DLL need?" in views[0].live
    assert any("Searching the documents" in view.live and view.busy for view in views)
    assert any("draft" in view.live for view in views)
    assert not views[-1].busy
    assert "Fairly sure" in views[-1].live
    assert {view.conversation_id for view in views} == {views[0].conversation_id}


async def test_what_the_checks_find_shows_before_the_answer() -> None:
    desk = ChatDesk(ScriptedBot(pause_s=0.1))
    ahead = [view async for view in desk.ask("", "", "What does DLL need?") if view.busy]
    sourced = [view for view in ahead if "Timing parameters" in view.live]
    judged = [view for view in ahead if "No passage speaks of temperature." in view.live]
    assert judged
    assert len(sourced) > len(judged)
    assert all("draft" in view.live and "Fairly sure" not in view.live for view in sourced)


async def test_a_source_can_be_opened_while_the_answer_is_checked() -> None:
    desk = ChatDesk(ScriptedBot(pause_s=0.1))
    async for view in desk.ask("", "", "What does DLL need?"):
        if "Timing parameters" in view.live:
            assert view.busy
            panel = text_of(await desk.cite(view.conversation_id, {"exchange": "1", "number": "2"}))
            assert "Source 2 of 2" in panel
            break
    else:
        pytest.fail("no source came")
    await desk.stop(view.conversation_id)


async def test_a_draft_that_is_withdrawn_takes_what_was_found_with_it() -> None:
    class Rewriting(ScriptedBot):
        async def stream(self, question: str, **_: object):  # type: ignore[override]
            answer = answered(question)
            yield TextDelta(text="It locks faster when it is cold.")
            for event in (*checks_of(answer)[:2], TextReset(reason="again"), TextDelta(text="The DLL waits.")):
                yield event
            await asyncio.sleep(0.2)
            yield AnswerReady(answer=answer)

    views = [view async for view in ChatDesk(Rewriting()).ask("", "", "What does DLL need?")]
    (again,) = {view.live for view in views if view.busy and "The DLL waits." in view.live}
    assert "temperature" not in again
    assert "Timing parameters" not in again
    assert "Timing parameters" in views[-1].live


async def test_choosing_another_meaning_asks_again_and_holds_for_the_conversation() -> None:
    bot = ScriptedBot()
    desk = ChatDesk(bot)
    first = await last(desk.ask("", "Test", "What does DLL need?"))
    click = {"action": "sense", "exchange": "1", "reading": "0", "option": "0"}
    again = await last(desk.act(first.conversation_id, "Test", click))
    pick = SensePick(term="DLL", extended_name="Dynamic-Link Library", context="Software")
    assert bot.asked[-1] == ("What does DLL need?", "Test", (pick,))
    assert "Asked again with DLL read as Dynamic-Link Library" in text_of(again.live)
    await last(desk.ask(first.conversation_id, "Test", "And what is DLL for?"))
    # It holds on, but is a correction of the first question alone.
    assert bot.asked[-1][2] == (replace(pick, kept=True),)


async def test_a_meaning_corrected_in_words_takes_the_place_of_a_chosen_one() -> None:
    def answer(question: str, picks: Sequence[SensePick]) -> Answer:
        return answered(question) if "Loop" in question else by_words(question, picks)

    bot = ScriptedBot(answer_for=answer)
    desk = ChatDesk(bot)
    first = await last(desk.ask("", "", "What does DLL need?"))
    await last(desk.act(first.conversation_id, "", {"action": "sense", "exchange": "1", "reading": "0", "option": "0"}))
    await last(desk.ask(first.conversation_id, "", "No, DLL means Delay-Locked Loop"))
    await last(desk.ask(first.conversation_id, "", "And what is DLL for?"))
    assert bot.asked[-1][2] == (
        SensePick(term="DLL", extended_name="Delay-Locked Loop", context="Interfaces", kept=True),
    )


async def test_an_option_of_a_question_back_asks_again_with_it() -> None:
    bot = ScriptedBot()
    desk = ChatDesk(bot)
    first = await last(desk.ask("", "", "Which DLL?"))
    await last(desk.act(first.conversation_id, "", {"action": "option", "exchange": "1", "option": "1"}))
    assert bot.asked[-1] == (
        "Which DLL?",
        "",
        (SensePick(term="DLL", extended_name="Dynamic-Link Library", context="Software"),),
    )


async def test_a_near_spelling_replaces_the_unknown_term() -> None:
    bot = ScriptedBot()
    desk = ChatDesk(bot)
    first = await last(desk.ask("", "", "What is the PRL timeout?"))
    click = {"action": "suggestion", "exchange": "1", "reading": "0", "option": "1"}
    view = await last(desk.act(first.conversation_id, "", click))
    assert bot.asked[-1][0] == "What is the DLL timeout?"
    assert "PRL written as DLL" in text_of(view.live)


async def test_a_follow_up_is_asked_again_as_it_was_understood() -> None:
    bot = ScriptedBot(answer_for=lambda question, _: replace(answered(question), standalone_question="What of DLL?"))
    desk = ChatDesk(bot)
    first = await last(desk.ask("", "", "and that one?"))
    await last(desk.act(first.conversation_id, "", {"action": "sense", "exchange": "1", "reading": "0", "option": "0"}))
    assert bot.asked[-1][0] == "What of DLL?"


async def test_a_citation_opens_its_passage() -> None:
    desk = ChatDesk(ScriptedBot())
    view = await last(desk.ask("", "", "What does DLL need?"))
    panel = assert_harmless(await desk.cite(view.conversation_id, {"exchange": "1", "number": "2"}))
    assert panel.select_one("mark").get_text() == "The DLL needs 512 clock cycles to lock."  # type: ignore[union-attr]
    assert "Source 2 of 2" in panel.get_text()


@pytest.mark.parametrize(
    "click",
    [
        {},
        {"action": "sense", "exchange": "9", "reading": "0", "option": "0"},
        {"action": "sense", "exchange": "1", "reading": "-1", "option": "0"},
        {"action": "sense", "exchange": "1", "reading": "0", "option": "7"},
        {"action": "suggestion", "exchange": "1", "reading": "0", "option": "0"},
        {"action": "example", "option": "99999999999999999999"},
        {"action": "<script>", "exchange": "1", "reading": "0", "option": "0"},
        {"action": "sense", "exchange": ["1"], "reading": None, "option": {}},
    ],
)
async def test_a_button_that_is_not_there_asks_nothing(click: dict[str, object]) -> None:
    bot = ScriptedBot()
    desk = ChatDesk(bot)
    view = await last(desk.ask("", "", "What does DLL need?"))
    with pytest.raises(NotFound):
        await last(desk.act(view.conversation_id, "", click))
    with pytest.raises(NotFound):
        await desk.cite(view.conversation_id, {**click, "number": "77"})
    assert len(bot.asked) == 1


async def test_bad_input_and_a_crash_are_lines_for_people(caplog: pytest.LogCaptureFixture) -> None:
    desk = ChatDesk(ScriptedBot(), contact="Ada")
    view = await last(desk.ask("", "", "x" * 9_000))
    assert "too many characters" in text_of(view.live)
    view = await last(desk.ask(view.conversation_id, "", "crash please"))
    said = text_of(view.live)
    assert "Searching the documents" in said
    assert "Ada" in said
    assert "secret detail" not in said
    assert "Traceback" not in said
    reference = next(record.message for record in caplog.records if "reference" in record.message)
    assert reference.rsplit(" ", 1)[-1].rstrip(")") in said
    view = await last(desk.ask(view.conversation_id, "", "   "))
    assert not view.busy


async def test_stop_ends_the_work_and_keeps_what_was_written() -> None:
    desk = ChatDesk(ScriptedBot(pause_s=30))
    views = desk.ask("", "", "What does DLL need?")
    first = await anext(views)
    await anext(views)
    stopped = await desk.stop(first.conversation_id)
    assert not stopped.busy
    assert "Stopped" in text_of(stopped.live)
    assert not (await last(views)).busy


async def test_a_new_question_takes_the_place_of_one_under_way() -> None:
    bot = ScriptedBot(pause_s=30)
    desk = ChatDesk(bot)
    old = desk.ask("", "", "What does DLL need?")
    first = await anext(old)
    await anext(old)
    bot.pause_s = 0
    new = await last(desk.ask(first.conversation_id, "", "What is the PRL timeout?"))
    assert "I do not know PRL" in text_of(new.live)
    assert "Stopped" in text_of(new.past or "") or "Stopped" in text_of(
        (await last(desk.show(new.conversation_id))).past or ""
    )
    assert [view async for view in old] == []


async def test_the_same_question_sent_twice_is_asked_once() -> None:
    bot = ScriptedBot(pause_s=0.2)
    desk = ChatDesk(bot)
    first_views = desk.ask("", "", "What does DLL need?")
    first = await anext(first_views)
    second, _ = await asyncio.gather(
        last(desk.ask(first.conversation_id, "", "What does DLL need? ")), last(first_views)
    )
    assert "Stopped" not in text_of(second.live)
    assert not second.busy
    assert [question for question, *_ in bot.asked] == ["What does DLL need?"]
    await last(desk.ask(first.conversation_id, "", "What does DLL need?"))
    assert len(bot.asked) == 2, "after its end it may be asked again"


async def test_a_page_loaded_again_follows_the_work_to_its_end() -> None:
    desk = ChatDesk(ScriptedBot(pause_s=0.2))
    views = desk.ask("", "", "What does DLL need?")
    first = await anext(views)
    await anext(views)
    await views.aclose()  # type: ignore[attr-defined]
    again = [view async for view in desk.show(first.conversation_id)]
    assert again[0].busy
    assert "Fairly sure" in again[-1].live


async def test_after_a_restart_the_words_are_still_there() -> None:
    bot = ScriptedBot()
    view = await last(ChatDesk(bot).ask("", "", "What does DLL need?"))
    restored = await last(ChatDesk(bot).show(view.conversation_id))
    assert "The DLL needs 512 clock cycles to lock [1]." in text_of(restored.live)


async def test_an_id_of_another_form_begins_anew() -> None:
    bot = ScriptedBot()
    for foreign in (None, 3, "", "x" * 32, "../../etc/passwd", {"a": 1}):
        view = await last(ChatDesk(bot, examples=["Why?"]).show(foreign))
        assert view.conversation_id != foreign
        assert "Why?" in view.live


async def test_a_new_conversation_has_nothing_of_the_old() -> None:
    desk = ChatDesk(ScriptedBot())
    old = await last(desk.ask("", "", "What does DLL need?"))
    new = await desk.begin(old.conversation_id)
    assert new.conversation_id != old.conversation_id
    assert "DLL" not in new.live
    assert "512" in (await last(desk.show(old.conversation_id))).live


async def test_many_people_ask_at_once() -> None:
    desk = ChatDesk(ScriptedBot(pause_s=0.05))
    views = await asyncio.gather(*[last(desk.ask("", "", f"What does DLL {n} need?")) for n in range(20)])
    assert len({view.conversation_id for view in views}) == 20
    assert all(f"DLL {n} need" in view.live for n, view in enumerate(views))


async def test_a_conversation_is_shown_to_the_account_that_it_is_of() -> None:
    bot = ScriptedBot()
    desk = ChatDesk(bot)
    ada, bob = Asker(account="key:ada"), Asker(account="key:bob")
    view = await last(desk.ask("", "", "What does DLL need?", asker=ada))
    assert "512" in (await last(desk.show(view.conversation_id, asker=ada))).live
    for stranger in (bob, Asker()):
        assert "DLL" not in (await last(desk.show(view.conversation_id, asker=stranger))).live
        with pytest.raises(NotFound):
            await desk.cite(view.conversation_id, {"exchange": 1, "number": 1}, asker=stranger)
    # Nor after a restart, when it is read from the bot's memory.
    assert "DLL" not in (await last(ChatDesk(bot).show(view.conversation_id, asker=bob))).live
    await last(desk.ask(view.conversation_id, "", "What does PLL need?", asker=bob))
    assert "PLL" not in (await last(desk.show(view.conversation_id, asker=ada))).live


async def test_a_conversation_that_was_deleted_elsewhere_is_not_shown_again() -> None:
    bot = ScriptedBot()
    desk = ChatDesk(bot)
    view = await last(desk.ask("", "", "What does DLL need?"))
    await bot.forget(view.conversation_id)
    assert "DLL" not in (await last(desk.show(view.conversation_id))).live
