"""HTML pages: their visible headings, paragraphs, lists, tables and code, without navigation and the like."""

import base64
import binascii
import re
import urllib.parse
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import bs4
from bs4 import BeautifulSoup
from bs4.element import Tag

from contracts.errors import UnreadableFile
from contracts.text import Block, Page
from ingestion.limits import IngestionLimits
from ingestion.readers.encoding import decode_text
from ingestion.readers.html_navigation import drop_navigation
from ingestion.readers.html_tree import tree_blocks
from ingestion.readers.pictures import PictureReader
from ingestion.readers.text_headings import with_questions_as_headings
from tools.ocr import OcrEngine

_DROPPED = [
    "script", "style", "noscript", "template", "svg", "iframe", "object", "embed", "applet", "select", "textarea",
    "head",
]  # fmt: skip
_HEADINGS = re.compile("h[1-6]|summary")
# A form without headings and with fewer words than this asks for something; a longer one contains a whole page.
_FORM_WORDS = 50
_HEAD_BYTES = 256 * 1024
_INLINE_PICTURE = re.compile(r"data:image/[\w.+-]+(?:;(?!base64,)[\w=.-]+)*;base64,", re.IGNORECASE)

_HIDING = re.compile(
    r"display:none|visibility:(?:hidden|collapse)|font-size:0(?:\.0*)?(?:px|pt|em|rem|%)?(?:;|!|$)"
    r"|opacity:0(?:\.0*)?(?:;|!|$)|(?:left|top|text-indent|margin-left):-\d{4,}|(?:^|;)color:transparent"
)
# Tabs and accordions show these when a reader clicks.
_UNFOLDED = ("tabpanel", "region")
# Text that appears while the page is scrolled.
_MOVING = re.compile(r"transition|transform|animation")
_SIZED = re.compile(r"font-size:\s*(?:[1-9]|0?\.[1-9])")
_SAME_AS_PAPER = re.compile(r"(?:^|;)color:(?:white|#fff(?:fff)?|rgba?\(255,255,255(?:,1)?\))(?:;|!|$)")
_RULE = re.compile(r"([^{}]{1,2000})\{([^{}]{0,5000})\}")
_SIMPLE_SELECTOR = re.compile(r"[a-zA-Z][\w-]*|(?:[a-zA-Z][\w-]*)?[.#][\w-]+")
_PLAIN_RULES = 2_000
_SHOWN_CHARACTERS = 60


def read(path: Path, limits: IngestionLimits, ocr: OcrEngine | None) -> Iterator[Page]:
    """Read a web page as one page. Scripts, forms and hidden text are left out; embedded pictures are read.

    Raises:
        UnreadableFile: the file is not text.
    """
    markup, notes = _markup_of(path)
    pictures = PictureReader(limits, ocr)
    try:
        blocks, hidden = markup_blocks(markup, pictures=pictures)
    except RecursionError as error:
        raise UnreadableFile(str(path), "its elements are nested too deeply") from error
    yield pictures.page(Page(number=1, blocks=blocks, warnings=(*notes, *hidden)))


def title(path: Path) -> str:
    """Return the page's title element, or ""."""
    with path.open("rb") as file:
        soup = _parsed(file.read(_HEAD_BYTES))
    return " ".join(soup.title.get_text().split()) if soup.title else ""


def markup_blocks(
    markup: str | bytes,
    page: int = 1,
    pictures: PictureReader | None = None,
    fetch: Callable[[str], bytes | None] = lambda address: None,
) -> tuple[tuple[Block, ...], tuple[str, ...]]:
    """Read HTML or XHTML, including that of a book or an email; return its blocks and warnings about hidden text.

    ``pictures`` reads the pictures embedded in addresses (``data:image/png;base64,…``), and those that ``fetch`` finds.
    """

    def read_picture(address: str) -> list[Block]:
        raw = _inline_picture(address) or fetch(address)
        return pictures.read(raw, page) if raw and pictures is not None else []

    soup = _parsed(markup)
    hidden = drop_hidden(soup)
    for tag in soup.find_all(_DROPPED):
        if not tag.decomposed:
            tag.decompose()
    _drop_controls(soup)
    for comment in soup.find_all(string=lambda text: isinstance(text, bs4.element.PreformattedString)):
        comment.extract()
    drop_navigation(soup)
    blocks = tree_blocks(_main_part(soup), page, read_picture if pictures is not None else None)
    return tuple(with_questions_as_headings(blocks)), hidden


def _drop_controls(soup: BeautifulSoup) -> None:
    """Remove forms and buttons, except forms around a page's text, and buttons in headings and sentences."""
    for form in soup.find_all("form"):
        if not form.decomposed and not form.find(_HEADINGS) and len(form.get_text(" ").split()) < _FORM_WORDS:
            form.decompose()
    for button in soup.find_all("button"):
        text, heading, around = button.get_text().strip(), button.find_parent(_HEADINGS), button.parent
        is_heading = heading is not None and heading.get_text().strip() == text
        in_text = around is not None and around.name in ("p", "li", "dd", "td") and around.get_text().strip() != text
        if not is_heading and not in_text:
            button.decompose()


def _parsed(markup: str | bytes) -> BeautifulSoup:
    """Parse HTML or XHTML, even if it is broken; entities that it declares itself are not expanded."""
    with warnings.catch_warnings(action="ignore"):
        return BeautifulSoup(markup, "lxml")


def _inline_picture(address: str) -> bytes | None:
    """Return the bytes of a picture embedded in its address (``data:image/png;base64,…``), None for any other."""
    head = _INLINE_PICTURE.match(address)
    if head is None:
        return None
    try:
        return base64.b64decode(urllib.parse.unquote_to_bytes(address[head.end() :]), validate=False)
    except (binascii.Error, ValueError):
        return None


def _markup_of(path: Path) -> tuple[str | bytes, tuple[str, ...]]:
    with path.open("rb") as file:
        head = file.read(4_096)
    declared = re.search(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?\s*([\w-]+)", head, re.IGNORECASE)
    if declared and declared.group(1).lower() not in (b"utf-8", b"utf8"):
        return path.read_bytes(), ()
    return decode_text(path)


def _main_part(soup: BeautifulSoup) -> Tag:
    body = soup.body or soup
    articles = [each for each in soup.find_all("article") if each.find_parent("article") is None]
    main = soup.find("main") or soup.select_one("[role=main]") or (articles[0] if len(articles) == 1 else None)
    if isinstance(main, Tag) and len(main.get_text()) > 0.5 * len(body.get_text()):
        return main
    return body


def drop_hidden(soup: BeautifulSoup) -> tuple[str, ...]:
    """Remove the elements of a page that are not shown; return a warning if they contained text.

    They are found by the ``hidden`` attribute, by their own style, and by the page's style rules for one element,
    class or id. White text counts as hidden if neither it nor an element around it sets a background.
    """
    hidden = [tag for tag in soup.find_all(True) if _is_hidden(tag)]
    for selector in _hiding_selectors(soup):
        hidden += soup.select(selector)
    texts = []
    for tag in hidden:
        if tag.decomposed or tag.name in ("html", "body"):
            continue
        text = " ".join(tag.get_text(" ").split())
        if text:
            texts.append(text)
        tag.decompose()
    for tag in soup.select("[aria-hidden=true]"):
        # Icons and visual duplicates: their text is repeated for screen readers, or they have no text.
        if not tag.decomposed and not any(map(str.isalnum, tag.get_text())):
            tag.decompose()
    if not texts:
        return ()
    longest = max(texts, key=len)
    shown = longest if len(longest) <= _SHOWN_CHARACTERS else longest[:_SHOWN_CHARACTERS].rsplit(" ", 1)[0] + " …"
    places = "one place" if len(texts) == 1 else f"{len(texts)} places"
    return (f"hidden text in {places} was left out, such as “{shown}”",)


def _is_hidden(tag: Tag) -> bool:
    if tag.get("role") in _UNFOLDED or tag.get("hidden") == "until-found":
        return False
    if tag.has_attr("hidden"):
        return True
    style = _squeezed(tag.get("style"))
    if not style or ("opacity:0" in style and _MOVING.search(style)):
        return False
    if "font-size:0" in style and tag.find(style=_SIZED):
        # Removes the gaps between the elements inside, which set their own size.
        return False
    return bool(_HIDING.search(style)) or bool(_SAME_AS_PAPER.search(style) and not _has_background(tag))


def _has_background(tag: Tag) -> bool:
    for each in (tag, *tag.parents):
        if each.has_attr("bgcolor") or "background" in _squeezed(each.get("style")):
            return True
        # A class may set a background from any style sheet.
        if each.has_attr("class") and each.name not in ("html", "body"):
            return True
    return False


def _squeezed(style: object) -> str:
    return re.sub(r"\s+", "", style).lower() if isinstance(style, str) else ""


def _hiding_selectors(soup: BeautifulSoup) -> list[str]:
    selectors: list[str] = []
    for sheet in soup.find_all("style"):
        rules = re.sub(r"/\*.*?\*/", "", sheet.get_text()[:1_000_000], flags=re.DOTALL)
        # Content that is hidden only in print or on small screens counts as shown.
        rules = re.sub(r"@[^{;]{1,500}\{(?:[^{}]{0,2000}\{[^{}]{0,5000}\}){0,500}[^{}]{0,2000}\}", "", rules)
        for rule in list(_RULE.finditer(rules))[:_PLAIN_RULES]:
            if _HIDING.search(_squeezed(rule.group(2))):
                named = [each.strip() for each in rule.group(1).split(",")]
                selectors += [each for each in named if _SIMPLE_SELECTOR.fullmatch(each)]
    return selectors
