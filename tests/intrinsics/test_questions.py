"""What is made of a question: it is rewritten, augmented, and put in other words."""

from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.jargon import Reading, Sense
from contracts.question import AugmentedQuestion, Turn
from intrinsics.query_expansion.embedded import EmbeddedQueryExpander
from intrinsics.question_augmentation.template import TemplateQuestionAugmenter
from intrinsics.question_rewriting.embedded import EmbeddedQuestionRewriter
from tests.conformance.reading_cases import ask, make_reading


def conversation(*TEXTS: str) -> list[Turn]:
    return [Turn(role="user" if i % 2 == 0 else "assistant", text=text) for i, text in enumerate(TEXTS)]


async def rewrite(question: str, *before: str) -> str:
    return (await EmbeddedQuestionRewriter().rewrite(question, conversation(*before))).text


LEVEL = ("What is the VCCQ level for DDR3?", "It is 1.5 V, according to the interfaces handbook.")
SSDS = ("What is the endurance of the consumer SSDs?", "They are rated for 600 TBW.")
MODES = ("Which power modes does the X200 controller have?", "It has three: active, standby and sleep.")
UPDATE = ("How do I install the firmware update on Linux?", "Run the updater as root and reboot.")
LEAVE = ("How many vacation days do full-time employees get?", "They get 28 days a year.")
FORM = ("How do I apply for parental leave?", "Fill in the form and hand it to your manager.")
LED = ("What does the red LED on the mainboard mean?", "The memory test failed.")
PAYLOAD = ("What is the largest payload in version 1 of the protocol?", "512 bytes.")
CODES = ("Which exit codes does the packer have?", "0 and 3.")


async def test_follow_ups_become_standalone_questions() -> None:
    for before, question, expected in [
        # The new phrase replaces the one it resembles: another name, one with a common word, or the same kind of
        # phrase.
        (LEVEL, "and for DDR2?", "What is the VCCQ level for DDR2?"),
        (LEVEL, "DDR4?", "What is the VCCQ level for DDR4?"),
        ((*SSDS * 6, *LEVEL), "DDR4?", "What is the VCCQ level for DDR4?"),
        (LEVEL, "is it the same for DDR2?", "What is the VCCQ level for DDR2?"),
        ((*LEVEL, "and for DDR2?", "1.8 V."), "and DDR4?", "What is the VCCQ level for DDR4?"),
        (("Which clock do we need for 400MBps?", "5 ns."), "and 800MBps?", "Which clock do we need for 800MBps?"),
        (SSDS, "and the enterprise ones?", "What is the endurance of the enterprise SSDs?"),
        (SSDS, "what about the warranty?", "What is the warranty of the consumer SSDs?"),
        (LEAVE, "what about interns?", "How many vacation days do interns get?"),
        (UPDATE, "what about on Windows?", "How do I install the firmware update on Windows?"),
        (PAYLOAD, "and for version 2?", "What is the largest payload in version 2 of the protocol?"),
        # A circumstance that replaces nothing is added.
        (UPDATE, "and without root?", "How do I install the firmware update on Linux without root?"),
        (LED, "and when it blinks?", "What does the red LED on the mainboard mean when it blinks?"),
        # A question that names hardly anything gets the topic.
        (CODES, "and what is the limit?", "and what is the limit (exit codes, packer)?"),
        # A question without content words is attached to the whole previous question.
        (("Is the DLL off below 125 MHz?", "Yes."), "why?", "Why is the DLL off below 125 MHz?"),
        (LEAVE, "since when?", "How many vacation days do full-time employees get? Since when?"),
        # Pronouns are replaced by the thing with its distinguishing words, by its owner, or by a person.
        (SSDS, "how is it measured?", "How is the endurance of the consumer SSDs measured?"),
        (MODES, "How do I switch between them?", "How do I switch between power modes?"),
        (("How fast is ONFI 4.1?", "800 MT/s."), "And what is its page size?", "What is ONFI 4.1's page size?"),
        (UPDATE, "how do I undo it?", "How do I undo the firmware update on Linux?"),
        (FORM, "what documents do I need for this?", "What documents do I need for parental leave?"),
        (UPDATE, "how long does that take?", "How long does the firmware update on Linux take?"),
        (("Who is the founder?", "Maria Keller is."), "when did she retire?", "When did Maria Keller retire?"),
        # A reference or a missing subject gets the topic.
        (MODES, "which one is the fastest?", "which one is the fastest (power modes, X200 controller)?"),
        (LEVEL, "it is the same as for LPDDR3, right?", "The VCCQ level for DDR3 is the same as for LPDDR3, right?"),
        (FORM, "does this process take long?", "does this process take long (parental leave)?"),
    ]:
        assert await rewrite(question, *before) == expected


async def test_standalone_questions_stay_unchanged() -> None:
    for question in [
        "How do I configure the DLL?",
        "How does the DLL work and why should I use it?",
        "How long does it take for a lot to pass the test?",
        "Is it possible to erase a single page?",
        "What is the part that drives the pins?",
        "What is the number of the fan that fits the R20?",
        "What is the price of the enterprise SSDs?",
        "and how do I call the tester's support line at night?",
        "thanks!",
    ]:
        verdict = await EmbeddedQuestionRewriter().rewrite(question, conversation(*LEVEL))
        assert (verdict.text, verdict.changed) == (question, False)
    assert await rewrite("and for DDR2?") == "and for DDR2?"


WORDS = st.sampled_from(["and", "for", "DDR2", "it", "that", "the", "one", "what about", "?", "its", "why", "is"])
TEXTS = st.text(max_size=60) | st.lists(WORDS, max_size=8).map(" ".join)


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.lists(TEXTS, max_size=5))
async def test_any_conversation_gives_a_question(question: str, before: list[str]) -> None:
    verdict = await EmbeddedQuestionRewriter().rewrite(question, conversation(*before))
    assert verdict.changed == (verdict.text != question)
    assert verdict.text.strip() or not question.strip()


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


async def test_augmentation_adds_definition_and_context() -> None:
    question = "When is the DLL off?"
    text = await augment(question, "Interfaces", make_reading(question, "DLL", LOOP))
    assert text == (
        "When is the DLL off?\nDLL means Delay-Locked Loop (Aligns clock and data. On the die).\nContext: Interfaces."
    )
    assert await augment("When is it off?", "") == "When is it off?"
    assert (await TemplateQuestionAugmenter().augment(question, "Interfaces", ())).context == "Interfaces"
    # Long descriptions are cut to whole words.
    long = make_reading(question, "DLL", LOOP.model_copy(update={"description": "word " * 500}))
    text = await augment(question, "", long)
    assert len(text) < 300
    assert "wor)" not in text


async def test_augmentation_corrects_misspelt_terms() -> None:
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
    # Only chosen senses are added, once each.
    question = "DLL, DLL, BE and QZ?"
    first = make_reading(question, "DLL", LOOP)
    unsure = make_reading(question, "BE", None, status="ambiguous")
    result = await TemplateQuestionAugmenter().augment(question, "", [first, first, unsure])
    assert result.text.count("means") == 1
    assert "BE means" not in result.text
    assert all(each.status == "chosen" for each in result.readings)


async def test_question_about_unset_values_gets_the_words_by_default() -> None:
    for question in ("Which port is used if I set none?", "font size when i dont give one", "Is it on out of the box?"):
        assert await augment(question, "") == f"{question} (by default)"
    for question in (
        "What is the default port if I set none?",
        "What if I set the port to 80?",
        "What happens when given two?",
    ):
        assert await augment(question, "") == question


async def expand(question: AugmentedQuestion) -> tuple[str, ...]:
    return (await EmbeddedQueryExpander().expand(question)).variants


async def test_expansion_spells_out_abbreviations() -> None:
    question = "When is the DLL switched off?"
    variants = await expand(ask(question, make_reading(question, "DLL", LOOP)))
    assert variants[0] == "When is the Delay-Locked Loop switched off?"
    assert question not in variants
    # Question words are dropped.
    variants = await expand(ask("Could you please tell me which oven is used for burn-in?"))
    assert any("oven" in variant and "please" not in variant and "Could" not in variant for variant in variants)
