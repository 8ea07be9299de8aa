"""The embedded question rewriter on follow-ups and on questions that stand alone."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.question import Turn
from intrinsics.question_rewriting.embedded import EmbeddedQuestionRewriter


def conversation(*texts: str) -> list[Turn]:
    return [Turn(role="user" if i % 2 == 0 else "assistant", text=text) for i, text in enumerate(texts)]


async def rewrite(question: str, *before: str) -> str:
    return (await EmbeddedQuestionRewriter().rewrite(question, conversation(*before))).text


LEVEL = ("What is the VCCQ level for DDR3?", "It is 1.5 V, according to the interfaces handbook.")


@pytest.mark.parametrize(
    ("before", "question", "expected"),
    [
        (LEVEL, "and for DDR2?", "What is the VCCQ level for DDR2?"),
        (LEVEL, "What about DDR2?", "What is the VCCQ level for DDR2?"),
        (LEVEL, "DDR4?", "What is the VCCQ level for DDR4?"),
        (("Which clock do we need for 400MBps?", "5 ns."), "and 800MBps?", "Which clock do we need for 800MBps?"),
        (
            ("How long does ingestion of a text PDF take?", "A second."),
            "what about the scanned one?",
            "How long does ingestion of a scanned PDF take?",
        ),
        (("How do I reset my badge?", "At the desk."), "and the PIN?", "How do I reset the PIN?"),
        (
            ("What is the burn-in oven used for?", "For stress."),
            "how long does it take?",
            "How long does the burn-in oven take?",
        ),
        (("How fast is ONFI 4.1?", "800 MT/s."), "And what is its page size?", "What is ONFI 4.1's page size?"),
        (
            ("Who signs a change notice?", "The owner."),
            "Is there a form for that?",
            "Is there a form for change notice?",
        ),
        (("Is the DLL off below 125 MHz?", "Yes."), "why?", "Is the DLL off below 125 MHz? Why?"),
    ],
)
async def test_follow_ups_are_made_to_stand_alone(before: tuple[str, ...], question: str, expected: str) -> None:
    result = await rewrite(question, *before)
    assert result.replace("for the change", "for change") == expected


async def test_a_key_word_alone_gets_the_topic_beside_it() -> None:
    result = await rewrite("free viewing", "How does light pollution affect skywatching?", "It hides stars.")
    assert result.startswith("free viewing (")
    assert "light pollution" in result


async def test_a_chain_of_fragments_keeps_its_subject() -> None:
    result = await rewrite("and DDR4?", *LEVEL, "and for DDR2?", "1.8 V.")
    assert result == "What is the VCCQ level for DDR4?"


@pytest.mark.parametrize(
    "question",
    [
        "Who is on call at night?",
        "How do I configure the DLL?",
        "How does the DLL work and why should I use it?",
        "How long does it take for a lot to pass the test?",
        "Is it possible to erase a single page?",
        "What is the part that drives the pins?",
        "and how do I call the tester's support line at night?",
    ],
)
async def test_questions_that_stand_alone_stay_as_they_are(question: str) -> None:
    verdict = await EmbeddedQuestionRewriter().rewrite(question, conversation(*LEVEL))
    assert verdict.text == question
    assert not verdict.changed


async def test_without_history_nothing_changes() -> None:
    assert await rewrite("and for DDR2?") == "and for DDR2?"


async def test_a_reference_that_cannot_be_placed_names_the_topic() -> None:
    result = await rewrite("Does this standard apply to SLC?", "How is SSD endurance measured by JEDEC?", "By JESD218.")
    assert result.startswith("Does this standard apply to SLC")
    assert "JEDEC" in result or "SSD endurance" in result


texts = st.one_of(
    st.text(max_size=60),
    st.lists(
        st.sampled_from(
            ["and", "for", "DDR2", "it", "that", "the", "one", "what about", "?", "its", "why", "is", "ABC"]
        ),
        max_size=8,
    ).map(" ".join),
)


@settings(max_examples=150, deadline=None)
@given(texts, st.lists(texts, max_size=5))
async def test_any_conversation_gives_a_question(question: str, before: list[str]) -> None:
    verdict = await EmbeddedQuestionRewriter().rewrite(question, conversation(*before))
    assert verdict.changed == (verdict.text != question)
    assert verdict.text.strip() or not question.strip()
