"""What an answer sentence is linked to."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intrinsics.citation.embedded import EmbeddedCitationFinder
from tests.conformance.reading_cases import LIMITS, PASSAGES, make_passage
from tests.hashing_embedder import HashingEmbedder

FINDER = EmbeddedCitationFinder(HashingEmbedder())


async def _indexes(sentence: str, *passages) -> list[tuple[int, tuple[int, ...]]]:
    verdict = await FINDER.find([sentence], passages or PASSAGES)
    return [(link.passage, link.passage_sentences) for link in verdict.links]


async def test_a_table_row_brings_its_header() -> None:
    assert await _indexes("Max flow of P-300: 30 l/min.", LIMITS) == [(0, (0, 2))]


async def test_numbers_decide_between_sentences_that_differ_in_nothing_else() -> None:
    one = make_passage("The P-200 pump runs at 48 V indoors. The P-200 pump runs at 60 V indoors.")
    assert await _indexes("The P-200 pump is run at 60 V indoors.", one) == [(0, (1,))]


async def test_a_number_in_the_name_of_another_part_is_no_value() -> None:
    text = "Parameter | Max | Unit | Part\nErase time | 15 | ms | part HM-3\nErase time | 3 | ms | part HM-1"
    rows = make_passage(text, kind="table")
    assert await _indexes("Erase time, Max: 3 ms.", rows) == [(0, (0, 2))]


async def test_a_sentence_from_two_sentences_gets_both() -> None:
    one = make_passage("The bearing is greased every 500 hours. Pumps are painted blue. Filters are replaced yearly.")
    links = await _indexes("The bearing is greased every 500 hours and filters are replaced yearly.", one)
    assert links == [(0, (0, 2))]


async def test_evidence_in_two_passages_makes_two_links_best_first() -> None:
    first = make_passage("Filters of the intake are replaced yearly by the service crew.")
    second = make_passage("The bearing is greased every 500 hours.", number=1)
    sentence = "The bearing is greased every 500 hours, filters replaced yearly."
    verdict = await FINDER.find([sentence], [first, second])
    assert {link.passage for link in verdict.links} == {0, 1}
    assert [link.score for link in verdict.links] == sorted((link.score for link in verdict.links), reverse=True)


async def test_a_sentence_that_claims_nothing_gets_no_link(subtests: pytest.Subtests) -> None:
    for sentence in [
        "Yes.",
        "The documents do not contain the answer.",
        "Which pump do you mean?",
        "Sorry, the pump is unknown.",
    ]:
        with subtests.test(sentence=sentence):
            assert await _indexes(sentence) == []


async def test_what_stands_around_a_sentence_does_not_count(subtests: pytest.Subtests) -> None:
    for sentence in [
        "Yes: The P-300 pump runs at 96 V.",
        "The P-300 pump runs at 96 V. [1]",
        "- The P-300 pump runs at 96 V.",
    ]:
        with subtests.test(sentence=sentence):
            assert await _indexes(sentence) == [(0, (2,))]


async def test_says_how_far_the_words_carry() -> None:
    verdict = await FINDER.find(
        ["The P-200 pump runs at 48 V from the mains.", "A P-200 pump might run at about 48 V."], PASSAGES
    )
    exact, loose = verdict.links[0], verdict.links[-1]
    assert exact.score == 1.0 > loose.score


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(max_size=120), max_size=3), st.lists(st.text(max_size=200), max_size=3))
async def test_never_fails_and_points_inside(sentences: list[str], texts: list[str]) -> None:
    passages = [make_passage(text, number=number) for number, text in enumerate(texts)]
    for link in (await FINDER.find(sentences, passages)).links:
        assert 0 <= link.sentence < len(sentences)
        assert all(passages[link.passage].sentence(index) for index in link.passage_sentences)
        assert 0.0 <= link.score <= 1.0
