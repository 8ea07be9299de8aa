"""All texts of the pages in each language: one file per language, with the same names.

A translation is another file like ``en.toml`` in this folder.
"""

from ui.words.words import DEFAULT, LANGUAGES, Words, language_for, words_in

__all__ = ["DEFAULT", "LANGUAGES", "Words", "language_for", "words_in"]
