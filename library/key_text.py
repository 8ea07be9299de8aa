"""The text of an API key: how one is made, recognised and digested. No database is here."""

import hashlib
import re
import secrets
import string
import zlib

PREFIX = "gr_"
_ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
_SECRET_BYTES = 32
# 62 ** 43 is the first power above 2 ** 256, and 62 ** 6 the first above 2 ** 32.
_SECRET_CHARACTERS = 43
_CHECK_CHARACTERS = 6
_KEY = re.compile(rf"{PREFIX}[0-9A-Za-z]{{{_SECRET_CHARACTERS + _CHECK_CHARACTERS}}}", re.ASCII)

KEY_CHARACTERS = len(PREFIX) + _SECRET_CHARACTERS + _CHECK_CHARACTERS


def new_key() -> str:
    """Return a new key: ``gr_``, 256 random bits and a checksum of them, in letters and digits.

    The prefix and the checksum let scanners of repositories and logs tell a leaked key from other text.
    """
    secret = _written(int.from_bytes(secrets.token_bytes(_SECRET_BYTES)), _SECRET_CHARACTERS)
    return f"{PREFIX}{secret}{_check(secret)}"


def is_key(text: str) -> bool:
    """Say whether ``text`` has the form of a key, its checksum included; nothing is looked up."""
    if _KEY.fullmatch(text) is None:
        return False
    secret = text[len(PREFIX) : -_CHECK_CHARACTERS]
    return _check(secret) == text[-_CHECK_CHARACTERS:]


def digest_of(key: str) -> str:
    """Return what is stored of a key: its SHA-256, 64 hexadecimal digits.

    A slow or a keyed hash protects secrets that can be guessed, as passwords can. Nobody guesses 256 random bits, so a
    fast hash is as safe, and costs a request nothing.
    """
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def _check(secret: str) -> str:
    return _written(zlib.crc32(secret.encode("ascii")), _CHECK_CHARACTERS)


def _written(number: int, length: int) -> str:
    digits = []
    for _ in range(length):
        number, digit = divmod(number, len(_ALPHABET))
        digits.append(_ALPHABET[digit])
    return "".join(reversed(digits))
