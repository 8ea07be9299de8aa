"""What the chat model is asked for a summary, and what is made of its reply."""

import json

from intrinsics.summarisation.llm import PromptedSummariser
from tools.chat.scripted import ScriptedChatModel

SECTION = "The P-200 pump cools the press. It is greased every 500 hours."
GOOD = json.dumps({"summary": " The P-200 cools. ", "questions": ["What is the P-200?", "What is the P-200?", " "]})


async def test_takes_summary_and_distinct_questions_from_the_reply() -> None:
    summary = await PromptedSummariser(ScriptedChatModel([GOOD])).summarise(SECTION)
    assert (summary.text, summary.questions) == ("The P-200 cools.", ("What is the P-200?",))
    assert summary.provenance.prompt_version


async def test_a_long_section_is_cut() -> None:
    chat = ScriptedChatModel([GOOD])
    await PromptedSummariser(chat).summarise("word " * 50_000)
    assert len(chat.requests[0].messages[-1].content) < 30_000
