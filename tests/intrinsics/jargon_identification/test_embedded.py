"""The embedded jargon identifier on what people type."""

from collections.abc import Sequence

import pytest

from contracts.jargon import Mention
from intrinsics.jargon_identification.embedded import EmbeddedJargonIdentifier
from tests.intrinsics.jargon_identification.listed import CountingDocuments, ListedDictionary
from tests.intrinsics.jargon_identification.listed import find as find_in

DICTIONARY = [
    "VCCQ", "DLL", "NAND", "ACT", "CE", "MP", "BE", "US", "IT", "ALE", "DDR3", "DDR4", "NV-DDR3", "tRC", "WE#", "tR/B#",
    "wear levelling", "burn-in", "die", "plane", "Electromigration", "LDPC", "place_pin", "DQS", "DQ", "1010EZ", "R&D",
    "SDRAM",
]  # fmt: skip


async def find(question: str, spellings: Sequence[str] = DICTIONARY) -> tuple[Mention, ...]:
    return await find_in(question, ListedDictionary(spellings))


async def terms(question: str, spellings: Sequence[str] = DICTIONARY) -> list[str]:
    return [mention.term for mention in await find(question, spellings)]


async def test_finds_terms_in_every_form(subtests: pytest.Subtests) -> None:
    for question, expected in [
        ("What is the VCCQ level for DDR3?", ["VCCQ", "DDR3"]),
        ("Is there a VCCQ-level for NANDs?", ["VCCQ", "NAND"]),
        ("Are the DLLs' delays equal?", ["DLL"]),
        ("the DLL's delay and the D.L.L. of the other", ["DLL", "DLL"]),
        ("Explain wear-levelling and burn in and burnin.", ["wear levelling", "burn-in", "burn-in"]),
        ("We need 10ns tRC to reach 40MB/s at 1.8V", ["tRC"]),
        ("Toggle WE# while tR/B# is low", ["WE#", "tR/B#"]),
        ("Who pays for R&D?", ["R&D"]),
        ("Which edge of DQS and of the DQs counts?", ["DQS", "DQ"]),
    ]:
        with subtests.test(question=question):
            assert await terms(question) == expected


async def test_leaves_ordinary_words_alone(subtests: pytest.Subtests) -> None:
    for question in [
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
    ]:
        with subtests.test(question=question):
            assert await terms(question) == []


async def test_an_ordinary_word_of_the_dictionary_is_a_doubtful_mention(subtests: pytest.Subtests) -> None:
    for question in ["How thick is a die?", "HOW DO I ACT ON IT"]:
        with subtests.test(question=question):
            (mention,) = await find(question)
            assert mention.known
            assert mention.probability < 0.5


async def test_corrects_misspellings(subtests: pytest.Subtests) -> None:
    for typed, term in [
        ("VCQQ", "VCCQ"),
        ("vcqc", "VCCQ"),
        ("LPDC", "LDPC"),
        ("electromigraton", "Electromigration"),
        ("NNAND", "NAND"),
        # Another abbreviation is no misspelling.
        *((other, "") for other in ("DDR5", "SLBG", "DLX", "QLL", "KDPC", "ZDRAM")),
    ]:
        with subtests.test(typed=typed):
            (mention,) = await find(f"How do we set the {typed} value?")
            assert (mention.term, mention.text) == (term or typed, typed)
            assert mention.corrected == mention.known == bool(term)


async def test_a_word_of_the_documents_is_not_a_misspelling() -> None:
    identifier = EmbeddedJargonIdentifier(ListedDictionary(DICTIONARY), known_words=CountingDocuments("VCQQ"))
    (mention,) = (await identifier.identify("How do we set the VCQQ value?")).mentions
    assert not mention.corrected


async def test_finds_terms_that_no_dictionary_has(subtests: pytest.Subtests) -> None:
    for question, expected in [
        ("In any of the UTUU,ES/NIRE/MUBO should be what nature?", ["UTUU", "ES", "NIRE", "MUBO"]),
        ("We need 10ns ARI to achieve 40MI in MUBO.What should be PIOF?", ["ARI", "MI", "MUBO", "PIOF"]),
        ("What is the full form of IE?", ["IE"]),
        ("What do the abbreviations IT and OF stand for?", ["IT", "OF"]),
        ("SLBG=10, STUP=5, PE<0.1 in SPA. How should I set TS?", ["SLBG", "STUP", "PE", "SPA", "TS"]),
        ("What does tCKE mean beside my_pin and SSE-KMS?", ["tCKE", "my_pin", "SSE-KMS"]),
        ("PLEASE HELP WITH THE QXZT NOW", ["QXZT"]),
        ("Is the TÜV mark on the HM-3?", ["TÜV", "HM-3"]),
        ("What is deep learning (DL) beside the MAT's T-SQL?", ["DL", "MAT", "T-SQL"]),
        ("What is the US (ultra sound) here?", ["US"]),
    ]:
        with subtests.test(question=question):
            found = await find(question, spellings=())
            assert [mention.term for mention in found] == expected
            assert not any(mention.known for mention in found)


async def test_an_alias_leads_to_its_term_and_one_of_several_terms_stays_itself() -> None:
    dictionary = ListedDictionary(["BE", "EOL"], {"backend line": ("BE",), "finish": ("BE", "EOL")})
    identifier = EmbeddedJargonIdentifier(dictionary)
    assert [m.term for m in (await identifier.identify("Where is the backend line?")).mentions] == ["BE"]
    assert [m.term for m in (await identifier.identify("Where is the finish?")).mentions] == ["finish"]


async def test_a_term_published_now_is_found_by_the_next_question() -> None:
    dictionary = ListedDictionary(["VCCQ"])
    identifier = EmbeddedJargonIdentifier(dictionary)
    assert [m.known for m in (await identifier.identify("Which QZT?")).mentions] == [False]
    dictionary.publish("QZT")
    assert [m.known for m in (await identifier.identify("Which qzt?")).mentions] == [True]
    assert [m.term for m in (await identifier.identify("Which VCCQ?")).mentions] == ["VCCQ"]
    dictionary.withdraw("QZT")
    assert [m.known for m in (await identifier.identify("Which QZT?")).mentions] == [False]


async def test_terms_with_signs_and_junk_do_no_harm() -> None:
    junk = ["", " ", "(", ".*", "'; DROP TABLE--", "a" * 500, "\u202eRTL", "e\u0301", "--", "C++"]
    assert "C++" in await terms("How do I call C++ from here?", junk)
