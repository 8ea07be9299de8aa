"""Terms that a chat model listed, held against the question and the dictionary."""

from contracts.jargon import Mention
from intrinsics.jargon_identification.embedded import EmbeddedJargonIdentifier
from intrinsics.jargon_identification.listed_terms import ListedTerms
from tests.intrinsics.jargon_identification.listed import ListedDictionary

DICTIONARY = ListedDictionary(
    ["DLL", "VCCQ", "ACT", "anchor", "metastability"],
    aliases={"pump-out": ("POUT",)},
    names={"Final Test": ("FT",), "Power On Reset": ("POR",)},
)


async def find(question: str, *terms: str) -> tuple[Mention, ...]:
    """Return the mentions in a question after checking that each stands where it says."""
    mentions = await ListedTerms(DICTIONARY).place(question, terms)
    assert all(question[each.span.start : each.span.end] == each.text for each in mentions)
    return mentions


async def test_terms_have_the_dictionarys_spelling() -> None:
    found = await find("Does the dll, or metastabilty, settle before final test?", "dll", "metastabilty", "final test")
    assert [(each.text, each.term, each.known) for each in found] == [
        ("dll", "DLL", True),
        ("metastabilty", "metastability", True),
        ("final test", "FT", True),
    ]
    assert [each.corrected for each in found] == [False, True, False]
    assert found[2].kind == "name"


async def test_terms_missing_from_the_question_are_dropped() -> None:
    found = await find("What is GTC?", "GTC", "Good Till Cancelled", "", "G", "What  is  the")
    assert [(each.text, each.known, each.probability) for each in found] == [("GTC", False, 0.85)]
    assert await find("What is it?", "DLL") == ()


async def test_lists_and_amounts_are_split_into_terms() -> None:
    found = await find(
        "We need 10ns NIRE to achieve 40MP in UTUU, ES/ROSN or SSE-KMS.",
        "10ns NIRE",
        "40MP",
        "UTUU, ES/ROSN",
        "SSE-KMS",
    )
    assert [each.term for each in found] == ["NIRE", "MP", "UTUU", "ES", "ROSN", "SSE-KMS"]


async def test_all_occurrences_and_terms_of_several_words_are_found() -> None:
    found = await find("Is read  disturb worse than Read Disturb of tQXs?", "read disturb", "tQXs", "ad")
    assert [(each.text, each.kind) for each in found] == [
        ("read  disturb", "phrase"),
        ("Read Disturb", "phrase"),
        ("tQXs", "code"),
    ]
    assert found[0].term == "read disturb"


async def test_term_in_its_own_spelling_is_found_without_the_model() -> None:
    assert [each.term for each in await find("Which DLL is it?")] == ["DLL"]
    for question, word, term in (("Is the anchor right?", "anchor", "anchor"), ("Did they act?", "act", "ACT")):
        before = (await EmbeddedJargonIdentifier(DICTIONARY).identify(question)).mentions
        assert all(mention.probability < 0.5 for mention in before)
        assert await find(question) == ()
        (named,) = await find(question, word)
        assert (named.term, named.probability, named.known) == (term, 0.9, True)


async def test_an_ordinary_word_that_the_dictionary_lacks_is_dropped() -> None:
    found = await find("Is the window of the XQT or the USB wide?", "window", "XQT", "USB")
    assert [(each.text, each.probability) for each in found] == [("XQT", 0.85)]
