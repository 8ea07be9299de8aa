"""The template augmenter: definitions, corrections, limits."""

from contracts.jargon import Reading, Sense
from intrinsics.question_augmentation.template import TemplateQuestionAugmenter
from tests.conformance.reading_cases import make_reading

LOOP = Sense(
    id=1,
    term="DLL",
    extended_name="Delay-Locked Loop",
    context="Interfaces",
    description="Aligns clock and data.",
    notes="On the die.",
)


async def augment(question: str, context: str, *readings: Reading) -> str:
    return (await TemplateQuestionAugmenter().augment(question, context, readings)).text


async def test_writes_question_definition_and_context() -> None:
    question = "When is the DLL off?"
    text = await augment(question, "Interfaces", make_reading(question, "DLL", LOOP))
    assert text == (
        "When is the DLL off?\nDLL means Delay-Locked Loop (Aligns clock and data. On the die).\nContext: Interfaces."
    )
    assert await augment("When is it off?", "") == "When is it off?"
    assert (await TemplateQuestionAugmenter().augment(question, "Interfaces", ())).context == "Interfaces"


async def test_corrects_misspelt_terms() -> None:
    question = "  Is the DLLL or the VCQQ off?"
    core = Sense(id=2, term="VCCQ", extended_name="I/O Supply")
    result = await TemplateQuestionAugmenter().augment(
        question,
        "",
        [make_reading(question, "VCQQ", core, term="VCCQ"), make_reading(question, "DLLL", LOOP, term="DLL")],
    )
    assert result.text.startswith("Is the DLL or the VCCQ off?\n")
    assert result.question == "  Is the DLL or the VCCQ off?"
    assert len(result.readings) == 2


async def test_only_chosen_senses_are_worked_in_and_each_once() -> None:
    question = "DLL, DLL, BE and QZ?"
    first = make_reading(question, "DLL", LOOP)
    unsure = make_reading(question, "BE", None, status="ambiguous")
    result = await TemplateQuestionAugmenter().augment(question, "", [first, first, unsure])
    assert result.text.count("means") == 1
    assert "BE means" not in result.text
    assert all(each.status == "chosen" for each in result.readings)


async def test_long_descriptions_are_cut_to_whole_words() -> None:
    long = Sense(id=3, term="DLL", extended_name="Delay-Locked Loop", description="word " * 500)
    question = "What is the DLL?"
    text = await augment(question, "", make_reading(question, "DLL", long))
    assert len(text) < 300
    assert "wor)" not in text


async def test_what_holds_where_nothing_is_set_is_asked_for_by_the_word_of_the_documents() -> None:
    for question in ("Which port is used if I set none?", "font size when i dont give one", "Is it on out of the box?"):
        assert await augment(question, "") == f"{question} (by default)"
    for question in (
        "What is the default port if I set none?",
        "What if I set the port to 80?",
        "What happens when given two?",
    ):
        assert await augment(question, "") == question
