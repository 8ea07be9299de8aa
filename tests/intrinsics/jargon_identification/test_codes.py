"""Numbers with letters glued to them: codes or amounts."""

import pytest

from tests.intrinsics.jargon_identification.listed import ListedDictionary, find


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


async def test_an_amount_is_parted(subtests: pytest.Subtests) -> None:
    for question, expected in [
        ("It takes 20ns ARI to reach 50MUBO and 40MI.", ["ARI", "MUBO", "MI"]),
        ("We need 40MB/s with 10ns tRC and 5mm.", ["tRC"]),
        ("After 10seconds and 3times at 2nd place in 0xD0.", []),
    ]:
        with subtests.test(question=question):
            assert [mention.text for mention in await find(question, ListedDictionary(["tRC"]))] == expected


async def test_the_term_of_the_dictionary_behind_a_number_is_found() -> None:
    mentions = await find("Does it take 50MUBO or 5MUBO?", ListedDictionary(["MUBO"]))
    assert [(mention.text, mention.known) for mention in mentions] == [("MUBO", True), ("MUBO", True)]
