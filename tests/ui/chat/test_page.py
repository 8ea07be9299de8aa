"""What the chat does, over its services."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from contracts.answer import Answer, AnswerReady, TextDelta, TextReset
from contracts.errors import NotFound
from contracts.jargon import Mention, Reading, Sense
from contracts.question import SensePick, Turn
from contracts.text import Span
from library.keys import KeyStore
from library.migrations import LIBRARY
from serving.access import Actor, Forbidden, Unauthenticated
from serving.chat import asker_of
from serving.identity.guards import IdentityGuard
from serving.keys import KeyRecogniser
from tests.databases import open_new_sqlite
from tests.ui.hostile import assert_harmless
from tests.ui.scripted_bot import ScriptedBot, answered, by_words, checks_of, citation
from tests.ui.scripted_services import Records, build_services
from tests.ui.visits import visit_of
from ui.chat.conversation import Chosen
from ui.chat.page import ChatPage, View
from ui.pages import Action, Services, Visit

QUESTION = "What does DLL need?"


class Person:
    """Somebody with a browser: their visits, and the chat that serves them."""

    bot: ScriptedBot

    def __init__(
        self, services: Services, page: ChatPage | None = None, *, language: str = "en", key: str = "", **options: Any
    ) -> None:
        self.services = services
        self.page = page or ChatPage()
        self.headers = {"authorization": f"Bearer {key}"} if key else {}
        self.options = {"language": language, **options}

    def visit(self) -> Visit:
        return visit_of(self.services, **self.options, **self.headers)

    def ask(self, text: str, conversation: object = "", department: str = "") -> AsyncIterator[View]:
        return self.page.ask(self.visit(), conversation, text, Chosen(department=department))

    def click(self, conversation: object, name: str, department: str = "", **values: object) -> AsyncIterator[View]:
        return self.page.act(self.visit(), conversation, action(name, **values), Chosen(department=department))

    def show(self, conversation: object) -> AsyncIterator[View]:
        return self.page.show(self.visit(), conversation)

    async def open(self, conversation: object, name: str = "cite", **values: object) -> str:
        return await self.page.page(self.visit(), conversation, action(name, **values))

    async def say(self, conversation: object, name: str, fields: Mapping[str, str] = {}, **values: object) -> View:
        feedback = action(name, **values)
        return await self.page.say(self.visit(), conversation, replace(feedback, fields=fields))


def action(name: str, **values: object) -> Action:
    return Action(name=name, values={key: str(value) for key, value in values.items()})


def person(bot: ScriptedBot | None = None, records: Records | None = None, **options: Any) -> Person:
    bot = bot or ScriptedBot()
    someone = Person(build_services(bot, records), **options)
    someone.bot = bot
    return someone


async def last(views: AsyncIterator[View]) -> View:
    return [view async for view in views][-1]


def text_of(html: str | None) -> str:
    return assert_harmless(html or "").get_text(" ", strip=True)


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


async def test_what_the_checks_find_shows_before_the_answer_and_can_be_opened() -> None:
    someone = person(ScriptedBot(pause_s=0.1))
    judged = 0
    async for view in someone.ask(QUESTION):
        if view.busy and "Timing parameters" in view.live:
            assert "Source 2 of 2" in text_of(await someone.open(view.conversation_id, exchange=1, number=2))
            judged += "No passage speaks of temperature." in view.live
    assert judged


async def test_a_draft_that_is_withdrawn_takes_what_was_found_with_it() -> None:
    class Rewriting(ScriptedBot):
        async def stream(self, question: str, **_: object):  # type: ignore[override]
            answer = answered(question)
            yield TextDelta(text="It locks faster when it is cold.")
            for event in (*checks_of(answer)[:2], TextReset(reason="again"), TextDelta(text="The DLL waits.")):
                yield event
            await asyncio.sleep(0.2)
            yield AnswerReady(answer=answer)

    views = [view async for view in person(Rewriting()).ask(QUESTION)]
    (again,) = {view.live for view in views if view.busy and "The DLL waits." in view.live}
    assert "temperature" not in again
    assert "Timing parameters" not in again
    assert "Timing parameters" in views[-1].live


async def test_choosing_another_meaning_asks_again_and_holds_for_the_conversation() -> None:
    bot = ScriptedBot(
        answer_for=lambda question, picks: by_words(question, picks).model_copy(
            update={"standalone_question": f"{question} (as it was understood)"}
        )
    )
    someone = person(bot)
    first = await last(someone.ask(QUESTION, department="Test"))
    again = await last(someone.click(first.conversation_id, "sense", "Test", exchange=1, reading=0, option=0))
    pick = SensePick(term="DLL", extended_name="Dynamic-Link Library", context="Software")
    assert bot.asked[-1] == (f"{QUESTION} (as it was understood)", "Test", (pick,))
    assert "Asked again with DLL interpreted as Dynamic-Link Library" in text_of(again.live)
    await last(someone.ask("And what is DLL for?", first.conversation_id))
    # It holds on, but is a correction of the first question alone.
    assert bot.asked[-1][2] == (pick.model_copy(update={"kept": True}),)
    assert [turn.role for turn in bot.heard[-1]] == ["user", "assistant"] * 2
    assert bot.heard[-1][0] == Turn(role="user", text=QUESTION)


async def test_a_choice_holds_where_its_answer_was_overtaken_by_the_next_question() -> None:
    someone = person()
    first = await last(someone.ask(QUESTION))
    someone.bot.pause_s = 30
    await anext(someone.click(first.conversation_id, "sense", exchange=1, reading=0, option=0))
    someone.bot.pause_s = 0
    await last(someone.ask("And what is DLL for?", first.conversation_id))
    pick = SensePick(term="DLL", extended_name="Dynamic-Link Library", context="Software", kept=True)
    assert someone.bot.asked[-1][2] == (pick,)


async def test_what_else_is_interpreted_differently_after_a_choice_is_said() -> None:
    def answer(question: str, picks: Sequence[SensePick]) -> Answer:
        given = by_words(question, picks)
        (dll,) = given.readings
        name = "Power Loss Recovery" if picks else "Physical Layer Retransmission"
        sense = Sense(id=7, term="PLR", extended_name=name)
        plr = Reading(mention=Mention(text="PLR", span=Span(4, 7), term="PLR"), status="chosen", sense=sense)
        return given.model_copy(update={"readings": (dll, plr)})

    someone = person(ScriptedBot(answer_for=answer))
    first = await last(someone.ask(QUESTION))
    assert "Different from before" not in text_of(first.live)
    again = await last(someone.click(first.conversation_id, "sense", exchange=1, reading=0, option=0))
    assert "Different from before: PLR interpreted as Power Loss Recovery" in text_of(again.live)
    assert "Different from before: DLL" not in text_of(again.live)


async def test_a_page_that_is_cited_twice_is_one_source() -> None:
    cited = (citation(1), citation(2), citation(3, page=9))
    someone = person(
        ScriptedBot(answer_for=lambda question, _: answered(question).model_copy(update={"citations": cited}))
    )
    view = await last(someone.ask(QUESTION))
    sources = [each.get_text(" ", strip=True) for each in assert_harmless(view.live).select(".source")]
    assert sources == ["1 2 Interfaces Handbook page 8", "3 Interfaces Handbook page 9"]


async def test_a_meaning_in_their_own_words_takes_the_place_of_the_term() -> None:
    someone = person()
    first = await last(someone.ask(QUESTION))
    own_meaning = replace(action("own", exchange=1, reading=0), fields={"meaning": " Data  Lane Latch "})
    again = await last(someone.page.act(someone.visit(), first.conversation_id, own_meaning))
    none = SensePick(term="DLL", extended_name="", decision="none")
    assert someone.bot.asked[-1] == ("What does Data Lane Latch need?", "", (none,))
    assert "Asked again with DLL interpreted as Data Lane Latch" in text_of(again.live)
    await last(someone.ask("And then?", first.conversation_id))
    assert someone.bot.asked[-1][2] == ()


async def test_a_meaning_corrected_in_words_takes_the_place_of_a_chosen_one() -> None:
    def answer(question: str, picks: Sequence[SensePick]) -> Answer:
        return answered(question) if "Loop" in question else by_words(question, picks)

    bot = ScriptedBot(answer_for=answer)
    someone = person(bot)
    first = await last(someone.ask(QUESTION))
    await last(someone.click(first.conversation_id, "sense", exchange=1, reading=0, option=0))
    await last(someone.ask("No, DLL means Delay-Locked Loop", first.conversation_id))
    await last(someone.ask("And what is DLL for?", first.conversation_id))
    assert bot.asked[-1][2] == (
        SensePick(term="DLL", extended_name="Delay-Locked Loop", context="Interfaces", kept=True),
    )


async def test_an_option_of_a_question_back_or_a_near_spelling_asks_again_with_it() -> None:
    someone = person()
    first = await last(someone.ask("Which DLL?"))
    await last(someone.click(first.conversation_id, "option", exchange=1, option=1))
    pick = SensePick(term="DLL", extended_name="Dynamic-Link Library", context="Software")
    assert someone.bot.asked[-1] == ("Which DLL?", "", (pick,))
    first = await last(someone.ask("What is the PRL timeout?"))
    view = await last(someone.click(first.conversation_id, "suggestion", exchange=1, reading=0, option=1))
    assert someone.bot.asked[-1][0] == "What is the DLL timeout?"
    assert "PRL written as DLL" in text_of(view.live)


async def test_the_manager_is_asked_for_an_unknown_term_once() -> None:
    bot = ScriptedBot()
    records = Records(bot)
    someone = person(bot, records)
    first = await last(someone.ask("What is the PRL timeout?"))
    view = await someone.say(first.conversation_id, "want", {"note": "A radio thing."}, exchange=1, reading=0)
    assert records.wanted == [("PRL", "A radio thing.")]
    assert "Ada was told that you want PRL explained." in text_of(view.live)
    assert not assert_harmless(view.live).select("[data-action=want]")


async def test_further_questions_are_offered_and_asked_by_a_click() -> None:
    someone = person()
    first = await last(someone.ask(QUESTION))
    offered = [each.get_text() for each in assert_harmless(first.live).select("[data-action=follow]")]
    assert offered == ["What does VPP stand for?", "What is VPP on DDR4?", "What is the row cycle time?"]
    view = await last(someone.click(first.conversation_id, "follow", exchange=1, option=1))
    assert someone.bot.asked[-1][0] == offered[1]
    assert not assert_harmless((await last(someone.show(view.conversation_id))).past or "").select(
        "[data-action=follow]"
    )


async def test_a_citation_opens_its_page_with_its_sentences_marked() -> None:
    bot = ScriptedBot()
    records = Records(bot)
    someone = person(bot, records)
    view = await last(someone.ask(QUESTION))
    panel = assert_harmless(await someone.open(view.conversation_id, exchange=1, number=1))
    assert panel.select_one("mark").get_text() == "The DLL needs 512 clock cycles to lock."  # type: ignore[union-attr]
    assert panel.select_one(".sheet img")["src"] == "/api/documents/d1/pages/8/picture"  # type: ignore[index]
    assert panel.select_one(".highlight")["style"].startswith("left:12.00%;top:15.00%")  # type: ignore[index, union-attr]
    assert panel.select_one("a.open-document")["href"] == "/api/documents/d1/file#page=8"  # type: ignore[index]
    assert "Source 1 of 2" in panel.get_text()
    assert [each.has_attr("disabled") for each in panel.select(".go")] == [True, False]
    records.pictured = False
    panel = assert_harmless(await someone.open(view.conversation_id, exchange=1, number=1))
    assert "There is no picture of this page." in panel.get_text()
    assert panel.select("mark")


async def test_a_quotation_that_may_not_answer_opens_and_a_missing_document_is_reported_below_it() -> None:
    records = Records(ScriptedBot())
    someone = person(records=records)
    shown = await last(someone.ask("Where is the parking?"))
    closest = assert_harmless(shown.live).select_one(".closest")
    assert closest is not None
    assert [each.get_text() for each in closest.select("blockquote")] == ["Bicycles stand in the yard."]
    assert "House rules" in closest.get_text()
    assert "parking permit" in closest.get_text()
    panel = assert_harmless(await someone.open(shown.conversation_id, exchange=1, number=1))
    assert panel.select_one(".sheet img")["src"] == "/api/documents/d2/pages/1/picture"  # type: ignore[index]
    assert "Report a missing document" in text_of(shown.live)
    shown = await someone.say(shown.conversation_id, "missing", {"text": "the site map"}, exchange=1)
    (feedback,) = records.feedback.values()
    assert (feedback.verdict, feedback.reason, feedback.text) == ("down", "should_have_answered", "the site map")
    assert "Report a missing document" not in text_of(shown.live)
    assert "Thank you" in text_of(shown.live)


async def test_a_button_that_is_not_there_asks_nothing(subtests: pytest.Subtests) -> None:
    bot = ScriptedBot()
    someone = person(bot)
    view = await last(someone.ask(QUESTION))
    buttons: list[tuple[str, dict[str, object]]] = [
        ("", {}),
        ("sense", {"exchange": 9, "reading": 0, "option": 0}),
        ("sense", {"exchange": 1, "reading": -1, "option": 0}),
        ("sense", {"exchange": 1, "reading": 0, "option": 7}),
        ("suggestion", {"exchange": 1, "reading": 0, "option": 0}),
        ("follow", {"exchange": 1, "option": 9}),
        ("own", {"exchange": 1, "reading": 0}),
        ("example", {"question": " "}),
        ("<script>", {"exchange": 1, "reading": 0, "option": 0}),
        ("sense", {"exchange": ["1"], "reading": None, "option": {}}),
    ]
    for name, values in buttons:
        with subtests.test(name=name, values=values):
            with pytest.raises(NotFound):
                await last(someone.click(view.conversation_id, name, **values))
            with pytest.raises(NotFound):
                await someone.open(view.conversation_id, name, **{**values, "number": 77})
    assert len(bot.asked) == 1


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
    bot = ScriptedBot(pause_s=30)
    someone = person(bot)
    views = someone.ask(QUESTION)
    first = await anext(views)
    await anext(views)
    async with asyncio.timeout(5):
        while not bot.asked:  # noqa: ASYNC110 - the bot tells nobody
            await asyncio.sleep(0.01)
    stopped = await someone.page.stop(someone.visit(), first.conversation_id)
    assert not stopped.busy
    assert "Stopped" in text_of(stopped.live)
    assert not (await last(views)).busy
    assert bot.cancelled == 1
    again = await last(someone.show(first.conversation_id))
    assert "Stopped" in text_of(again.live)
    bot.pause_s = 0
    asked = await last(someone.click(first.conversation_id, "again", exchange=1))
    assert "Found" in asked.live


async def test_a_new_question_takes_the_place_of_one_under_way() -> None:
    bot = ScriptedBot(pause_s=30)
    someone = person(bot)
    old = someone.ask(QUESTION)
    async for first in old:
        if "Finding the jargon" in first.live:
            break
    bot.pause_s = 0
    new = await last(someone.ask("What is the PRL timeout?", first.conversation_id))
    assert "I do not know PRL" in text_of(new.live)
    assert "Stopped" in text_of((await last(someone.show(new.conversation_id))).past)
    assert [view async for view in old] == []


async def test_a_question_can_be_kept_to_a_collection_that_the_asker_may_read() -> None:
    someone = person()
    await last(someone.page.ask(someone.visit(), "", QUESTION, Chosen(collection="staff")))
    assert someone.bot.groups == [frozenset({"staff"})]
    assert asker_of(Actor(name="Bo", groups=frozenset({"lab"})), collection="staff").groups == frozenset()


async def test_a_question_to_a_collection_is_told_no_answers_out_of_other_documents() -> None:
    bot = ScriptedBot()
    someone = person(bot)
    view = await last(someone.page.ask(someone.visit(), "", QUESTION))
    for collection in ("staff", "staff", ""):
        view = await last(
            someone.page.ask(
                someone.visit(), view.conversation_id, f"{QUESTION} {len(bot.heard)}", Chosen(collection=collection)
            )
        )
    assert [len(each) for each in bot.heard] == [0, 0, 2, 6]


async def test_the_same_question_sent_twice_is_asked_once() -> None:
    bot = ScriptedBot(pause_s=0.2)
    someone = person(bot)
    first_views = someone.ask(QUESTION)
    first = await anext(first_views)
    second, _ = await asyncio.gather(last(someone.ask(f"{QUESTION} ", first.conversation_id)), last(first_views))
    assert "Stopped" not in text_of(second.live)
    assert not second.busy
    assert [question for question, *_ in bot.asked] == [QUESTION]


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
    bot = ScriptedBot()
    records = Records(bot)
    services = build_services(bot, records)
    before = Person(services)
    view = await last(before.ask(QUESTION))
    await last(before.ask("What is the PRL timeout?", view.conversation_id))
    after = Person(services)
    view = await last(after.show(view.conversation_id))
    past = assert_harmless(view.past or "")
    assert "Interpreted DLL as Delay-Locked Loop" in past.get_text(" ", strip=True)
    assert past.select(".answer .weak")
    assert "Found" in past.get_text()
    assert "I do not know PRL" in text_of(view.live)
    panel = await after.open(view.conversation_id, exchange=1, number=2)
    assert "512 clock cycles" in text_of(panel)
    records.withheld["turn-1"] = "forbidden"
    again = await last(Person(services, before.page).show(view.conversation_id))
    assert "you do not have access to a document" in text_of(again.past)
    assert "512 clock" not in again.past  # type: ignore[operator]


async def test_what_is_said_of_an_answer_reaches_the_server_and_can_be_taken_back() -> None:
    bot = ScriptedBot()
    records = Records(bot)
    someone = person(bot, records)
    view = await last(someone.ask(QUESTION))
    down = await someone.say(view.conversation_id, "down", exchange=1)
    assert "What is wrong with it?" in text_of(down.live)
    fields = {"reason": "outdated", "text": "It is 256 now."}
    answered = await someone.say(view.conversation_id, "why", fields, exchange=1)
    feedback = records.feedback["turn-1"]
    assert (feedback.verdict, feedback.reason, feedback.text) == ("down", "outdated", "It is 256 now.")
    assert "Thank you" in text_of(answered.live)
    await someone.say(view.conversation_id, "why", {"reason": "<script>"}, exchange=1)
    assert records.feedback["turn-1"].reason == ""
    await someone.say(view.conversation_id, "unsay", exchange=1)
    assert records.feedback == {}


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
    services, guard, page = build_services(ScriptedBot()), IdentityGuard([KeyRecogniser(keys)]), ChatPage()
    names = (keys.create(name, scopes=["ask"], groups=None)[0] for name in ("ada", "bob"))
    ada, bob = (Person(services, page, key=key, guard=guard) for key in names)
    view = await last(ada.ask(QUESTION))
    assert "512 clock" in (await last(ada.show(view.conversation_id))).live
    for stranger in (bob, Person(services, key=bob.headers["authorization"].removeprefix("Bearer "), guard=guard)):
        assert "512 clock" not in (await last(stranger.show(view.conversation_id))).live
        with pytest.raises(NotFound):
            await stranger.open(view.conversation_id, exchange=1, number=1)
    with pytest.raises(Unauthenticated):
        await last(Person(services, page, guard=guard).show(view.conversation_id))
    engine.dispose()


async def test_who_may_not_ask_is_refused() -> None:
    reviewer = Actor(name="Bo", scopes=frozenset({"manage"}))
    with pytest.raises(Forbidden):
        await last(ChatPage().ask(visit_of(build_services(ScriptedBot()), reviewer), "", QUESTION))


async def test_a_conversation_that_was_deleted_elsewhere_is_not_shown_again() -> None:
    someone = person()
    view = await last(someone.ask(QUESTION))
    await last(someone.show(view.conversation_id))
    someone.bot.kept.clear()
    (conversation,) = someone.page._recent._kept.values()
    conversation.exchanges[0].ended_at -= 60
    assert "512 clock" not in (await last(someone.show(view.conversation_id))).live
