"""How a conversation in the chat goes on, over its services."""

import asyncio
from pathlib import Path

import pytest

from contracts.answer import AnswerReady, TextDelta, TextReset
from contracts.errors import NotFound
from library.keys import KeyStore
from library.migrations import LIBRARY
from serving.access import Actor, Unauthenticated
from serving.chat import asker_of
from serving.identity.credentials import KeyRecogniser
from serving.identity.guards import Guard
from tests.databases import open_new_sqlite
from tests.ui.chat.person import QUESTION, Person, last, person, text_of
from tests.ui.hostile import assert_harmless
from tests.ui.scripted_bot import ScriptedBot, answered
from tests.ui.scripted_services import build_services
from ui.chat.page import ChatPage


async def test_a_question_shows_at_once_then_its_steps_then_its_answer() -> None:
    views = [view async for view in person(ScriptedBot(pause_s=0.1)).ask(QUESTION)]
    assert views[0].busy
    assert QUESTION in views[0].live
    assert "Reading your question…" in text_of(views[0].live)
    under_way = [text_of(view.live) for view in views if view.busy]
    assert any("Searching the documents" in each and "jargon: DLL" in each for each in under_way)
    assert any("draft" in view.live for view in views)
    assert not views[-1].busy
    assert "Found · 80 %" in text_of(views[-1].live)
    # Only the step under way and the answer's end are read out.
    announced = [assert_harmless(view.live).select_one("[role=status]").get_text() for view in views]  # type: ignore[union-attr]
    assert announced[-1].startswith("Answer: The DLL needs 512 clock cycles to lock")
    assert "Searching the documents…" in announced
    assert all("512 clock" not in each for each in announced[:-1])
    assert {view.conversation_id for view in views} == {views[0].conversation_id}


async def test_while_an_answer_is_written_only_its_own_exchange_is_sent() -> None:
    someone = person(ScriptedBot(pause_s=0.05))
    first = await last(someone.ask(QUESTION))
    views = [view async for view in someone.ask("What is PRL?", first.conversation_id)]
    assert "512 clock" in text_of(views[0].past)
    assert [view.past for view in views[1:]] == [None] * len(views[1:])
    assert all("512 clock" not in view.live for view in views)


async def test_a_withdrawn_draft_is_not_shown() -> None:
    class Rewriting(ScriptedBot):
        async def stream(self, question: str, **_: object):  # type: ignore[override]
            answer = answered(question)
            yield TextDelta(text="It locks faster when it is cold.")
            for event in (TextReset(reason="again"), TextDelta(text="The DLL waits.")):
                yield event
            await asyncio.sleep(0.2)
            yield AnswerReady(answer=answer)

    views = [view async for view in person(Rewriting()).ask(QUESTION)]
    (again,) = {view.live for view in views if view.busy and "The DLL waits." in view.live}
    assert "It locks faster" not in again
    assert "Timing parameters" in views[-1].live


async def test_bad_input_and_a_crash_are_lines_for_people() -> None:
    someone = person()
    view = await last(someone.ask("x" * 9_000))
    assert "Your question could not be asked" in text_of(view.live)
    assert "too many characters" in text_of(view.live)
    view = await last(someone.ask("crash please", view.conversation_id))
    assert "I cannot answer right now" in text_of(view.live)
    assert "secret detail" not in view.live
    assert "Traceback" not in view.live
    view = await last(someone.ask("   ", view.conversation_id))
    assert not view.busy


async def test_stop_ends_the_work_on_the_server_and_keeps_what_was_written() -> None:
    someone = person(ScriptedBot(pause_s=30))
    views = someone.ask(QUESTION)
    first = await anext(views)
    await anext(views)
    async with asyncio.timeout(5):
        while not someone.bot.asked:  # noqa: ASYNC110 - the bot tells nobody
            await asyncio.sleep(0.01)
    stopped = await someone.page.stop(someone.visit(), first.conversation_id)
    assert not stopped.busy
    assert "Stopped" in text_of(stopped.live)
    assert not (await last(views)).busy
    assert someone.bot.cancelled == 1
    again = await last(someone.show(first.conversation_id))
    assert "Stopped" in text_of(again.live)
    someone.bot.pause_s = 0
    asked = await last(someone.click(first.conversation_id, "again", exchange=1))
    assert "Found" in asked.live


async def test_a_new_question_takes_the_place_of_one_under_way() -> None:
    someone = person(ScriptedBot(pause_s=30))
    old = someone.ask(QUESTION)
    async for first in old:
        if "Finding the jargon" in first.live:
            break
    someone.bot.pause_s = 0
    new = await last(someone.ask("What is the PRL timeout?", first.conversation_id))
    assert "I do not know PRL" in text_of(new.live)
    assert "Stopped" in text_of((await last(someone.show(new.conversation_id))).past)
    assert [view async for view in old] == []


async def test_a_question_to_a_collection_is_kept_to_it_and_told_no_answers_out_of_other_documents() -> None:
    someone = person()
    view = await last(someone.ask(QUESTION))
    for number, collection in enumerate(("staff", "staff", "")):
        view = await last(someone.ask(f"{QUESTION} {number}", view.conversation_id, collection=collection))
    assert [len(each) for each in someone.bot.heard] == [0, 0, 2, 6]
    assert [each.groups for each in someone.bot.askers] == [None, {"staff"}, {"staff"}, None]
    assert asker_of(Actor(name="Bo", groups=frozenset({"lab"})), collection="staff").groups == frozenset()


async def test_the_same_question_sent_twice_is_asked_once() -> None:
    someone = person(ScriptedBot(pause_s=0.2))
    first_views = someone.ask(QUESTION)
    first = await anext(first_views)
    second, _ = await asyncio.gather(last(someone.ask(f"{QUESTION} ", first.conversation_id)), last(first_views))
    assert "Stopped" not in text_of(second.live)
    assert not second.busy
    assert [question for question, *_ in someone.bot.asked] == [QUESTION]


async def test_a_page_loaded_again_follows_the_work_to_its_end() -> None:
    someone = person(ScriptedBot(pause_s=0.2))
    views = someone.ask(QUESTION)
    first = await anext(views)
    await anext(views)
    await views.aclose()  # type: ignore[attr-defined]
    again = [view async for view in someone.show(first.conversation_id)]
    assert again[0].busy
    assert "Found" in again[-1].live


async def test_after_a_restart_the_conversation_is_there_whole() -> None:
    before = person()
    view = await last(before.ask(QUESTION))
    await last(before.ask("What is the PRL timeout?", view.conversation_id))
    after = Person(before.services)
    view = await last(after.show(view.conversation_id))
    past = assert_harmless(view.past or "")
    assert "Interpreted DLL as Delay-Locked Loop" in past.get_text(" ", strip=True)
    assert past.select(".answer .weak")
    assert "Found" in past.get_text()
    assert "I do not know PRL" in text_of(view.live)
    panel = await after.open(view.conversation_id, exchange=1, number=2)
    assert "512 clock cycles" in text_of(panel)
    before.records.withheld["turn-1"] = "forbidden"
    again = await last(Person(before.services, before.page).show(view.conversation_id))
    assert "you do not have access to a document" in text_of(again.past)
    assert "512 clock" not in again.past  # type: ignore[operator]


async def test_where_nothing_is_kept_a_reload_finds_the_conversation_and_nothing_can_be_said() -> None:
    someone = person(ScriptedBot(keeps=False))
    view = await last(someone.ask(QUESTION))
    again = await last(someone.show(view.conversation_id))
    assert "512 clock" in again.live
    assert not assert_harmless(again.live).select(".thumb")


async def test_an_id_of_another_form_begins_anew() -> None:
    someone = person()
    for foreign in (None, 3, "", "x" * 999, "../../etc/passwd", {"a": 1}, "a b", "a\nb"):
        view = await last(someone.show(foreign))
        assert view.conversation_id != foreign
        assert "What does DLL need to lock?" in view.live


async def test_a_new_conversation_has_nothing_of_the_old_which_goes_on() -> None:
    someone = person(ScriptedBot(pause_s=0.1))
    views = someone.ask(QUESTION)
    old = await anext(views)
    new = await someone.page.begin(someone.visit())
    assert new.conversation_id != old.conversation_id
    assert "DLL need?" not in new.live
    await last(views)
    assert "512 clock" in (await last(someone.show(old.conversation_id))).live


async def test_a_conversation_is_shown_to_whoever_it_is_of_alone(tmp_path: Path) -> None:
    engine = open_new_sqlite(tmp_path / "golden.db", LIBRARY)
    keys = KeyStore(engine)
    services, guard, page = build_services(ScriptedBot()), Guard([KeyRecogniser(keys)]), ChatPage()
    names = (keys.create(name, scopes=["ask"], groups=None)[0] for name in ("ada", "bob"))
    ada, bob = (Person(services, page, guard=guard, authorization=f"Bearer {key}") for key in names)
    view = await last(ada.ask(QUESTION))
    assert "512 clock" in (await last(ada.show(view.conversation_id))).live
    for stranger in (bob, Person(services, **bob.options)):
        assert "512 clock" not in (await last(stranger.show(view.conversation_id))).live
        with pytest.raises(NotFound):
            await stranger.open(view.conversation_id, exchange=1, number=1)
    with pytest.raises(Unauthenticated):
        await last(Person(services, page, guard=guard).show(view.conversation_id))
    engine.dispose()


async def test_a_conversation_that_was_deleted_elsewhere_is_not_shown_again() -> None:
    someone = person()
    view = await last(someone.ask(QUESTION))
    await last(someone.show(view.conversation_id))
    someone.bot.kept.clear()
    (conversation,) = someone.page._recent._kept.values()
    conversation.exchanges[0].ended_at -= 60
    assert "512 clock" not in (await last(someone.show(view.conversation_id))).live
