"""Jargon of every kind that people type, beside ordinary words, and terms that a chat model listed."""

from collections.abc import Sequence
from pathlib import Path
from unittest.mock import AsyncMock

import pytest

from contracts.jargon import Mention
from intrinsics.jargon_identification.embedded import EmbeddedJargonIdentifier
from intrinsics.jargon_identification.listed_terms import ListedTerms
from jargon_db.import_export import read_terms
from tests.databases import memory_store
from tests.intrinsics.jargon_identification.listed import ListedDictionary
from tools.jargon.sql import SqlJargonDictionary

DICTIONARY = [
    "VCCQ", "DLL", "NAND", "ACT", "CE", "MP", "BE", "US", "IT", "ALE", "DDR3", "DDR4", "NV-DDR3", "tRC", "WE#", "tR/B#",
    "wear levelling", "burn-in", "die", "plane", "Electromigration", "LDPC", "place_pin", "DQS", "DQ", "1010EZ", "R&D",
    "SDRAM",
]  # fmt: skip
EXAMPLES = SqlJargonDictionary(
    memory_store([*read_terms(Path(__file__).parents[3] / "examples" / "dictionary.csv").values()])
)


async def find_in(question: str, dictionary: SqlJargonDictionary) -> tuple[Mention, ...]:
    """Return the mentions in a question, after checking that each stands where it says."""
    mentions = (await EmbeddedJargonIdentifier(dictionary).identify(question)).mentions
    assert all(question[each.span.start : each.span.end] == each.text for each in mentions)
    return mentions


async def find(question: str, spellings: Sequence[str] = DICTIONARY) -> tuple[Mention, ...]:
    return await find_in(question, ListedDictionary(spellings))


async def terms(question: str, spellings: Sequence[str] = DICTIONARY) -> list[str]:
    return [mention.term for mention in await find(question, spellings)]


IN_EVERY_FORM = {
    "What is the VCCQ level for DDR3?": ["VCCQ", "DDR3"],
    "Is there a VCCQ-level for NANDs?": ["VCCQ", "NAND"],
    "Are the DLLs' delays equal?": ["DLL"],
    "the DLL's delay and the D.L.L. of the other": ["DLL", "DLL"],
    "Explain wear-levelling and burn in and burnin.": ["wear levelling", "burn-in", "burn-in"],
    "We need 10ns tRC to reach 40MB/s at 1.8V": ["tRC"],
    "Toggle WE# while tR/B# is low": ["WE#", "tR/B#"],
    "Who pays for R&D?": ["R&D"],
    "Which edge of DQS and of the DQs counts?": ["DQS", "DQ"],
}
OF_EXAMPLES = {
    "Is R/B# low after P/E, and is it ACK/NAK/CRC at 40MB/s?": ["R/B#", "PE", "ACK", "NAK", "CRC"],
    "Draw a shmoo plot. Is NV-DDR3 the same as nv ddr3 or NVDDR3?": ["Shmoo", "NV-DDR3", "NV-DDR3", "NV-DDR3"],
    "Does tADL or t_adl come after WE#, we_n, LUNS and PoP?": ["tADL", "tADL", "WE#", "WE#", "LUN", "PoP"],
}
# An everyday abbreviation in the dictionary is a term, but the word is not.
EVERYDAY = {
    "Does the AI of the PC on TV need an ID?": ["AI", "PC", "TV", "ID"],
    "What does IT do for US?": ["IT", "US"],
    "who is WHO and what is the ai in our plant?": ["WHO", "AI"],
    "Who may read it, and is it for us?": [],
    "DO WE NEED IT AND WHO MAY HELP US": [],
}
IN_NO_DICTIONARY = {
    "In any of the UTUU,ES/NIRE/MUBO should be what nature?": ["UTUU", "ES", "NIRE", "MUBO"],
    "We need 10ns ARI to achieve 40MI in MUBO.What should be PIOF?": ["ARI", "MI", "MUBO", "PIOF"],
    "What is the full form of IE?": ["IE"],
    "What do the abbreviations IT and OF stand for?": ["IT", "OF"],
    "SLBG=10, STUP=5, PE<0.1 in SPA. How should I set TS?": ["SLBG", "STUP", "PE", "SPA", "TS"],
    "What does tCKE mean beside my_pin and SSE-KMS?": ["tCKE", "my_pin", "SSE-KMS"],
    "PLEASE HELP WITH THE QXZT NOW": ["QXZT"],
    "Is the TÜV mark on the HM-3?": ["TÜV", "HM-3"],
    "What is DL beside the MAT's T-SQL?": ["DL", "MAT", "T-SQL"],
    "Is the ED&I policy one of the POA&Ms?": ["ED&I", "POA&M"],
    "Is there a Q&A page?": [],
    # Words in capitals for emphasis are not terms.
    "Is ALL of it high when CE and ALE are, and is NOT ONLY WE# low?": ["CE", "ALE", "WE#"],
    "Which level do HP and CE have, and is that ALL?": ["HP", "CE"],
}


@pytest.mark.parametrize(
    ("dictionary", "expected"),
    [
        (ListedDictionary(DICTIONARY), IN_EVERY_FORM),
        (EXAMPLES, OF_EXAMPLES),
        (ListedDictionary(["AI", "IT", "ID", "US", "PC", "TV", "WHO", "MAY", "AND"]), EVERYDAY),
        (ListedDictionary([]), IN_NO_DICTIONARY),
    ],
)
async def test_finds_terms(dictionary: SqlJargonDictionary, expected: dict[str, list[str]]) -> None:
    found = {question: await find_in(question, dictionary) for question in expected}
    assert {question: [mention.term for mention in found[question]] for question in found} == expected
    has_terms = bool((await dictionary.vocabulary()).terms)
    assert {mention.known for mentions in found.values() for mention in mentions} == {has_terms}


async def test_leaves_ordinary_words_alone() -> None:
    questions = [
        "We act on it and it will be with us",
        "Act now, it can be done",
        "How do I fill in the form on Monday 3rd May?",
        "PLEASE HELP ME NOW, THIS IS VERY URGENT",
        "Which of these is NOT part of the task?",
        "Is this OK? It took 10ns at 1.8V and 40MB/s, that is 5 GB in 3 min.",
        "Chapter IV of part II, type III",
        "Does Dr. McDonald watch YouTube?",
        "see http://example.com/ABC/DEF and mail Foo.BAR@example.com about REPORT_X.pdf",
        "What is the second opcode, 0xD0 or D0h?",
        "Pick one: a) 00 b) 11 c) 10",
        "After 10seconds and 3times at 2nd place in 0xD0.",
        "Can it save jpgs and pngs?",
        "",
    ]
    assert [question for question in questions if await terms(question)] == []
    # An ordinary word that is a term of the dictionary is a doubtful mention.
    for question in ("How thick is a die?", "HOW DO I ACT ON IT"):
        (mention,) = await find(question)
        assert mention.known
        assert mention.probability < 0.5


async def test_corrects_misspellings() -> None:
    for typed, term in [
        ("VCQQ", "VCCQ"),
        ("vcqc", "VCCQ"),
        ("LPDC", "LDPC"),
        ("electromigraton", "Electromigration"),
        ("NNAND", "NAND"),
        # A different abbreviation is not a misspelling.
        *((other, "") for other in ("DDR5", "SLBG", "DLX", "QLL", "KDPC", "ZDRAM")),
    ]:
        (mention,) = await find(f"How do we set the {typed} value?")
        assert (mention.term, mention.text) == (term or typed, typed)
        assert mention.corrected == mention.known == bool(term)
    # A word of the documents is not a misspelling.
    known = AsyncMock(side_effect=lambda word: word == "VCQQ")
    identifier = EmbeddedJargonIdentifier(ListedDictionary(DICTIONARY), known_words=known)
    (mention,) = (await identifier.identify("How do we set the VCQQ value?")).mentions
    assert not mention.corrected


async def test_alias_leads_to_its_term_unless_it_has_several() -> None:
    dictionary = ListedDictionary(["BE", "EOL"], {"backend line": ("BE",), "finish": ("BE", "EOL")})
    identifier = EmbeddedJargonIdentifier(dictionary)
    assert [m.term for m in (await identifier.identify("Where is the backend line?")).mentions] == ["BE"]
    assert [m.term for m in (await identifier.identify("Where is the finish?")).mentions] == ["finish"]


async def test_published_and_withdrawn_terms_and_names_apply_to_the_next_question() -> None:
    dictionary = ListedDictionary(["VCCQ"])
    identifier = EmbeddedJargonIdentifier(dictionary)

    async def known(question: str) -> list[str]:
        return [mention.term for mention in (await identifier.identify(question)).mentions if mention.known]

    questions = ("Which qzt?", "Which VCCQ?", "Where is the crab hall?", "Where is the final test?")
    assert [await known(question) for question in questions] == [[], ["VCCQ"], [], []]
    dictionary.terms |= {term: (term,) for term in ("QZT", "KH", "FT")}
    dictionary.names |= {"Crab Hall": ("KH",), "Final Test": ("FT",)}
    assert [await known(question) for question in questions] == [["QZT"], ["VCCQ"], ["KH"], ["FT"]]
    del dictionary.names["Crab Hall"], dictionary.terms["QZT"], dictionary.terms["KH"]
    assert [await known(question) for question in questions] == [[], ["VCCQ"], [], ["FT"]]


async def test_function_word_is_a_term_if_it_names_a_command() -> None:
    for question in ("what does the at command do at night", "what does at -l print", "Is `at` a tool?"):
        (mention,) = await find(question, ["at"])
        assert (mention.term, mention.span.start) == ("at", question.index("at", 3)), question


async def test_misspelt_term_is_corrected_if_it_is_unambiguous() -> None:
    long = ["Electromigration", "polychlorinatedbiphenyl"]
    for typed, terms, term in [
        # The longer the term, the more errors are allowed.
        ("electromigrtaion", long, "Electromigration"),
        ("polychlorinatedbiphneyl", long, "polychlorinatedbiphenyl"),
        ("BCDEFGX", ["BCDEFGZ"], "BCDEFGZ"),
        # It is not a misspelling if two terms are equally near, or if another letter makes a short word another term.
        ("BCDEFGX", ["BCDEFGZ", "BCDEFGY"], ""),
        ("BCDDX", ["BCDDZ"], ""),
    ]:
        (mention,) = await find(f"Where is the {typed} shown?", terms)
        assert (mention.text, mention.term, mention.corrected) == (typed, term or typed, bool(term))


async def test_code_is_found_whole_by_dictionary_or_by_shape() -> None:
    parts = ["GC", "NAND", "QAM", "FA", "GPP", "AX"]
    for code in ["3GPP", "5GC", "802.11ax", "2FA", "4K", "1T1C", "3DNAND", "2.5D", "64QAM", "1010EZ"]:
        for question in (f"What is {code}?", f"Is {code.lower()} ready?", f"the {code}'s rules"):
            (mention,) = await find(question, [code, *parts])
            assert (mention.term, mention.known) == (code, True)
        if code not in ("4K", "64QAM", "1010EZ"):
            (mention,) = await find(f"Which {code} is it?", ["GC", "FA", "AX"])
            assert (mention.text, mention.term, mention.known) == (code, code, False)
    # A term of the dictionary is found after a number.
    (mention,) = await find("Does it take 50MUBO?", ["MUBO"])
    assert (mention.text, mention.known) == ("MUBO", True)


async def test_a_name_is_a_mention_of_its_term() -> None:
    for question, text, term in [
        ("What is the yield of the final test?", "final test", "FT"),
        ("How long does the final-test yield stay up?", "final-test", "FT"),
        ("Who runs Final Tests?", "Final Tests", "FT"),
        ("Explain wear-leveling.", "wear-leveling", "WL"),
        ("How many program/erase cycles are left?", "program/erase cycles", "PE"),
        ("Is the logical unit number of the host needed?", "logical unit number", "LUN"),
        ("How many failures in time are allowed?", "failures in time", "FIT"),
    ]:
        (mention,) = await find_in(question, EXAMPLES)
        assert (mention.text, mention.term, mention.kind, mention.known) == (text, term, "name", True)


async def test_longest_name_is_found_and_not_the_term_inside_it() -> None:
    mentions = await find_in("Is the open NAND flash interface a JEDEC interface?", EXAMPLES)
    assert [(mention.term, mention.kind) for mention in mentions] == [("ONFI", "name"), ("JEDEC", "abbreviation")]
    mentions = await find_in("Is the raw bit error rate a bit error?", EXAMPLES)
    assert [mention.term for mention in mentions] == ["RBER", "BE"]
    within = ListedDictionary(["NAND"], names={"Final NAND Test": ("FT",)})
    assert [mention.term for mention in await find_in("Is the final NAND test for NAND?", within)] == ["FT", "NAND"]
    # A rare word is a name; everyday words and words across sentences are none.
    for question in ("Which acknowledgement is sent?", "Is the array ready, busy or in time?"):
        assert not [mention for mention in await find_in(question, EXAMPLES) if mention.kind == "name"], question
    dictionary = ListedDictionary(
        ["EM", "FT", "TD"], names={"Electromigration (in metals)": ("EM",), "Final Test": ("FT",), "To Do": ("TD",)}
    )
    (mention,) = await find_in("Why does electromigration matter?", dictionary)
    assert (mention.term, mention.kind) == ("EM", "name")
    assert await find_in("Is it final? Test it. What is to do?", dictionary) == ()


LISTED = ListedDictionary(
    ["DLL", "VCCQ", "ACT", "anchor", "metastability"],
    aliases={"pump-out": ("POUT",)},
    names={"Final Test": ("FT",), "Power On Reset": ("POR",)},
)


async def place(question: str, *terms: str) -> tuple[Mention, ...]:
    """Return the mentions in a question after checking that each stands where it says."""
    mentions = await ListedTerms(LISTED).place(question, terms)
    assert all(question[each.span.start : each.span.end] == each.text for each in mentions)
    return mentions


async def test_terms_have_the_dictionarys_spelling() -> None:
    found = await place("Does the dll, or metastabilty, settle before final test?", "dll", "metastabilty", "final test")
    assert [(each.text, each.term, each.known) for each in found] == [
        ("dll", "DLL", True),
        ("metastabilty", "metastability", True),
        ("final test", "FT", True),
    ]
    assert [each.corrected for each in found] == [False, True, False]
    assert found[2].kind == "name"


async def test_terms_missing_from_the_question_are_dropped() -> None:
    found = await place("What is GTC?", "GTC", "Good Till Cancelled", "", "G", "What  is  the")
    assert [(each.text, each.known, each.probability) for each in found] == [("GTC", False, 0.85)]
    assert await place("What is it?", "DLL") == ()
    # So is an ordinary word that the dictionary lacks.
    found = await place("Is the window of the XQT or the USB wide?", "window", "XQT", "USB")
    assert [(each.text, each.probability) for each in found] == [("XQT", 0.85)]


async def test_lists_and_amounts_are_split_into_terms() -> None:
    found = await place(
        "We need 10ns NIRE to achieve 40MP in UTUU, ES/ROSN or SSE-KMS.",
        "10ns NIRE",
        "40MP",
        "UTUU, ES/ROSN",
        "SSE-KMS",
    )
    assert [each.term for each in found] == ["NIRE", "MP", "UTUU", "ES", "ROSN", "SSE-KMS"]


async def test_all_occurrences_and_terms_of_several_words_are_found() -> None:
    found = await place("Is read  disturb worse than Read Disturb of tQXs?", "read disturb", "tQXs", "ad")
    assert [(each.text, each.kind) for each in found] == [
        ("read  disturb", "phrase"),
        ("Read Disturb", "phrase"),
        ("tQXs", "code"),
    ]
    assert found[0].term == "read disturb"


async def test_term_in_its_own_spelling_is_found_without_the_model() -> None:
    assert [each.term for each in await place("Which DLL is it?")] == ["DLL"]
    for question, word, term in (("Is the anchor right?", "anchor", "anchor"), ("Did they act?", "act", "ACT")):
        before = (await EmbeddedJargonIdentifier(LISTED).identify(question)).mentions
        assert all(mention.probability < 0.5 for mention in before)
        assert await place(question) == ()
        (named,) = await place(question, word)
        assert (named.term, named.probability, named.known) == (term, 0.9, True)
