"""The embedded faithfulness judge: true sentences pass, the same with one thing changed do not."""

import pytest

from contracts.text import Passage
from contracts.verdicts import SentenceFaithfulness
from intrinsics.faithfulness.embedded import EmbeddedFaithfulnessJudge
from tests.conformance.reading_cases import HANDBOOK, make_passage
from tools.embedding.base import Embedder
from tools.language import split_sentences


@pytest.fixture
def judge(minilm: Embedder) -> EmbeddedFaithfulnessJudge:
    return EmbeddedFaithfulnessJudge(minilm)


async def check(
    judge: EmbeddedFaithfulnessJudge, sentence: str, passages: tuple[Passage, ...], question: str = ""
) -> SentenceFaithfulness:
    return (await judge.judge(question, [sentence], passages)).sentences[0]


async def test_every_sentence_of_the_passages_is_faithful(judge: EmbeddedFaithfulnessJudge) -> None:
    sentences = [
        passage.text[span.start : span.end]
        for passage in HANDBOOK
        for span in split_sentences(passage.text)
        if "|" not in passage.text
    ]
    verdicts = (await judge.judge("", [f"{sentence} [1]" for sentence in sentences], HANDBOOK)).sentences
    assert {each.label for each in verdicts} == {"faithful"}


async def test_a_short_sentence_of_the_passages_is_faithful_behind_another(judge: EmbeddedFaithfulnessJudge) -> None:
    passage = make_passage("- remember=N: The last N passwords of each user are kept. The default is 10. 0 keeps none.")
    asked = "How many passwords does pwhistory keep if I set nothing?"
    both = ["The last N passwords of each user are kept.", "The default is 10."]
    assert [each.label for each in (await judge.judge(asked, both, [passage])).sentences] == ["faithful", "faithful"]
    changed = [both[0], "The default is 12."]
    assert (await judge.judge(asked, changed, [passage])).sentences[1].label == "unfaithful"


async def test_what_differs_is_not_faithful_and_is_named(
    subtests: pytest.Subtests, judge: EmbeddedFaithfulnessJudge
) -> None:
    for sentence, label, reason in [
        ("The supply voltage of DDR3 is 1.8 V.", "unfaithful", "1.5 V, not 1.8 V"),
        ("The supply voltage of DDR5 is 1.5 V.", "unfaithful", "DDR5"),
        ("The host must write to a block before it has been erased.", "unfaithful", "opposite"),
        ("The bus is not faster than that of DDR2.", "unfaithful", "opposite"),
        ("The bus is slower than that of DDR2.", "unfaithful", "slower"),
        ("Packages are tested at 85 °C for 48 hours by Micron.", "unfaithful", "Micron"),
        ("The supply voltage of SDRAM is 1.5 V.", "unfaithful", "SDRAM"),
        ("Packages are tested at 85 °C for 72 hours.", "unfaithful", "72"),
        # The number is that of another thing.
        ("The supply voltage of DDR4 is 1.5 V.", "unfaithful partial", ""),
        ("tPROG takes at most 50 µs.", "unfaithful partial", ""),
        ("tR takes at most 10 ms.", "unfaithful partial", ""),
        # Other words for the same.
        ("tPROG takes at most 700 µs.", "faithful", ""),
        ("Up to 16 dies are stacked.", "faithful", ""),
        ("According to the handbook, wafers are cut into dies by a diamond saw.", "faithful", ""),
        ("Yes, DDR4 lowered the supply voltage to 1.2 V.", "faithful", ""),
        *((nothing, "no_claim", "") for nothing in (
            "Sources:", "I hope this helps.", "Is that what you meant?", "[1]", "Yes.", "3 of 9 rows:",
        )),
    ]:  # fmt: skip
        with subtests.test(sentence=sentence):
            verdict = await check(judge, sentence, HANDBOOK)
            assert verdict.label in label.split()
            assert reason in verdict.reason


async def test_a_bare_value_is_read_with_its_question(judge: EmbeddedFaithfulnessJudge) -> None:
    question = "What is the supply voltage of DDR3?"
    assert (await check(judge, "1.5 V", HANDBOOK, question)).label == "faithful"
    assert (await check(judge, "3.3 V", HANDBOOK, question)).label == "unfaithful"


async def test_an_expansion_of_an_abbreviation_in_the_passages_is_no_invented_name(
    judge: EmbeddedFaithfulnessJudge,
) -> None:
    passages = (make_passage("The RAS opens a row of the array."),)
    verdict = await check(judge, "The Row Address Strobe opens a row of the array.", passages)
    assert "No passage mentions" not in verdict.reason


async def test_a_name_in_the_place_of_another_is_found_though_the_passages_have_both(
    judge: EmbeddedFaithfulnessJudge,
) -> None:
    passages = (
        make_passage(
            "The method was proposed by Anna Keller in the first report. A later review came from Tom Brandt."
        ),
    )
    verdict = await check(judge, "The method was proposed by Tom Brandt in the first report.", passages)
    assert verdict.label == "unfaithful"
    assert "Keller" in verdict.reason
    assert (await check(judge, "The method was proposed by Keller in the first report.", passages)).label == "faithful"
