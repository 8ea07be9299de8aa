"""Cleans incoming questions, and rejects unusable ones."""

import unicodedata

from contracts.errors import InvalidInput
from contracts.question import MAX_QUESTION_CHARACTERS, Turn

# Zero-width and bidirectional marks that hide or reorder text; the joiners of Persian and Indic scripts are kept.
_INVISIBLE = frozenset("\u00ad\u200b\u2060\ufeff\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
# Only this many characters of an earlier turn are read, because a client may send a whole document as history.
_MAX_TURN_CHARACTERS = 4_000


def clean_question(question: str) -> str:
    """Return ``question`` without control characters or surrounding white space.

    Raises:
        InvalidInput: nothing is left, or it is longer than ``MAX_QUESTION_CHARACTERS``.
    """
    if len(question) > MAX_QUESTION_CHARACTERS:
        raise InvalidInput(
            f"The question has {len(question)} characters; at most {MAX_QUESTION_CHARACTERS} can be read. "
            "Shorten it, or add the text as a document.",
            field="question",
        )
    text = remove_controls(question).strip()
    if not any(character.isalnum() for character in text):
        raise InvalidInput("The question is empty: ask something in words.", field="question")
    return text


def remove_controls(text: str) -> str:
    """Remove control characters (except line breaks and tabs), lone surrogates and invisible marks."""
    return "".join(
        character
        for character in text.replace("\r\n", "\n").replace("\r", "\n")
        if character in "\n\t" or (unicodedata.category(character) not in {"Cc", "Cs"} and character not in _INVISIBLE)
    )


def clean_history(history: tuple[Turn, ...], most: int) -> tuple[Turn, ...]:
    """Return the last ``most`` turns that are not empty, each of limited length."""
    turns = (Turn(role=turn.role, text=remove_controls(turn.text[:_MAX_TURN_CHARACTERS]).strip()) for turn in history)
    spoken = tuple(turn for turn in turns if turn.text)
    return spoken[-most:] if most > 0 else ()
