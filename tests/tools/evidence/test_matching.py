"""Terms found in texts through inflection, joints, misspelling and OCR noise."""

import pytest

from tools.evidence.matching import TermMatcher, text_stems, with_expansions
from tools.evidence.question import question_terms


def strength(word: str, text: str) -> float:
    terms = question_terms(f"the {word}")
    bag = text_stems(text)
    (term,) = terms
    matcher = TermMatcher(bag)
    return max(min(float(matcher.stem_strengths(stem, [bag])[0]) for stem in stems) for stems in term.alternatives)


def test_a_term_is_found_in_its_other_writings(subtests: pytest.Subtests) -> None:
    for word, text in [
        ("encryption", "Volumes are encrypted."),
        ("DDR5", "The DDR-5 interface"),
        ("voltages", "one voltage"),
        ("controller", "the contro1ler and the controler"),
    ]:
        with subtests.test(text=text):
            assert strength(word, text) > 0.5


def test_another_code_number_or_word_is_not_the_term(subtests: pytest.Subtests) -> None:
    for word, text in [("DDR5", "DDR3 and DDR4"), ("2019", "in 2018"), ("port", "sport")]:
        with subtests.test(text=text):
            assert strength(word, text) == 0.0
    # A letter that OCR took for a digit still matches, but not wholly.
    assert 0.5 < strength("ONFI50", "the 0NFI5O bus") < 1.0


def test_an_abbreviation_is_found_where_the_text_spells_it_out() -> None:
    terms = question_terms("the CEO")
    found = with_expansions(terms, ["The chief executive officer signs.", "The chief signs."])
    assert found[0, 0] > 0.5
    assert found[0, 1] == 0.0
