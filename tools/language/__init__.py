"""Language functions that several judges need: sentences, words, stems, rarity, quantities and choices."""

from tools.language.choices import split_choices
from tools.language.quantities import Quantity, find_quantities
from tools.language.sentences import cut_at_sentences, find_piece, split_sentences
from tools.language.words import (
    MEANING_STEMS,
    STOP_WORDS,
    Word,
    content_stems,
    find_words,
    fold,
    rarity,
    stem,
    word_texts,
)

__all__ = [
    "MEANING_STEMS",
    "STOP_WORDS",
    "Quantity",
    "Word",
    "content_stems",
    "cut_at_sentences",
    "find_piece",
    "find_quantities",
    "find_words",
    "fold",
    "rarity",
    "split_choices",
    "split_sentences",
    "stem",
    "word_texts",
]
