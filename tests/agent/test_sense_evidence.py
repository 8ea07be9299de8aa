"""Evidence for a sense, through the chatbot: the documents that use a term, and what earlier askers chose."""

from agent.chatbot import Chatbot
from contracts.question import SensePick
from tests.agent.scripted import PASSAGES, Script, passage

ASKED = "Does the DLL need many cycles before it is stable?"
GUIDE = passage(
    "design-guide.pdf", 2, "The delay-locked loop (DLL) is stable after many clock cycles: it does need a clock."
)


async def test_a_sense_is_read_by_the_document_that_uses_it() -> None:
    without = await Chatbot(Script().services()).ask(ASKED)
    assert without.outcome == "clarify"
    answer = await Chatbot(Script(passages=(*PASSAGES, GUIDE)).services()).ask(ASKED)
    (reading,) = answer.readings
    assert reading.sense is not None
    assert reading.sense.extended_name == "Delay-Locked Loop"
    assert reading.reason == "because design-guide.pdf uses it so"


async def test_what_one_asker_chose_helps_the_next_with_a_question_like_it() -> None:
    script = Script()
    chatbot = Chatbot(script.services())
    pick = SensePick(term="DLL", extended_name="Dynamic-Link Library", context="Software")
    await chatbot.ask(ASKED, picks=[pick])
    (reading,) = (await chatbot.ask(ASKED)).readings
    assert reading.sense is not None
    assert reading.sense.extended_name == "Dynamic-Link Library"
    assert reading.reason == "because it was chosen for questions like this before"


async def test_passages_about_another_sense_than_the_chosen_one_are_not_read() -> None:
    software = passage("plugins.html", 1, "A dynamic-link library (DLL) needs 32 bits of clock cycles to be stable.")
    script = Script(passages=(*PASSAGES, GUIDE, software))
    chatbot = Chatbot(script.services())
    for name, read, left in (
        ("Delay-Locked Loop", "design-guide.pdf", "plugins.html"),
        ("Dynamic-Link Library", "plugins.html", "design-guide.pdf"),
    ):
        await chatbot.ask(ASKED, picks=[SensePick(term="DLL", extended_name=name)])
        documents = {each.document_name for each in script.writer.briefs[-1].passages}
        assert read in documents
        assert left not in documents
        # Its documents do not tell in which sense it uses the term.
        assert "bus.pdf" in documents
