"""Every kind of jargon that a question can hold, by the dictionary of the examples and without one."""

import pytest

from tests.intrinsics.jargon_identification.listed import ListedDictionary, example_dictionary, find

NOTHING = ListedDictionary(())
EXAMPLES = example_dictionary()


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        # any letter case
        ("what is the vccq of a ddr3 part", ["VCCQ", "DDR3"]),
        ("tHE vCCQ OF THE dLL", ["VCCQ", "DLL"]),
        # slashes and units
        ("Is it ACK/NAK/CRC at 40MB/s?", ["ACK", "NAK", "CRC"]),
        ("We have 10ns tRC at 1.8V and 25 µs tR", ["tRC", "tR"]),
        ("Is R/B# low after P/E?", ["R/B#", "PE"]),
        # several words, hyphens, plurals
        ("Draw a shmoo plot after the ZQ calibration.", ["Shmoo", "ZQ"]),
        ("Is NV-DDR3 the same as nv ddr3 or NVDDR3?", ["NV-DDR3", "NV-DDR3", "NV-DDR3"]),
        ("A VCCQ-level for SSDs and DLLs' delays, the ECC's bits, two LUNS", ["VCCQ", "SSD", "DLL", "ECC", "LUN"]),
        # code-like names
        ("Does tADL or t_adl come after WE#, we_n and the PoP?", ["tADL", "tADL", "WE#", "WE#", "PoP"]),
        # misspellings
        ("How is VCQQ set, and the LPDC for a Shmooo?", ["VCCQ", "LDPC", "Shmoo"]),
        # shouting
        ("PLEASE HELP ME WITH THE VCCQ NOW", ["VCCQ"]),
    ],
)
async def test_terms_of_the_examples(question: str, expected: list[str]) -> None:
    mentions = await find(question, EXAMPLES)
    assert [mention.term for mention in mentions] == expected
    assert all(mention.known for mention in mentions)


@pytest.mark.parametrize(
    ("question", "term"),
    [
        ("Which tCKE holds?", "tCKE"),
        ("Which place_pin holds?", "place_pin"),
        ("Which XQZV holds?", "XQZV"),
        ("What is deep learning (DL) here?", "DL"),
        ("What is the US (ultra sound) here?", "US"),
        ("Which T-SQL holds?", "T-SQL"),
        ("Which ST-S holds?", "ST-S"),
        ("Which MAT's results hold?", "MAT"),
    ],
)
async def test_what_no_dictionary_has_is_found_by_shape_and_surroundings(question: str, term: str) -> None:
    (mention,) = await find(question, NOTHING)
    assert (mention.text, mention.term, mention.known) == (term, term, False)
    assert mention.probability >= 0.5


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Is ALL of it high when CE and ALE are, and is NOT ONLY WE# low?", ["CE", "ALE", "WE#"]),
        ("Which of the SAME parts have DLL and CE?", ["DLL", "CE"]),
        ("Which level do HP and CE have, and is that ALL?", ["HP", "CE"]),
        ("Could you tell me what HOW means?", ["HOW"]),
    ],
)
async def test_words_in_capitals_for_stress_are_none(question: str, expected: list[str]) -> None:
    assert [mention.text for mention in await find(question, NOTHING)] == expected


@pytest.mark.parametrize(
    "question", ["what does the at command do at night", "what does at -l print", "Is `at` a tool?"]
)
async def test_a_word_of_grammar_is_a_term_where_it_names_a_command(question: str) -> None:
    (mention,) = await find(question, ListedDictionary(["at"]))
    assert (mention.term, mention.span.start) == ("at", question.index("at", 3))


EVERYDAY = ListedDictionary(["AI", "IT", "ID", "US", "PC", "TV", "WHO", "MAY", "AND"])


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Does the AI of the PC on TV need an ID?", ["AI", "PC", "TV", "ID"]),
        ("What does IT do for US?", ["IT", "US"]),
        ("who is WHO and what is the ai in our plant?", ["WHO", "AI"]),
        ("Who may read it, and is it for us?", []),
        ("MAY I ask who it is and what its id is?", []),
        ("DO WE NEED IT AND WHO MAY HELP US", []),
    ],
)
async def test_an_everyday_abbreviation_of_the_dictionary_counts_and_the_word_does_not(
    question: str, expected: list[str]
) -> None:
    assert [mention.term for mention in await find(question, EVERYDAY)] == expected


@pytest.mark.parametrize(
    ("typed", "term"),
    [
        ("AdpaterOrdering", "AdapterOrdering"),
        ("electromigrtaion", "Electromigration"),
        ("polychlorinatedbiphneyl", "polychlorinatedbiphenyl"),
        ("wear levlling", "wear levelling"),
        ("burnishd spindel", "burnished spindle"),
    ],
)
async def test_the_longer_the_term_the_more_may_be_wrong(typed: str, term: str) -> None:
    terms = ["AdapterOrdering", "Electromigration", "polychlorinatedbiphenyl", "wear levelling", "burnished spindle"]
    (mention,) = await find(f"Where is the {typed} shown?", ListedDictionary(terms))
    assert (mention.text, mention.term, mention.corrected) == (typed, term, True)


async def test_in_a_dictionary_of_most_words_of_a_length_being_near_to_one_is_no_misspelling() -> None:
    crowded = [f"{a}{b}{c}{d}Z" for a in "BCDFG" for b in "BCDFG" for c in "BCDFG" for d in "BCDFG"]
    (alone,) = await find("Which BCDDX is it?", ListedDictionary(["BCDDZ"]))
    assert (alone.term, alone.corrected) == ("BCDDZ", True)
    (lost,) = await find("Which BCDDX is it?", ListedDictionary(crowded))
    assert (lost.term, lost.corrected) == ("BCDDX", False)
