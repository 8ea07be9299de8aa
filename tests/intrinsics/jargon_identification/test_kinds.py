"""Every kind of jargon that a question can hold, by the dictionary of the examples and without one."""

import pytest

from tests.intrinsics.jargon_identification.listed import ListedDictionary, example_dictionary, find

NOTHING = ListedDictionary(())
EXAMPLES = example_dictionary()


async def test_terms_of_the_examples(subtests: pytest.Subtests) -> None:
    for question, expected in [
        ("Is R/B# low after P/E, and is it ACK/NAK/CRC at 40MB/s?", ["R/B#", "PE", "ACK", "NAK", "CRC"]),
        ("Draw a shmoo plot. Is NV-DDR3 the same as nv ddr3 or NVDDR3?", ["Shmoo", "NV-DDR3", "NV-DDR3", "NV-DDR3"]),
        (
            "Does tADL or t_adl come after WE#, we_n, LUNS and PoP?",
            ["tADL", "tADL", "WE#", "WE#", "LUN", "PoP"],
        ),
    ]:
        with subtests.test(question=question):
            mentions = await find(question, EXAMPLES)
            assert [mention.term for mention in mentions] == expected
            assert all(mention.known for mention in mentions)


async def test_words_in_capitals_for_stress_are_none(subtests: pytest.Subtests) -> None:
    for question, expected in [
        ("Is ALL of it high when CE and ALE are, and is NOT ONLY WE# low?", ["CE", "ALE", "WE#"]),
        ("Which level do HP and CE have, and is that ALL?", ["HP", "CE"]),
        ("Could you tell me what HOW means?", ["HOW"]),
    ]:
        with subtests.test(question=question):
            assert [mention.text for mention in await find(question, NOTHING)] == expected


async def test_a_word_of_grammar_is_a_term_where_it_names_a_command(subtests: pytest.Subtests) -> None:
    for question in ["what does the at command do at night", "what does at -l print", "Is `at` a tool?"]:
        with subtests.test(question=question):
            (mention,) = await find(question, ListedDictionary(["at"]))
            assert (mention.term, mention.span.start) == ("at", question.index("at", 3))


EVERYDAY = ListedDictionary(["AI", "IT", "ID", "US", "PC", "TV", "WHO", "MAY", "AND"])


async def test_an_everyday_abbreviation_of_the_dictionary_counts_and_the_word_does_not(
    subtests: pytest.Subtests,
) -> None:
    for question, expected in [
        ("Does the AI of the PC on TV need an ID?", ["AI", "PC", "TV", "ID"]),
        ("What does IT do for US?", ["IT", "US"]),
        ("who is WHO and what is the ai in our plant?", ["WHO", "AI"]),
        ("Who may read it, and is it for us?", []),
        ("MAY I ask who it is and what its id is?", []),
        ("DO WE NEED IT AND WHO MAY HELP US", []),
    ]:
        with subtests.test(question=question):
            assert [mention.term for mention in await find(question, EVERYDAY)] == expected


async def test_the_longer_the_term_the_more_may_be_wrong(subtests: pytest.Subtests) -> None:
    for typed, term in [
        ("electromigrtaion", "Electromigration"),
        ("polychlorinatedbiphneyl", "polychlorinatedbiphenyl"),
        ("wear levlling", "wear levelling"),
        ("burnishd spindel", "burnished spindle"),
    ]:
        with subtests.test(typed=typed):
            terms = ["Electromigration", "polychlorinatedbiphenyl", "wear levelling", "burnished spindle"]
            (mention,) = await find(f"Where is the {typed} shown?", ListedDictionary(terms))
            assert (mention.text, mention.term, mention.corrected) == (typed, term, True)


async def test_in_a_dictionary_of_most_words_of_a_length_being_near_to_one_is_no_misspelling() -> None:
    crowded = [f"{a}{b}{c}{d}Z" for a in "BCDFG" for b in "BCDFG" for c in "BCDFG" for d in "BCDFG"]
    (alone,) = await find("Which BCDDX is it?", ListedDictionary(["BCDDZ"]))
    assert (alone.term, alone.corrected) == ("BCDDZ", True)
    (lost,) = await find("Which BCDDX is it?", ListedDictionary(crowded))
    assert (lost.term, lost.corrected) == ("BCDDX", False)


async def test_a_spelling_as_near_to_one_term_as_to_another_is_not_corrected() -> None:
    (mention,) = await find("Which BCDDX is it?", ListedDictionary(["BCDDZ", "BCDDY"]))
    assert (mention.term, mention.corrected) == ("BCDDX", False)


async def test_a_code_of_the_dictionary_is_whole(subtests: pytest.Subtests) -> None:
    for code in ["3GPP", "5GC", "802.11ax", "4K", "1T1C", "3DNAND", "2.5D", "64QAM", "1010EZ"]:
        with subtests.test(code=code):
            dictionary = ListedDictionary([code, "GC", "NAND", "QAM", "FA", "GPP"])
            for question in (f"What is {code}?", f"Is {code.lower()} ready?", f"the {code}'s rules"):
                (mention,) = await find(question, dictionary)
                assert (mention.term, mention.known) == (code, True)


async def test_a_code_that_nobody_knows_is_one_by_its_shape(subtests: pytest.Subtests) -> None:
    for code in ["3GPP", "5GC", "802.11ax", "2FA", "1T1C", "3DNAND", "2.5D"]:
        with subtests.test(code=code):
            (mention,) = await find(f"Which {code} is it?", ListedDictionary(["GC", "FA", "AX"]))
            assert (mention.text, mention.term, mention.known) == (code, code, False)


async def test_the_term_of_the_dictionary_behind_a_number_is_found() -> None:
    mentions = await find("Does it take 50MUBO or 5MUBO?", ListedDictionary(["MUBO"]))
    assert [(mention.text, mention.known) for mention in mentions] == [("MUBO", True), ("MUBO", True)]
