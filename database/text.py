"""Text that every database accepts."""

import unicodedata


def storable(text: str) -> str:
    """Return ``text`` with U+FFFD in place of characters that no database accepts (NUL, lone surrogates)."""
    if "\x00" in text:
        text = text.replace("\x00", "\ufffd")
    try:
        text.encode()
    except UnicodeEncodeError:
        text = "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in text)
    return text


def unified(text: str) -> str:
    """Return storable ``text`` in NFKC: compatibility forms (ligatures, full width) become ordinary characters."""
    return unicodedata.normalize("NFKC", storable(text))
