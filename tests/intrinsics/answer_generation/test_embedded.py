"""What the embedded writer quotes."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.question import Choice
from contracts.text import Passage
from intrinsics.answer_generation.embedded import EmbeddedAnswerWriter
from tests.conformance.reading_cases import PASSAGES, START, make_brief, make_passage, write
from tests.tools.cross_encoder.scripted import OverlapScorer, PreferringScorer
from tools.language import split_choices
from tools.reading.ranking import QuoteRanker

OVERLAP = EmbeddedAnswerWriter(QuoteRanker(OverlapScorer()))
MODES = [f"Mode {number} is for hall {number} and is tested by the night shift." for number in range(1, 16)]


async def _quoted(question: str, answer: str, *passages: Passage) -> str:
    """Write with a scorer that is sure where the answer stands."""
    writer = EmbeddedAnswerWriter(QuoteRanker(PreferringScorer(answer)))
    _, draft = await write(writer, make_brief(question, passages or PASSAGES))
    return draft.text


async def _written(question: str, *passages: Passage) -> str:
    stem, choices = split_choices(question)
    _, draft = await write(OVERLAP, make_brief(stem, passages or PASSAGES, choices=choices))
    return draft.text


async def test_procedure_is_quoted_whole() -> None:
    assert await _quoted("How do I start the pump?", "Switch the mains on", START) == (
        "To start the pump:\n\n1. Open the inlet valve.\n2. Switch the mains on.\n3. Press the green button."
    )


async def test_long_list_is_quoted_whole_if_the_question_asks_for_it() -> None:
    passage = make_passage("The modes are:\n" + "\n".join(f"• {each}" for each in MODES), kind="list")
    whole = "The modes are:\n\n" + "\n".join(f"- {each}" for each in MODES)
    assert await _quoted("Which modes are supported?", "Mode 9", passage) == whole
    part = await _quoted("Who tests mode 9?", "Mode 9", passage)
    assert part.startswith("The modes are:\n\n- ")
    assert "- Mode 9" in part
    assert len(part) < len(whole) / 2
    # The whole list is also quoted if its introduction contains the words of the question.
    items = [f"It met fault number {number} of the table of faults in the hall." for number in range(1, 9)]
    lead = "The pump stops by itself because:\n"
    passage = make_passage(lead + "\n".join(f"• {each}" for each in items), kind="list")
    answer = await _quoted("When does the pump stop by itself?", "fault number 3", passage)
    assert answer.count("\n- ") == len(items)


async def test_introducing_sentence_is_quoted_with_what_follows() -> None:
    ways = "There are three ways to stop the pump. Press the red button. Pull the plug. Otherwise call the night shift."
    filler = " ".join(f"Pump {number} stands in the yard behind hall {number} and hums all day." for number in range(9))
    passage = make_passage(f"{ways}\n\n{filler}")
    assert await _quoted("Can the pump be stopped from outside?", "three ways to stop", passage) == ways
    first = await _quoted("How many ways to stop the pump are there?", "three ways to stop", passage)
    assert first == "There are three ways to stop the pump."


async def test_nested_item_keeps_its_indent_unless_all_are_nested() -> None:
    passage = make_passage("Use these modes:\n* online:\n  * fast\n  * safe\n* offline", kind="list")
    assert await _quoted("Which modes are there?", "fast", passage) == (
        "Use these modes:\n\n- online:\n  - fast\n  - safe\n- offline"
    )
    passage = make_passage("  - Control-X: Delete all.\n    - also twice\n  - Control-K: Delete the rest.")
    assert await _quoted("Which keys delete?", "Control-K", passage) == (
        "- Control-X: Delete all.\n  - also twice\n- Control-K: Delete the rest."
    )
    passage = make_passage("Use these modes:\n\n       * online:\n         * fast\n       * offline", kind="list")
    assert await _quoted("Which modes are there?", "fast", passage) == (
        "Use these modes:\n\n- online:\n  - fast\n- offline"
    )


async def test_item_that_answers_alone_is_quoted_alone() -> None:
    passage = make_passage(
        "- The password lasts 24 hours.\n- Lost badges are reported to the desk within two hours.\n- Lunch is free.",
        kind="list",
    )
    alone = "Lost badges are reported to the desk within two hours."
    assert await _quoted("When are lost badges reported?", "Lost badges", passage) == alone
    # The words of the question stand in two items.
    both = await _quoted("How long does the password of the desk last?", "24 hours", passage)
    assert "- The password" in both
    assert "- Lost badges" in both
    steps = make_passage("- Stop the pump:\n  - Press red.\n  - Wait.\n- Open the hatch.", kind="list")
    assert await _quoted("Who may stop the pump?", "Stop the pump", steps) == (
        "- Stop the pump:\n  - Press red.\n  - Wait."
    )


async def test_fact_is_answered_by_a_sentence_and_description_by_a_paragraph() -> None:
    passage = make_passage("The hall is closed. The fan is sold\nin Oslo. Ask the desk.")
    assert await _quoted("Where is the fan sold?", "Oslo", passage) == "The fan is sold in Oslo."
    paragraph = "The hall is closed. The fan is sold in Oslo. Ask the desk."
    assert await _quoted("Why is the hall closed?", "Oslo", passage) == paragraph


async def test_short_quote_is_shown_whole_if_another_sentence_matches_better() -> None:
    passage = make_passage("The client asks the time servers for the time. Take at least three of them. Start it then.")
    assert await _quoted("How many time servers should the client have?", "three", passage) == passage.text
    passage = make_passage("The maximum width of a line. It is cut there. 78 characters by default.")
    assert await _quoted("How many characters are the maximum width of a line?", "maximum", passage) == passage.text


async def test_short_description_of_a_term_is_quoted_with_its_default() -> None:
    passage = make_passage("--port: The door that the pump listens at for control. Usually the blue one.")
    assert await _quoted("Which door does the pump listen at for control?", "door that", passage) == passage.text


async def test_second_quote_is_shown_if_it_is_nearly_as_likely() -> None:
    north, south = (
        make_passage(f"The {hall} hall pump runs at {volts} V.") for hall, volts in (("north", 48), ("south", 96))
    )
    assert await _written("At which voltage does the pump run?", north, south) == (
        "The north hall pump runs at 48 V.\n\nThe south hall pump runs at 96 V."
    )
    assert await _written("At which voltage does the north hall pump run?", north, south) == (
        "The north hall pump runs at 48 V."
    )


async def test_sentence_that_refers_back_is_quoted_with_the_previous_one() -> None:
    both = "The P-200 was designed by Anna Berg. It was first sold in 1998."
    pump = make_passage(f"{both} The hall is closed.")
    assert await _quoted("When was the P-200 first sold?", "1998", pump) == both
    # Text that continues the same subject follows.
    assert await _quoted("Who designed the P-200?", "Anna Berg", pump) == both
    # It is the first of a later part of a long paragraph.
    first = [f"Valve number {number} is checked by the night shift every week." for number in range(6)]
    second = ["It keeps the log of each of them for the day shift.", *first[1:]]
    passage = make_passage(" ".join([*first, *second]))
    assert await _quoted("Why is there a log?", "keeps the log", passage) == " ".join([first[-1], *second])


async def test_explanation_continues_with_a_nearly_as_likely_neighbouring_quote() -> None:
    passage = make_passage("The pump stops.\n\nThe pump saw no pressure.\n\nThe hall is closed.")
    writer = EmbeddedAnswerWriter(QuoteRanker(PreferringScorer("no pressure", "pump stops")))
    for question, text in (
        ("Why is the pump off?", "The pump stops.\n\nThe pump saw no pressure."),
        ("Who saw no pressure?", "The pump saw no pressure."),
    ):
        _, draft = await write(writer, make_brief(question, (passage,)))
        assert draft.text == text


async def test_table_rows_become_markdown_and_short_name_value_tables_stay_whole() -> None:
    row = "| Model | Voltage | Max flow (l/min) |\n| --- | --- | --- |\n| P-300 | 96 V | 30 |"
    for question in ("What is the voltage of the P-300?", "Who sells the P-300?"):
        assert await _quoted(question, "P-300 | 96 V") == row
    # The row with most words of the question is not the one that answers.
    passage = make_passage("Reader | Type | Note\nOmni | both | sold\nLogo | radio | Only by radio", kind="table")
    rows = "| Reader | Type | Note |\n| --- | --- | --- |\n| Omni | both | sold |\n| Logo | radio | Only by radio |"
    assert await _quoted("Is a reader sold to both?", "Logo | radio", passage) == rows
    passage = make_passage("Name | Value\nVoltage | 48 V\nColour | blue", kind="table")
    whole = "| Name | Value |\n| --- | --- |\n| Voltage | 48 V |\n| Colour | blue |"
    assert await _quoted("Is it sold?", "blue", passage) == whole


async def test_code_is_a_block_below_its_introduction() -> None:
    code = "```\n$ pumpctl log --copy\n$ ls /var/log\n```"
    alone = make_passage("$ pumpctl log --copy\n$ ls /var/log", kind="code")
    assert await _quoted("How can I copy the log?", "pumpctl", alone) == code
    passage = make_passage("Copy the log of the pump\nlike this:\n\n    $ pumpctl log --copy\n    $ ls /var/log")
    announced = f"Copy the log of the pump like this:\n\n{code}"
    assert await _quoted("How can I copy the log?", "pumpctl", passage) == announced
    # An explanation below the code is quoted with it.
    below = "The path may be a different one on your pump."
    explained = make_passage(f"{passage.text}\n\n{below}")
    assert await _quoted("How can I copy the log?", "different one", explained) == f"{announced}\n\n{below}"
    assert await _quoted("Who has a different path?", "different one", explained) == below


async def test_marked_code_is_a_block_also_within_a_step() -> None:
    text = "The check takes a minute.\n\ncrm cluster health\n\nall nodes"
    passage = make_passage(text, code=("crm cluster health\n\nall nodes",))
    assert await _quoted("How do I check the cluster?", "crm cluster", passage) == (
        "The check takes a minute.\n\n```\ncrm cluster health\n\nall nodes\n```"
    )
    steps = make_passage("1. Ask for its health:\n\n  crm cluster health\n\n2. Wait.", code=("  crm cluster health",))
    assert await _quoted("How do I check the cluster?", "crm cluster", steps) == (
        "1. Ask for its health:\n  ```\n  crm cluster health\n  ```\n2. Wait."
    )
    # Code between steps stays in its step.
    steps = (
        "Start the pump:\n\n1. Stop the old one:\n\n  pumpctl stop\n  rm -f pump.lock\n\n  Wait for it.\n2. Turn it on."
    )
    assert await _quoted("How do I start the pump?", "Turn it on", make_passage(steps, kind="list")) == (
        "Start the pump:\n\n1. Stop the old one:\n  ```\n  pumpctl stop\n  rm -f pump.lock\n  ```\n"
        "  Wait for it.\n2. Turn it on."
    )


async def test_introduction_or_question_is_shown_above_the_answer() -> None:
    passage = make_passage(
        "To see if a pump runs, type:\n\npumpctl status\n\nWhy is it loud?\n\nIt has no cover. It is old."
    )
    assert await _quoted("How do I see that a pump runs?", "pumpctl", passage) == (
        "To see if a pump runs, type:\n\npumpctl status"
    )
    reason = await _quoted("Why is the pump loud?", "no cover", passage)
    assert reason == "Why is it loud?\n\nIt has no cover. It is old."
    order = make_passage("The pump looks for a file.\n\nThis is the order:\n\n- the yard\n- the mill", kind="list")
    assert await _quoted("Where does the pump look for a file?", "looks for", order) == (
        "The pump looks for a file.\n\nThis is the order:\n\n- the yard\n- the mill"
    )
    asked = make_passage("The hall is closed. Where is the pump? In the yard behind the mill. Ask the desk.")
    assert await _quoted("Where is the pump?", "Where is", asked) == "Where is the pump? In the yard behind the mill."


async def test_each_part_of_a_question_gets_a_quote_without_repetition() -> None:
    text = await _written("How often is the bearing greased, and what is the max flow of the P-300?")
    assert text.split("\n\n")[0].endswith("Its bearing is greased every 500 hours.")
    assert text.endswith("| P-300 | 96 V | 30 |")
    passage = make_passage("The bearing is greased every 500 hours.")
    assert await _written("How often is the bearing greased, and when is the bearing greased?", passage) == passage.text


ONE, OTHER = make_passage("The P-200 is a pump for halls."), make_passage("The P-300 cools yards.", number=1)


async def test_comparison_quotes_both_things_or_a_text_that_names_both() -> None:
    for question in ("What is the difference between the P-200 and the P-300?", "P-200 versus P-300?"):
        assert await _written(question, ONE, OTHER) == f"{ONE.text}\n\n{OTHER.text}", question
    both = make_passage("The P-200 is smaller than the P-300.", number=2)
    assert await _written("What is the difference between the P-200 and the P-300?", ONE, OTHER, both) == both.text


async def test_the_right_option_is_named() -> None:
    for question, label in [
        ("At what voltage does the P-300 pump run? a) 48 V b) 12 V c) 96 V", "c)"),
        ("Which of these is NOT a step of starting the pump? a) Open the inlet valve b) Paint the pump", "b)"),
        ("Which statement on starting the pump is false? a) The inlet valve is opened b) The fan is oiled", "b)"),
        ("True or false: The P-300 pump runs at 96 V. a) True b) False", "a)"),
        ("True or false: The pump runs without mains. a) True b) False", "b)"),
        (
            "Which of these is a step of starting the pump? a) Open the inlet valve b) Press the green button "
            "c) All of the above",
            "c)",
        ),
        ("What colour is the moon of Jupiter? a) purple b) silver c) None of the above", "c)"),
    ]:
        assert (await _written(question)).startswith(label), question
    # The option is followed by the quote that supports it.
    text = await _written("How often is the bearing greased? a) every 100 hours b) every 500 hours")
    assert text.startswith("b) every 500 hours\n\n")
    assert text.endswith("Its bearing is greased every 500 hours.")


_VOCABULARY = "the pump P-200 P-300 runs at 48 V 96 V 12 not | - : . ? what is how many why DPS (DPS) 500 a) b)"
_WORDS = st.sampled_from([*_VOCABULARY.split(), "\n"])
_TEXTS = st.lists(_WORDS, max_size=40).map(" ".join) | st.text(max_size=80)


@settings(max_examples=60, deadline=None)
@given(_TEXTS, st.lists(_TEXTS, max_size=3), st.booleans())
async def test_answer_contains_only_text_of_the_passages(question: str, texts: list[str], choosing: bool) -> None:
    passages = [make_passage(text, number=number) for number, text in enumerate(texts)]
    choices = (Choice(label="a", text="48 V"), Choice(label="b", text="not at all")) if choosing else ()
    pieces, draft = await write(OVERLAP, make_brief(question, passages, choices=choices))
    assert "".join(pieces) == draft.text
    assert draft.text.strip()
    if "do not contain an answer" not in draft.text:
        counted = re.sub(r"^\d+ of \d+ rows:$", "", draft.text, flags=re.MULTILINE)
        held = " ".join([*texts, *(f"{each.label}) {each.text}" for each in choices)])
        assert set(re.findall(r"\w+", counted)) <= set(re.findall(r"\w+", held))
