"""What an answer sentence is linked to."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intrinsics.citation.embedded import EmbeddedCitationFinder
from tests.conformance.reading_cases import LIMITS, PASSAGES, PUMP, make_passage
from tests.hashing_embedder import HashingEmbedder

FINDER = EmbeddedCitationFinder(HashingEmbedder())


async def test_a_sentence_gets_the_sentences_that_say_it(subtests: pytest.Subtests) -> None:
    numbers = make_passage("The P-200 pump runs at 48 V indoors. The P-200 pump runs at 60 V indoors.")
    # A number in the name of another part is no value.
    text = "Parameter | Max | Unit | Part\nErase time | 15 | ms | part HM-3\nErase time | 3 | ms | part HM-1"
    rows = make_passage(text, kind="table")
    care = make_passage("The bearing is greased every 500 hours. Pumps are painted blue. Filters are replaced yearly.")
    for sentence, passage, sentences in [
        # A row brings its header.
        ("Max flow of P-300: 30 l/min.", LIMITS, (0, 2)),
        ("Erase time, Max: 3 ms.", rows, (0, 2)),
        ("The P-200 pump is run at 60 V indoors.", numbers, (1,)),
        ("The bearing is greased every 500 hours and filters are replaced yearly.", care, (0, 2)),
        # What stands around a sentence does not count.
        ("Yes: The P-300 pump runs at 96 V.", PUMP, (2,)),
        ("The P-300 pump runs at 96 V. [1]", PUMP, (2,)),
        ("- The P-300 pump runs at 96 V.", PUMP, (2,)),
        # What claims nothing gets no link.
        ("Yes.", PUMP, ()),
        ("The documents do not contain the answer.", PUMP, ()),
        ("Which pump do you mean?", PUMP, ()),
        ("Sorry, the pump is unknown.", PUMP, ()),
    ]:
        with subtests.test(sentence=sentence):
            links = (await FINDER.find([sentence], [passage])).links
            assert [link.passage_sentences for link in links] == ([sentences] if sentences else [])


async def test_evidence_in_two_passages_makes_two_links_best_first() -> None:
    first = make_passage("Filters of the intake are replaced yearly by the service crew.")
    second = make_passage("The bearing is greased every 500 hours.", number=1)
    sentence = "The bearing is greased every 500 hours, filters replaced yearly."
    verdict = await FINDER.find([sentence], [first, second])
    assert {link.passage for link in verdict.links} == {0, 1}
    assert [link.score for link in verdict.links] == sorted((link.score for link in verdict.links), reverse=True)


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
