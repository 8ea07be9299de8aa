"""Decides whether the text layer of a PDF page can be trusted, and which of two readings of a page is better."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from pdfplumber.page import Page as PlumberPage
from wordfreq import zipf_frequency

from ingestion.layout.words import LayoutWord, is_inside

MOSTLY_A_PICTURE = "it is mostly a picture"

_FEW_CHARACTERS = 200
# Shares of a page's characters and area, chosen on scans with stamped headers and on slides with pictures.
_GARBAGE_SHARE = 0.15
_LEAST_ALPHANUMERIC_SHARE = 0.4
_IMAGE_SHARE = 0.5
# UTF-8 that was read as Latin-1 or Windows-1252: an accented letter becomes two or three of these.
_MOJIBAKE = re.compile(r"[\u00c2\u00c3][\u0080-\u00bf\u0152-\u0178\u2018-\u203a]|\u00e2[\u0080\u20ac].")
_MOJIBAKE_SHARE = 0.02
_LEAST_MOJIBAKE = 5
_PROSE_WORD = re.compile(r"(?<![\w-])[^\W\d_]{4,20}(?![\w-])")
# Pages with fewer words than this are too often lists of names and numbers to be judged by their words.
_LEAST_WORDS = 25
_MOST_WORDS = 120
# Zipf frequency 2: once in ten million words. Names of products and misread words are rarer.
_KNOWN_ZIPF = 2.0
# Nine in ten of the longer words of English prose and manuals are known, one in ten of ciphers and noise.
_NO_WORDS_SHARE = 0.3
_BAD_OCR_SHARE = 0.75
_LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "nb", "pl", "cs", "fi", "hu", "ro", "tr")


def why_unreadable(page: PlumberPage) -> str:
    """Return why a page has no readable text layer, as a clause about the page; "" if it has one."""
    letters = [str(char["text"]) for char in page.chars if str(char["text"]).strip()]
    if not letters:
        drawn = bool(page.images) or len(page.curves) + len(page.rects) > 20
        return "it has no text layer" if drawn else ""
    odd = sum(1 for text in letters if text.startswith("(cid:") or unicodedata.category(text[0]) in ("Co", "Cn", "Cc"))
    odd += letters.count("\ufffd")
    if odd > _GARBAGE_SHARE * len(letters):
        return "its text layer contains glyph codes instead of letters"
    mojibake = len(_MOJIBAKE.findall("".join(letters)))
    if mojibake >= _LEAST_MOJIBAKE and 2 * mojibake > _MOJIBAKE_SHARE * len(letters):
        return "its text layer is in a wrong encoding"
    counted = [text for text in letters if text not in "._-–—…·|•"]
    if len(counted) >= 80 and sum(text[0].isalnum() for text in counted) < _LEAST_ALPHANUMERIC_SHARE * len(counted):
        return "its text layer contains symbols instead of letters"
    return ""


def why_doubtful(page: PlumberPage, words: Sequence[LayoutWord]) -> str:
    """Return why OCR of a page may find more than ``words`` (its text layer); "" if it will not."""
    pictured = image_share(page) > _IMAGE_SHARE
    pictures = [(image["x0"], image["top"], image["x1"], image["bottom"]) for image in page.images]
    on_pictures = (word for word in words if any(is_inside(word.box, picture) for picture in pictures))
    if pictured and sum(len(word.text) for word in on_pictures) < _FEW_CHARACTERS:
        return MOSTLY_A_PICTURE
    known = known_share((word.text for word in words), enough=_BAD_OCR_SHARE if pictured else _NO_WORDS_SHARE)
    if known is not None and known < _NO_WORDS_SHARE:
        return "the words of its text layer are not real words"
    if pictured and known is not None and known < _BAD_OCR_SHARE:
        return "many words of the text layer over its picture are not real words"
    return ""


def image_share(page: PlumberPage) -> float:
    """Return the share of a page that pictures cover, in [0, 1]."""
    area = float(page.width * page.height) or 1.0
    shares = [
        max(0.0, min(image["x1"], page.width) - max(image["x0"], 0))
        * max(0.0, min(image["bottom"], page.height) - max(image["top"], 0))
        / area
        for image in page.images
    ]
    return min(1.0, float(sum(shares)))


def native_dpi(page: PlumberPage) -> float | None:
    """Return the resolution of the picture that covers a page, in dots per inch; None if none covers most of it."""
    found = [
        max(image["srcsize"]) * 72.0 / max(float(image["x1"] - image["x0"]), float(image["bottom"] - image["top"]), 1.0)
        for image in page.images
        if (image["x1"] - image["x0"]) * (image["bottom"] - image["top"])
        > _IMAGE_SHARE * float(page.width * page.height)
    ]
    return max(found) if found else None


def known_share(words: Iterable[str], *, enough: float = 1.0) -> float | None:
    """Return the share of the longer words that are known in the likeliest language; None if there are too few of them.

    The search ends at the first language with ``enough`` known words: every word list takes time and memory.

    Source: word lists of wordfreq 3.1 (Speer 2022). Only Latin script is judged.
    """
    found = [word.casefold() for word in _prose_words(words)]
    if len(found) < _LEAST_WORDS or sum(word.isascii() for word in found) < 0.5 * len(found):
        return None
    # A sample of the words is as good as all of them.
    found = found[:: 1 + len(found) // _MOST_WORDS]
    return _most_known(found, lambda word: 1, enough * len(found)) / len(found)


def known_letters(words: Iterable[str]) -> int:
    """Count the letters of the longer words that are known in the language with the most known letters."""
    found = [word.casefold() for word in _prose_words(words)]
    return _most_known(found, len, _BAD_OCR_SHARE * sum(map(len, found)))


def _most_known(words: Sequence[str], weigh: Callable[[str], int], enough: float) -> int:
    """Return the largest weight of the words known in one language; the search ends at the first that is ``enough``."""
    best = 0
    for language in _LANGUAGES:
        best = max(best, sum(weigh(word) for word in words if _is_known(word, language)))
        if best >= enough:
            break
    return best


def _prose_words(words: Iterable[str]) -> list[str]:
    return _PROSE_WORD.findall(" ".join(words))


@lru_cache(maxsize=65_536)
def _is_known(word: str, language: str) -> bool:
    # Only English has the long list, which is loaded for other judgements anyway.
    return float(zipf_frequency(word, language, wordlist="best" if language == "en" else "small")) >= _KNOWN_ZIPF
