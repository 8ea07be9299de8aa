"""Quotes ranked by how likely they answer."""

from dataclasses import replace

import numpy as np

from contracts.jargon import Mention, Reading, Sense
from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion
from contracts.text import Span
from tests.conformance.reading_cases import PASSAGES, START, make_passage
from tests.tools.cross_encoder.scripted import OverlapScorer, PreferringScorer
from tools.reading.ranking import FEATURE_NAMES, QuoteRanker, place_of, stored_weights


async def test_likeliest_answer_comes_first_with_its_span() -> None:
    assert stored_weights()[0][0] > 0, "the cross-encoder decides"
    for answer in ("every 500 hours", "P-300 | 96 V | 30", "Switch the mains on"):
        ranked = await QuoteRanker(PreferringScorer(answer)).rank("What of the pump?", PASSAGES)
        assert PASSAGES[ranked[0].passage].text[ranked[0].key.start : ranked[0].key.end] == answer
        assert [each.score for each in ranked] == sorted((each.score for each in ranked), reverse=True)
        assert all(len(each.features) == len(FEATURE_NAMES) for each in ranked)
        assert {each.passage for each in ranked} == {0, 1, 2}


async def test_quote_is_scored_with_its_introduction_and_headings() -> None:
    scorer = PreferringScorer()
    await QuoteRanker(scorer).rank("How do I start it?", (START,))
    ((question, text),) = scorer.asked
    assert (question, text.place) == ("How do I start it?", "Handbook > Pumps > Starting")
    assert text.text == START.text
    # Long headings keep their end.
    place = place_of(make_passage("x", heading=("A" * 200, "Pumps")))
    assert place.endswith("AAA > Pumps")
    assert len(place) == 160


async def test_question_is_scored_with_its_terms_spelt_out() -> None:
    sense = Sense(id=1, term="PLR", extended_name="Power Loss Recovery")
    reading = Reading(mention=Mention(text="PLR", span=Span(14, 17), term="PLR"), status="chosen", sense=sense)
    made = Provenance(implementation="test")
    question = AugmentedQuestion(question="How long does PLR take?", text="", provenance=made, readings=(reading,))
    scorer = PreferringScorer()
    passage = make_passage("Power loss recovery takes 900 ms. Priming takes 20 s.")
    (ranked,) = await QuoteRanker(scorer).rank(question, (passage,))
    assert scorer.asked[0][0] == "How long does PLR take? (Power Loss Recovery)"
    assert ranked.coverage > 0.7


async def test_sentence_about_the_code_beats_one_about_a_sibling_code() -> None:
    levels = {"DDR2": "1.8 V", "DDR3": "1.5 V", "DDR4": "1.2 V"}
    passages = (
        make_passage(" ".join(f"The VCCQ level for {name} is {level}." for name, level in levels.items())),
        make_passage("The VCCQ level for LPDDR4 is 0.9 V.", number=1),
    )
    for name in levels:
        ranked = await QuoteRanker(PreferringScorer("1.5 V", "0.9 V")).rank(
            f"What is the VCCQ level for {name}?", passages
        )
        assert [(each.passage, each.conflict) for each in ranked] == [(0, False), (1, False)], name
    # It loses although the next sentence contains the code.
    both = make_passage("The VCCQ level for DDR3 is 1.5 V. DDR4 adds a second rail.")
    right = make_passage("The VCCQ level for DDR4 is 1.2 V.", number=1)
    ranker = QuoteRanker(PreferringScorer("1.5 V", "1.2 V"))
    ranked = await ranker.rank("What is the VCCQ level for DDR4?", (both, right))
    assert [(each.passage, each.conflict) for each in ranked] == [(1, False), (0, True)]


async def test_codes_that_differ_in_digits_are_siblings() -> None:
    texts = {"NV-DDR2 uses 1.8 V.": True, "NV-DDR uses 1.8 V.": True, "NV-DDR3 uses 1.2 V.": False, "1.2 V.": False}
    for text, conflict in texts.items():
        (ranked,) = await QuoteRanker(OverlapScorer()).rank("What is the voltage of NV-DDR3?", (make_passage(text),))
        assert ranked.conflict is conflict, text


async def test_scores_do_not_depend_on_the_order_of_passages() -> None:
    found = tuple(replace(each, score=1 / (1 + place)) for place, each in enumerate(PASSAGES))
    ranker = QuoteRanker(OverlapScorer())
    forwards = await ranker.rank("At what voltage does the P-200 run?", found)
    backwards = await ranker.rank("At what voltage does the P-200 run?", found[::-1])
    assert [(each.passage, each.quote) for each in forwards] == [(2 - each.passage, each.quote) for each in backwards]
    np.testing.assert_allclose([each.score for each in forwards], [each.score for each in backwards])
    # The search rank breaks ties.
    twice = tuple(
        replace(make_passage("The hall is closed.", number=number), score=score)
        for number, score in ((0, 0.1), (1, 0.9))
    )
    ranked = await QuoteRanker(OverlapScorer()).rank("Why is the hall closed?", twice)
    assert [each.passage for each in ranked] == [1, 0]
