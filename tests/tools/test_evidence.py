"""Evidence: terms of a question, the units of passages, and where the one stands in the other."""

import json
from pathlib import Path

import numpy as np
import pytest

from contracts.errors import ConfigurationError
from tests.conformance.reading_cases import MADE, make_passage
from tests.hashing_embedder import HashingEmbedder
from tools.evidence.matching import stem_strengths, text_stems, with_expansions
from tools.evidence.model import load_model
from tools.evidence.passages import answerability_verdict, find_unmentioned, read_passages
from tools.evidence.question import question_terms
from tools.evidence.reading import read_evidence


def test_codes_and_numbers_are_focus_terms_but_question_words_are_not() -> None:
    terms = question_terms("Please explain what the difference in voltage of DDR4 is?")
    focus = {term.text for term in terms if term.focus}
    assert "DDR4" in focus
    assert "explain" not in {term.text for term in terms}
    assert "difference" in {term.text for term in terms} or "voltage" in {term.text for term in terms}
    # Codes with spaces or slashes are one term, single letters are none.
    assert "ddr3" in {next(iter(term.alternatives[0])) for term in question_terms("voltage of ddr-3?")}
    found = {each.text: each for each in question_terms("Which supply voltage do the I/O drivers get?")}
    assert not found["I/O"].focus
    assert not any(len(text) == 1 for text in found)
    found = {each.text: each for each in question_terms("When does R/B# go low?")}
    assert found["R/B#"].focus
    assert not {"R", "B#"} & found.keys()
    assert {term.text for term in question_terms("Is bin 4 worse in plan C or V?")} == {"bin", "4", "worse", "plan"}


def test_sentence_without_spaces_is_not_a_name() -> None:
    for question, focus in [
        ("この装置の電源電圧は何ボルトですか", set()),
        ("x" * 60, set()),
        ("電源電圧 は 3.3 V?", {"電源電圧", "3.3"}),
        ("Какое напряжение питания у электрооборудования?", {"электрооборудования"}),
    ]:
        terms = question_terms(question)
        found = {term.text for term in terms if term.focus}
        assert focus <= found if focus else not found, question
        assert not focus or all(len(term.text) < 25 for term in terms)


def strength(word: str, text: str) -> float:
    (term,) = question_terms(f"the {word}")
    bag = text_stems(text)
    return max(min(float(stem_strengths(stem, [bag], bag)[0]) for stem in stems) for stems in term.alternatives)


def test_spelling_variants_match_but_other_codes_numbers_and_words_do_not() -> None:
    for word, text in [
        ("encryption", "Volumes are encrypted."), ("DDR5", "The DDR-5 interface"), ("DDR5", "the DDR 5 interface"),
        ("voltages", "one voltage"), ("controller", "the contro1ler and the controler"),
    ]:  # fmt: skip
        assert strength(word, text) > 0.5, text
    for word, text in [("DDR5", "DDR3 and DDR4"), ("2019", "in 2018"), ("port", "sport")]:
        assert strength(word, text) == 0.0, text
    # A letter that OCR mistook for a digit still matches, but not fully.
    assert 0.5 < strength("ONFI50", "the 0NFI5O bus") < 1.0
    # An abbreviation is found where the text spells it out.
    terms = question_terms("the CEO")
    found = with_expansions(terms, ["The chief executive officer signs.", "The chief signs."])
    assert found[0, 0] > 0.5
    assert found[0, 1] == 0.0


PASSAGES = [
    make_passage("DDR3 needs 1.5 V. DDR4 needs 1.2 V.", title="Voltages"),
    make_passage("The controller encrypts volumes. It has DDR-5."),
    make_passage("  "),
    make_passage("Nothing."),
]


def test_same_text_under_another_title_is_a_different_passage() -> None:
    first, again, other = read_passages([PASSAGES[0], PASSAGES[0], make_passage(PASSAGES[0].text, title="Currents")])
    assert first is again
    assert first is not other
    assert first.strengths("voltag")[-1] == 1.0
    assert other.strengths("voltag")[-1] == 0.0


async def test_evidence_does_not_depend_on_earlier_or_other_passages() -> None:
    question = "Which voltage does DDR4 need, and what of DDR-5 encryption?"
    whole = await read_evidence(question, PASSAGES, HashingEmbedder())
    kept = HashingEmbedder()
    for each in PASSAGES:
        await read_evidence("Something else about DDR3?", [each], kept)
    again = await read_evidence(question, PASSAGES, kept)
    for name in ("literal", "soft", "headed", "cosine", "owner"):
        np.testing.assert_allclose(getattr(again, name), getattr(whole, name), atol=1e-6, err_msg=name)
    assert again.units == whole.units
    assert again.literal.max() == 1.0


def test_stored_model_is_a_logistic_of_standardised_features(tmp_path: Path) -> None:
    model = {"features": ["a", "b"], "mean": [0, 1], "scale": [1, 2], "coefficients": [1, 2], "intercept": -1.0}
    path = tmp_path / "calibration.json"
    path.write_text(json.dumps({"models": {"m": model}}), encoding="utf-8")
    logit = -1.0 + 1 * 3.0 + 2 * (5.0 - 1) / 2
    probabilities = load_model(path, "m", ["a", "b"]).probabilities(np.array([[3.0, 5.0]]))
    assert probabilities[0] == pytest.approx(1 / (1 + np.exp(-logit)))
    with pytest.raises(ConfigurationError, match="different features"):
        load_model(path, "m", ["b", "a"])
    for broken in ["", "{}", '{"models": {"m": {"features": ["a"]}}}']:
        path.write_text(broken, encoding="utf-8")
        with pytest.raises(ConfigurationError, match=r"calibration\.json"):
            load_model(path, "m", ["a", "b"])


def test_one_absent_code_bounds_the_probability_of_an_answer() -> None:
    absent = find_unmentioned("Which gasket does the P-900 of Wetzikon need?", PASSAGES)
    assert len(absent) > 1
    assert answerability_verdict(0.9, absent, MADE).probability == 0.3
