"""Every word that the pages say, in each language: one file per language, of the same names throughout.

A translation is one more file like ``en.toml``, in this folder.
"""

from ui.words.words import DEFAULT, LANGUAGES, Words, language_for, words_in

__all__ = ["DEFAULT", "LANGUAGES", "Words", "language_for", "words_in"]
