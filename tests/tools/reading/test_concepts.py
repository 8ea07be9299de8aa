"""Concepts of a question in texts: one by one and many at a time, and how much is kept of them."""

import importlib
import pkgutil

import pytest

import tools.evidence
import tools.language
import tools.reading
from tools.reading import question_concepts, read_words
from tools.reading.concepts import coverage


def test_a_question_without_concepts_is_covered_by_any_text() -> None:
    assert coverage((), read_words("power")) == 1.0


def test_a_word_is_half_there_by_another_form_or_its_beginning(subtests: pytest.Subtests) -> None:
    for text, presence in [
        ("registers", 1.0),
        ("registry", 0.6),
        ("regi", 0.6),
        ("reg", 0.6),
        ("re", 0.0),
        ("reg7", 0.0),
        ("gist", 0.0),
    ]:
        with subtests.test(text=text):
            assert question_concepts("register")[0].presence(read_words(text)) == presence


@pytest.mark.parametrize("package", [tools.evidence, tools.language, tools.reading])
def test_whatever_is_kept_between_questions_has_a_bound(package: object) -> None:
    found = []
    for module in pkgutil.iter_modules(package.__path__):  # type: ignore[attr-defined]
        for each in vars(importlib.import_module(f"{package.__name__}.{module.name}")).values():  # type: ignore[attr-defined]
            if hasattr(each, "cache_parameters"):
                found.append(each.cache_parameters()["maxsize"])
    assert found
    assert all(bound is not None and bound <= 65_536 for bound in found)
