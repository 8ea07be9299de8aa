"""What an answer sentence is linked to, whether it is faithful, and how certain the answer is."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.errors import MalformedReply
from contracts.text import Passage
from contracts.verdicts import FaithfulnessLabel, SentenceFaithfulness
from intrinsics.certainty.base import AnswerEvidence
from intrinsics.certainty.embedded import EmbeddedCertaintyEstimator
from intrinsics.certainty.llm import PromptedCertaintyEstimator
from intrinsics.citation.embedded import EmbeddedCitationFinder
from intrinsics.faithfulness.embedded import EmbeddedFaithfulnessJudge
from tests.conformance.reading_cases import HANDBOOK, LIMITS, PASSAGES, PUMP, make_evidence, make_passage
from tests.hashing_embedder import HashingEmbedder
from tests.intrinsics.replies import labelled
from tests.scripted_chat import ScriptedChatModel
from tools.chat.base import ChatReply
from tools.embedding.base import Embedder
from tools.language import split_sentences

FINDER = EmbeddedCitationFinder(HashingEmbedder())


async def test_sentence_is_linked_to_the_sentences_that_support_it() -> None:
    numbers = make_passage("The P-200 pump runs at 48 V indoors. The P-200 pump runs at 60 V indoors.")
    # A number in the name of a part is not a value.
    text = "Parameter | Max | Unit | Part\nErase time | 15 | ms | part HM-3\nErase time | 3 | ms | part HM-1"
    rows = make_passage(text, kind="table")
    care = make_passage("The bearing is greased every 500 hours. Pumps are painted blue. Filters are replaced yearly.")
    for sentence, passage, sentences in [
        # A row is cited with its header.
        ("Max flow of P-300: 30 l/min.", LIMITS, (0, 2)),
        ("Erase time, Max: 3 ms.", rows, (0, 2)),
        ("The P-200 pump is run at 60 V indoors.", numbers, (1,)),
        ("The bearing is greased every 500 hours and filters are replaced yearly.", care, (0, 2)),
        # Text around a sentence does not matter.
        ("Yes: The P-300 pump runs at 96 V.", PUMP, (2,)),
        ("The P-300 pump runs at 96 V. [1]", PUMP, (2,)),
        ("- The P-300 pump runs at 96 V.", PUMP, (2,)),
        # A sentence without a claim gets no link.
        ("Yes.", PUMP, ()),
        ("The documents do not contain the answer.", PUMP, ()),
        ("Which pump do you mean?", PUMP, ()),
        ("Sorry, the pump is unknown.", PUMP, ()),
    ]:
        links = (await FINDER.find([sentence], [passage])).links
        assert [link.passage_sentences for link in links] == ([sentences] if sentences else []), sentence


async def test_evidence_in_two_passages_makes_two_links_best_first() -> None:
    first = make_passage("Filters of the intake are replaced yearly by the service crew.")
    second = make_passage("The bearing is greased every 500 hours.", number=1)
    sentence = "The bearing is greased every 500 hours, filters replaced yearly."
    verdict = await FINDER.find([sentence], [first, second])
    assert {link.passage for link in verdict.links} == {0, 1}
    assert [link.score for link in verdict.links] == sorted((link.score for link in verdict.links), reverse=True)


async def test_link_score_reflects_the_shared_words() -> None:
    exact, loose = "The P-200 pump runs at 48 V from the mains.", "A P-200 pump might run at about 48 V."
    links = (await FINDER.find([exact, loose], PASSAGES)).links
    assert links[0].score == 1.0 > links[-1].score


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(max_size=120), max_size=3), st.lists(st.text(max_size=200), max_size=3))
async def test_any_input_gives_valid_links(sentences: list[str], texts: list[str]) -> None:
    passages = [make_passage(text, number=number) for number, text in enumerate(texts)]
    for link in (await FINDER.find(sentences, passages)).links:
        assert 0 <= link.sentence < len(sentences)
        assert all(passages[link.passage].sentence(index) for index in link.passage_sentences)
        assert 0.0 <= link.score <= 1.0


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


async def test_short_sentence_of_a_passage_is_faithful_after_another(judge: EmbeddedFaithfulnessJudge) -> None:
    passage = make_passage("- remember=N: The last N passwords of each user are kept. The default is 10. 0 keeps none.")
    asked = "How many passwords does pwhistory keep if I set nothing?"
    both = ["The last N passwords of each user are kept.", "The default is 10."]
    assert [each.label for each in (await judge.judge(asked, both, [passage])).sentences] == ["faithful", "faithful"]
    changed = [both[0], "The default is 12."]
    assert (await judge.judge(asked, changed, [passage])).sentences[1].label == "unfaithful"


async def test_differences_make_a_sentence_unfaithful_and_are_named(judge: EmbeddedFaithfulnessJudge) -> None:
    for sentence, label, reason in [
        ("The supply voltage of DDR3 is 1.8 V.", "unfaithful", "1.5 V, not 1.8 V"),
        ("The supply voltage of DDR5 is 1.5 V.", "unfaithful", "DDR5"),
        ("The host must write to a block before it has been erased.", "unfaithful", "opposite"),
        ("The bus is not faster than that of DDR2.", "unfaithful", "opposite"),
        ("The bus is slower than that of DDR2.", "unfaithful", "slower"),
        ("Packages are tested at 85 °C for 48 hours by Micron.", "unfaithful", "Micron"),
        ("The supply voltage of SDRAM is 1.5 V.", "unfaithful", "SDRAM"),
        ("Packages are tested at 85 °C for 72 hours.", "unfaithful", "72"),
        # The number belongs to something else.
        ("The supply voltage of DDR4 is 1.5 V.", "unfaithful partial", ""),
        ("tPROG takes at most 50 µs.", "unfaithful partial", ""),
        ("tR takes at most 10 ms.", "unfaithful partial", ""),
        # The same in other words.
        ("tPROG takes at most 700 µs.", "faithful", ""),
        ("Up to 16 dies are stacked.", "faithful", ""),
        ("According to the handbook, wafers are cut into dies by a diamond saw.", "faithful", ""),
        ("Yes, DDR4 lowered the supply voltage to 1.2 V.", "faithful", ""),
        *((nothing, "no_claim", "") for nothing in (
            "Sources:", "I hope this helps.", "Is that what you meant?", "[1]", "Yes.", "3 of 9 rows:",
        )),
    ]:  # fmt: skip
        verdict = await check(judge, sentence, HANDBOOK)
        assert verdict.label in label.split(), sentence
        assert reason in verdict.reason
    # A bare value is read with its question.
    question = "What is the supply voltage of DDR3?"
    assert (await check(judge, "1.5 V", HANDBOOK, question)).label == "faithful"
    assert (await check(judge, "3.3 V", HANDBOOK, question)).label == "unfaithful"


async def test_spelt_out_abbreviation_is_accepted(judge: EmbeddedFaithfulnessJudge) -> None:
    row = (make_passage("The RAS opens a row of the array."),)
    verdict = await check(judge, "The Row Address Strobe opens a row of the array.", row)
    assert "No passage mentions" not in verdict.reason


def certainty(answerability: float, faithfulness: float) -> float:
    evidence = make_evidence("A.", ("faithful", faithfulness), ("faithful", 0.5), answerability=answerability)
    return asyncio.run(EmbeddedCertaintyEstimator().estimate(evidence)).probability


unit = st.floats(0, 1)


@settings(max_examples=80, deadline=None)
@given(unit, unit, unit)
def test_certainty_is_in_tenths_and_rises_with_better_evidence(one: float, other: float, rest: float) -> None:
    low, high = sorted((one, other))
    assert certainty(low, rest) <= certainty(high, rest)
    assert certainty(rest, low) <= (found := certainty(rest, high))
    assert round(found * 10) == found * 10


def known(*sentences: tuple[FaithfulnessLabel, float]) -> AnswerEvidence:
    """Make the evidence of an answer, with one faithful sentence where no verdicts are given."""
    return make_evidence("The P-200 pump runs at 48 V.", *(sentences or (("faithful", 0.97),)))


async def estimate(*replies: str | ChatReply, evidence: AnswerEvidence | None = None) -> float:
    chat = ScriptedChatModel(replies)
    return (await PromptedCertaintyEstimator(chat).estimate(evidence or known())).probability


async def test_the_probability_of_yes_is_rounded_to_a_tenth() -> None:
    for shares, expected in [
        ({"yes": 1.0}, 0.9),
        ({"no": 1.0}, 0.0),
        ({"yes": 0.72, "no": 0.28}, 0.7),
        # Tokens that are neither word do not count: 0.6 of 0.75
        ({"yes": 0.6, "no": 0.15, "perhaps": 0.2}, 0.8),
    ]:
        assert await estimate(labelled(next(iter(shares)), **shares)) == expected
    # Without log-probabilities, the word decides.
    assert (await estimate("Yes."), await estimate("no")) == (0.8, 0.2)
    with pytest.raises(MalformedReply):
        await estimate("Very.")


async def test_an_answer_without_a_faithful_sentence_is_bounded_by_the_other_judgements() -> None:
    for label, probability in (("unfaithful", 0.05), ("partial", 0.4), ("no_claim", 1.0)):
        evidence = known((label, probability))
        bound = (await EmbeddedCertaintyEstimator().estimate(evidence)).probability
        assert bound < 0.9
        assert await estimate(labelled("yes", yes=1.0), evidence=evidence) == bound
        assert await estimate(labelled("no", no=1.0), evidence=evidence) == 0.0
    assert await estimate(labelled("yes", yes=1.0), evidence=known(("unfaithful", 0.05), ("faithful", 0.9))) == 0.9
