"""Every kind of jargon that a question can hold, extended names too, by the examples' dictionary and without one."""

import pytest

from intrinsics.jargon_identification.embedded import EmbeddedJargonIdentifier
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


async def test_a_misspelt_term_is_corrected_where_it_can_be_no_other(subtests: pytest.Subtests) -> None:
    long = ["Electromigration", "polychlorinatedbiphenyl", "wear levelling", "burnished spindle"]
    crowded = [f"{a}{b}{c}{d}Z" for a in "BCDFG" for b in "BCDFG" for c in "BCDFG" for d in "BCDFG"]
    for typed, terms, term in [
        # The longer the term, the more may be wrong.
        ("electromigrtaion", long, "Electromigration"),
        ("polychlorinatedbiphneyl", long, "polychlorinatedbiphenyl"),
        ("wear levlling", long, "wear levelling"),
        ("burnishd spindel", long, "burnished spindle"),
        ("BCDDX", ["BCDDZ"], "BCDDZ"),
        # As near to another term, and in a dictionary of most words of a length, it is none.
        ("BCDDX", ["BCDDZ", "BCDDY"], ""),
        ("BCDDX", crowded, ""),
    ]:
        with subtests.test(typed=typed, terms=len(terms)):
            (mention,) = await find(f"Where is the {typed} shown?", ListedDictionary(terms))
            assert (mention.text, mention.term, mention.corrected) == (typed, term or typed, bool(term))


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
