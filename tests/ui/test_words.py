"""The words of the pages: the same in every language, and the language that a browser gets."""

import re
import string
from pathlib import Path

import pytest

from ui.words import DEFAULT, LANGUAGES, language_for, words_in


def values_in(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("language", sorted(set(LANGUAGES) - {DEFAULT}))
def test_a_translation_has_every_name_and_the_same_values(language: str) -> None:
    english, other = words_in(DEFAULT)._texts, words_in(language)._texts
    assert sorted(other) == sorted(english)
    for name, text in english.items():
        assert values_in(other[name]) == values_in(text), name
        assert other[name].strip(), name


def test_each_file_is_offered_and_of_one_and_of_many_come_together() -> None:
    folder = Path(__file__).parents[2] / "ui" / "words"
    assert {path.stem for path in folder.glob("*.toml")} == set(LANGUAGES)
    names = set(words_in(DEFAULT)._texts)
    assert {f"{name.removesuffix('one')}many" for name in names if name.endswith(".one")} <= names


def test_the_language_is_the_chosen_one_or_the_one_most_wanted(subtests: pytest.Subtests) -> None:
    for chosen, accepted, spoken in [
        ("", "", "en"),
        ("", "de-AT,de;q=0.9,en;q=0.8", "de"),
        ("", "fr-FR,fr;q=0.9,de;q=0.4", "de"),
        ("de", "en-GB", "de"),
        ("xx", "de", "de"),
        ("", ",;;q=,\x00", "en"),
    ]:
        with subtests.test(chosen=chosen, accepted=accepted):
            assert language_for(chosen, accepted) == spoken


def test_numbers_are_written_as_the_language_does_and_a_name_that_is_not_there_is_an_error() -> None:
    assert words_in("en").number(1234.5, 1) == "1,234.5"
    assert words_in("de").number(1234.5, 1) == "1.234,5"
    assert words_in("en").seconds(1400) == "1.4 s"
    assert words_in("de").percent(0.876) == "88 %"
    with pytest.raises(KeyError):
        words_in("en")("frame.no_such_name")


def test_what_services_say_is_translated_with_its_values() -> None:
    german = words_in("de")
    assert german.message("page 7: it is damaged or cut off (a) b); save it again") == (
        "Seite 7: Die Datei ist beschädigt oder abgeschnitten (a) b). Speichern Sie sie neu."
    )
    assert german.message("something new {x}") == "something new {x}"
    assert words_in("en").message("it is empty (0 bytes)") == "it is empty (0 bytes)"


def test_every_translated_message_is_one_that_the_program_says() -> None:
    root = Path(__file__).parents[2]
    packages = ("serving", "ingestion", "jargon_db", "library", "database", "agent", "golden_retriever")
    source = "\n".join(path.read_text(encoding="utf-8") for each in packages for path in (root / each).rglob("*.py"))
    # Texts that stand on several lines become one.
    source = re.sub(r'["\']\s*\n\s*f?["\']', "", source)
    for template, german in words_in("de").messages.items():
        assert values_in(german) <= values_in(template), template
        longest = max((piece.strip("'\" ;:.") for piece in re.split(r"\{\w+\}", template)), key=len)
        assert longest in source or template.startswith("{field}: "), template
