"""The chatbot: its events, its conversations, what it refuses."""

import asyncio
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from agent.chatbot import Chatbot
from agent.conversations import RecentConversations, derive_conversation_id
from agent.policy import Policy
from agent.wording import UNSUPPORTED_DRAFT
from contracts.answer import AnswerReady, StepFinished, StepStarted, TextDelta, TextReset
from contracts.errors import InvalidInput
from contracts.question import MAX_QUESTION_CHARACTERS, Asker, Turn
from contracts.verdicts import CitationVerdict, FaithfulnessVerdict
from tests.agent.judges import (
    ContainmentCitationFinder,
    ContainmentFaithfulnessJudge,
    ScriptedAnswerabilityJudge,
    ScriptedWriter,
)
from tests.agent.scripted import PASSAGES, ListedConversations, Script, passage

ADA, BOB = Asker(account="key:ada", name="Ada", channel="api"), Asker(account="key:bob")
VPP = "What is VPP on DDR4?"
SAID = "VPP is 2.5 V on DDR4."


async def events_of(script: Script) -> list[Any]:
    return [event async for event in Chatbot(script.services()).stream(VPP)]


def text_in(events: list[Any]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def after_the_reset(events: list[Any]) -> list[Any]:
    return events[next(index for index, event in enumerate(events) if isinstance(event, TextReset)) :]


async def test_events_come_in_order_and_end_with_the_complete_answer() -> None:
    script = Script(writer=ScriptedWriter(["VPP is 2.5 V on DDR4. It never fails."]))
    events = await events_of(script)
    kinds = [type(event) for event in events]
    assert kinds.count(AnswerReady) == 1
    answer = events[-1].answer
    assert answer.text == "VPP is 2.5 V on DDR4 [1]. It never fails *(not supported by the sources)*."
    (citation,) = answer.citations
    assert (citation.document_name, citation.page) == ("bus.pdf", 3)
    assert citation.quote == SAID
    assert [sentence.label for sentence in answer.sentences] == ["faithful", "unfaithful"]
    assert [sentence.citations for sentence in answer.sentences] == [(1,), ()]
    assert answer.answerability == 0.9
    assert answer.certainty == 0.5
    assert answer.augmented_question == "What is VPP on DDR4?\nVPP means Pump Voltage (Opens the word line)."
    assert answer.readings[0].sense is not None
    assert answer.degraded == ()
    assert (answer.refinement.fired, answer.refinement.kept) == (False, "only")
    started = [event.node for event in events if isinstance(event, StepStarted)]
    findings = {event.step.node: event.step.finding for event in events if isinstance(event, StepFinished)}
    assert sorted(started) == sorted(findings) == sorted(step.node for step in answer.steps)
    assert findings["identify_jargon"] == "jargon: VPP"
    assert findings["look_up_jargon"] == "VPP = Pump Voltage"
    assert findings["judge_answerability"] == "answerable 90 %"
    assert findings["find_citations"] == "1 of 2 sentences cited"
    assert text_in(events) == "VPP is 2.5 V on DDR4. It never fails."


async def test_passage_not_shown_to_the_writer_is_not_cited() -> None:
    # Three copies, of which two are shown: only these are cited.
    passages = [passage(f"copy{number}.pdf", number, SAID) for number in (1, 2, 3)]
    writer = ScriptedWriter([SAID], passages_read=2)
    script = Script(passages=passages, writer=writer, policy=Policy(citations_per_sentence=3))
    answer = await Chatbot(script.services()).ask(VPP)
    assert len(writer.briefs[0].passages) == 3
    assert [citation.document_name for citation in answer.citations] == ["copy1.pdf", "copy2.pdf"]


async def test_unsupported_draft_is_replaced_by_a_quotation_with_a_notice() -> None:
    script = Script(writer=ScriptedWriter(["It is 7 V."]), quoting_writer=ScriptedWriter())
    events = await events_of(script)
    assert isinstance(events[-1], AnswerReady)
    answer = events[-1].answer
    assert (answer.outcome, answer.text) == ("answered", "VPP is 2.5 V on DDR4 [1].")
    assert answer.degraded == (f"quote_answer: {UNSUPPORTED_DRAFT}",)
    assert text_in(after_the_reset(events)) == SAID
    # Text that a writer begins again replaces what was streamed.
    script = Script(writer=ScriptedWriter([SAID], said_before="The pump runs at 12 "))
    events = await events_of(script)
    assert text_in(after_the_reset(events)) == SAID


async def test_an_unknown_term_is_named_suggested_and_counted() -> None:
    script = Script()
    answer = await Chatbot(script.services()).ask("Does VPQ or DLK change VPP?", asker=Asker(department="Canteen"))
    assert [reading.mention.text for reading in answer.unknown_terms] == ["VPQ", "DLK"]
    assert "**VPQ** and **DLK**" in answer.text
    assert "did you mean **VPP**?" in answer.text
    assert "did you mean **DLL**" in answer.text
    assert "**VPP**: Pump Voltage" in answer.text
    assert "the knowledge base manager" in answer.text
    asked = ("Does VPQ or DLK change VPP?", "Canteen")
    assert script.dictionary.reported == [("VPQ", *asked), ("DLK", *asked)]


async def test_a_term_that_the_documents_use_only_in_the_plural_is_known() -> None:
    script = Script(passages=(*PASSAGES, passage("shifts.md", 1, "All SDMs earn a point.")))
    answer = await Chatbot(script.services()).ask("Does an SDM or a SDX earn a point?")
    assert [reading.mention.text for reading in answer.unknown_terms] == ["SDX"]


async def test_a_question_without_an_answer_gets_quotations_and_what_is_missing() -> None:
    script = Script(answerability=ScriptedAnswerabilityJudge([0.1]))
    answer = await Chatbot(script.services()).ask("When was VPP on DDR4 launched?")
    assert answer.outcome == "closest_passages"
    assert answer.missing == ("launch date",)
    assert "**launch date**" in answer.text
    assert [each.number for each in answer.closest] == [1, 2, 3]
    first = answer.closest[0]
    assert (first.document_name, first.page) == ("bus.pdf", 3)
    assert first.quote_spans
    assert first.boxes
    assert f"[1] **bus.pdf**, page 3\n\n> {first.quote}" in answer.text
    assert (answer.certainty, answer.sentences, answer.citations) == (None, (), ())
    assert script.writer.briefs == []


async def test_answer_options_go_to_writer_and_search_but_not_to_jargon_steps() -> None:
    script = Script()
    await Chatbot(script.services()).ask("What is VPP on DDR5? a) 1.8 V b) DLL")
    assert script.identifier.asked == ["What is VPP on DDR5?"]
    assert [choice.text for choice in script.writer.briefs[0].choices] == ["1.8 V", "DLL"]
    context, answer = script.searcher.queries
    assert context == ("What is VPP on DDR5?",)
    assert "What is VPP on DDR5? 1.8 V DLL" in answer


async def test_second_search_adds_wordings_and_only_dictionary_uses_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    loop, modules = asyncio.get_running_loop(), set()
    run = loop.run_in_executor

    def run_in_thread(executor: None, call: partial[Any]) -> asyncio.Future[Any]:
        modules.add(call.args[0].__module__.partition(".")[0])
        return run(executor, call)

    monkeypatch.setattr(loop, "run_in_executor", run_in_thread)
    script = Script(answerability=ScriptedAnswerabilityJudge([0.2, 0.8]))
    answer = await Chatbot(script.services()).ask("What is the pump supply?")
    assert answer.outcome == "answered"
    assert script.searcher.queries == [
        ("What is the pump supply?",),  # for its context
        ("What is the pump supply?",),
        ("What is the pump supply?", "supply voltage DDR5"),
    ]
    assert modules == {"jargon_db"}


async def test_citations_and_faithfulness_are_judged_concurrently() -> None:
    both = asyncio.Barrier(2)

    class Finder(ContainmentCitationFinder):
        async def find(self, *asked: Any, **named: Any) -> CitationVerdict:
            await both.wait()
            return await super().find(*asked, **named)

    class Judge(ContainmentFaithfulnessJudge):
        async def judge(self, *asked: Any) -> FaithfulnessVerdict:
            await both.wait()
            return await super().judge(*asked)

    services = replace(Script().services(), citation_finder=Finder(), faithfulness_judge=Judge())
    async with asyncio.timeout(60):
        answer = await Chatbot(services).ask(VPP)
    assert (answer.outcome, answer.certainty) == ("answered", 1.0)


async def test_a_question_that_is_empty_or_too_long_is_refused_at_once_and_control_characters_are_dropped() -> None:
    for question in ("", "   \n", "\x00\x07", "?!", "\u200b"):
        with pytest.raises(InvalidInput) as caught:
            Chatbot(Script().services()).stream(question)
        assert caught.value.field == "question", repr(question)
    with pytest.raises(InvalidInput, match="8001 characters; at most 8000"):
        Chatbot(Script().services()).stream("x" * (MAX_QUESTION_CHARACTERS + 1))
    answer = await Chatbot(Script().services()).ask("What is\x00 V\u200bPP\ud800 on DDR4?\r\n")
    assert (answer.question, answer.outcome) == (VPP, "answered")


async def test_given_history_is_used_but_not_remembered() -> None:
    chatbot = Chatbot(Script().services(), conversations=RecentConversations())
    await chatbot.ask(VPP, conversation_id="one")
    answer = await chatbot.ask("What is VPP on DDR5?", conversation_id="one", history=())
    assert "rewrite_question" not in [step.node for step in answer.steps]
    assert len(await chatbot.history("one")) == 2
    chatbot = Chatbot(Script().services())
    assert (await chatbot.ask(VPP, conversation_id="one")).conversation_id == "one"
    assert await chatbot.history("one") == ()


async def test_closing_the_stream_stops_the_work_and_frees_the_conversation() -> None:
    script = Script(writer=ScriptedWriter(["word " * 200, SAID], pause_s=0.01))
    chatbot = Chatbot(script.services(), conversations=RecentConversations())
    events = chatbot.stream(VPP, conversation_id="one")
    async for event in events:
        if isinstance(event, TextDelta):
            break
    await events.aclose()
    async with asyncio.timeout(20):
        while asyncio.all_tasks() != {asyncio.current_task()}:  # noqa: ASYNC110 - nothing says when a task ends
            await asyncio.sleep(0.01)
    assert script.writer.finished == 0
    assert await chatbot.history("one") == ()
    async with asyncio.timeout(60):
        await chatbot.ask(VPP, conversation_id="one")


async def test_questions_in_one_conversation_wait_for_each_other_and_a_very_long_history_is_cut() -> None:
    script = Script(writer=ScriptedWriter([SAID], pause_s=0.002))
    bot = Chatbot(script.services(), conversations=RecentConversations())
    await asyncio.gather(*(bot.ask(VPP, conversation_id="one") for _ in range(5)))
    assert [turn.role for turn in await bot.history("one")] == ["user", "assistant"] * 5
    # The rewriter sees the text without citation markers.
    assert [turn.text for turn in script.rewriter.histories[0]] == [VPP, SAID]
    history = [Turn(role="user", text="x" * 100_000), Turn(role="assistant", text="y")] * 50
    await bot.ask("And on DDR5?", history=history)
    seen = script.rewriter.histories[-1]
    assert len(seen) == 12
    assert max(len(turn.text) for turn in seen) == 4_000


def chatbot(conversations: ListedConversations) -> Chatbot:
    return Chatbot(Script().services(), conversations=conversations)


async def test_answer_names_its_stored_turn_and_does_not_depend_on_storage() -> None:
    conversations = ListedConversations()
    answer = await chatbot(conversations).ask(VPP, conversation_id="one", asker=ADA)
    (turn,) = conversations.kept
    assert (turn.id, turn.conversation_id, turn.asker, turn.answer) == (answer.turn_id, "one", ADA, answer)
    assert len(turn.id) == 32
    assert answer.conversation_id == "one"
    assert turn.seconds > 0
    for conversations in (ListedConversations(broken=True), ListedConversations(full=True)):
        answer = await chatbot(conversations).ask(VPP, asker=ADA)
        assert (answer.outcome, answer.turn_id) == ("answered", "")


async def test_history_identifies_the_conversation_to_continue() -> None:
    conversations = ListedConversations()
    bot = chatbot(conversations)
    first = await bot.ask(VPP, history=(), asker=ADA)
    # Some clients change white space when they send an answer back.
    reply = "\n" + first.text.replace(" ", "  ") + " "
    turns = [Turn(role="user", text=first.question), Turn(role="assistant", text=reply)]
    second = await bot.ask("And on DDR5?", history=turns, asker=ADA)
    turns += [Turn(role="user", text="And on DDR5?"), Turn(role="assistant", text=second.text)]
    third = await bot.ask("Who says so?", history=turns, asker=ADA)
    foreign = await bot.ask("Who says so?", history=turns, asker=BOB)
    assert first.conversation_id == second.conversation_id == third.conversation_id
    assert foreign.conversation_id != first.conversation_id
    assert len({each.id for each in conversations.kept}) == 4
    # Different parts never give the same id.
    beginnings = [("a", "b", "c"), ("a", "bc", ""), ("ab", "", "c"), ("a", "b", "")]
    assert len({derive_conversation_id(*parts) for parts in beginnings}) == 4


async def test_conversation_id_gives_other_users_no_access() -> None:
    bot = chatbot(ListedConversations())
    await bot.ask(VPP, conversation_id="one", asker=ADA)
    assert len(await bot.history("one", account=ADA.account)) == 2
    assert await bot.history("one", account=BOB.account) == ()
    assert await bot.history("one") == ()
    await bot.ask("When does the cafeteria open?", conversation_id="one", asker=BOB)
    assert len(await bot.history("one", account=ADA.account)) == 2


async def test_memory_keeps_the_most_recently_used_conversations() -> None:
    bot = Chatbot(Script().services(), conversations=RecentConversations(most=2))
    for conversation in ("one", "two", "one", "three"):
        await bot.ask(VPP, conversation_id=conversation, asker=ADA)
    kept = {each: len(await bot.history(each, account=ADA.account)) for each in ("one", "two", "three")}
    assert kept == {"one": 4, "two": 0, "three": 2}
