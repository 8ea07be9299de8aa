"""Extended names in a question."""

import pytest

from intrinsics.jargon_identification.embedded import EmbeddedJargonIdentifier
from tests.intrinsics.jargon_identification.listed import ListedDictionary, example_dictionary, find

EXAMPLES = example_dictionary()


async def test_a_name_is_a_mention_of_its_term(subtests: pytest.Subtests) -> None:
    for question, text, term in [
        ("What is the yield of the final test?", "final test", "FT"),
        ("How long does the final-test yield stay up?", "final-test", "FT"),
        ("Who runs Final Tests?", "Final Tests", "FT"),
        ("Explain wear-leveling.", "wear-leveling", "WL"),
        ("How many program/erase cycles are left?", "program/erase cycles", "PE"),
        ("Is the logical unit number of the host needed?", "logical unit number", "LUN"),
        ("How many failures in time are allowed?", "failures in time", "FIT"),
    ]:
        with subtests.test(question=question):
            (mention,) = await find(question, EXAMPLES)
            assert (mention.text, mention.term, mention.kind, mention.known) == (text, term, "name", True)


async def test_the_longest_name_counts_and_the_term_inside_it_does_not() -> None:
    mentions = await find("Is the open NAND flash interface a JEDEC interface?", EXAMPLES)
    assert [(mention.term, mention.kind) for mention in mentions] == [("ONFI", "name"), ("JEDEC", "abbreviation")]
    mentions = await find("Is the raw bit error rate a bit error?", EXAMPLES)
    assert [mention.term for mention in mentions] == ["RBER", "BE"]
    within = ListedDictionary(["NAND"], names={"Final NAND Test": ("FT",)})
    assert [mention.term for mention in await find("Is the final NAND test for NAND?", within)] == ["FT", "NAND"]


async def test_a_single_everyday_word_is_no_name(subtests: pytest.Subtests) -> None:
    for question in ["Which acknowledgement is sent?", "Is the array ready, busy or in time?"]:
        with subtests.test(question=question):
            assert not [mention for mention in await find(question, EXAMPLES) if mention.kind == "name"]


async def test_a_rare_word_is_a_name_and_words_across_sentences_are_none() -> None:
    dictionary = ListedDictionary(
        ["EM", "FT", "TD"], names={"Electromigration (in metals)": ("EM",), "Final Test": ("FT",), "To Do": ("TD",)}
    )
    (mention,) = await find("Why does electromigration matter?", dictionary)
    assert (mention.term, mention.kind) == ("EM", "name")
    assert await find("Is it final? Test it. What is to do?", dictionary) == ()


async def test_names_follow_the_dictionary() -> None:
    dictionary = ListedDictionary([])
    identifier = EmbeddedJargonIdentifier(dictionary)
    assert (await identifier.identify("Where is the crab hall?")).mentions == ()
    dictionary.publish("KH", "Crab Hall")
    dictionary.publish("FT", "Final Test")
    assert [m.term for m in (await identifier.identify("Where is the crab hall?")).mentions] == ["KH"]
    del dictionary.names["Crab Hall"]
    dictionary.withdraw("KH")
    assert (await identifier.identify("Where is the crab hall?")).mentions == ()
    assert [m.term for m in (await identifier.identify("Where is the final test?")).mentions] == ["FT"]
