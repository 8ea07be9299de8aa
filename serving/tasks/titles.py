"""Titles: a question in few words, its jargon first."""

from collections.abc import Sequence

from contracts.jargon import Sense
from tools.language import STOP_WORDS, Word, find_words, fold

MAX_WORDS = 5
MAX_TITLE_CHARACTERS = 60
_NEW = "New Chat"


def title_of(question: str, senses: Sequence[Sense] = ()) -> str:
    """Return a title of at most five words; what a term means stands behind it where there is room."""
    words = _telling_words(question)
    if not words:
        return _shortened(" ".join(question.split())) or _NEW
    meanings = {fold(sense.term): sense.extended_name for sense in senses}
    spare = MAX_WORDS - len(words)
    written = []
    for word in words:
        meaning = meanings.get(fold(word.text), "")
        if meaning and len(meaning.split()) <= spare and fold(meaning) not in fold(question):
            spare -= len(meaning.split())
            written.append(f"{word.text} ({meaning})")
        else:
            written.append(word.text)
    title = " ".join(written)
    return _shortened(title[0].upper() + title[1:])


def terms_in(text: str) -> list[str]:
    """Return the words that look like jargon, in order: with two capitals, or with letters and digits."""
    words = dict.fromkeys(word.text for word in find_words(text))
    return [word for word in words if _looks_like_jargon(word)]


def _telling_words(question: str) -> list[Word]:
    """Return the first words that say what the question is about, jargon before others where not all have room."""
    words = [
        word for word in find_words(question) if fold(word.text) not in STOP_WORDS or _looks_like_jargon(word.text)
    ]
    if len(words) <= MAX_WORDS:
        return words
    order = sorted(range(len(words)), key=lambda place: (not _looks_like_jargon(words[place].text), place))
    return [words[place] for place in sorted(order[:MAX_WORDS])]


def _looks_like_jargon(word: str) -> bool:
    capitals = sum(character.isupper() for character in word)
    return len(word) > 1 and (
        capitals > 1 or (any(map(str.isdigit, word)) and any(map(str.isalpha, word))) or word[1:] != word[1:].lower()
    )


def _shortened(text: str) -> str:
    if len(text) <= MAX_TITLE_CHARACTERS:
        return text
    cut = text[:MAX_TITLE_CHARACTERS]
    return (cut.rsplit(" ", 1)[0] if " " in cut else cut) + "…"
