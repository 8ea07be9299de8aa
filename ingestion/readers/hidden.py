"""Hidden text of web pages: what no reader sees, and what instructions for a model are hidden in."""

import re

from bs4 import BeautifulSoup
from bs4.element import Tag

_HIDING = re.compile(
    r"display:none|visibility:(?:hidden|collapse)|font-size:0(?:\.0*)?(?:px|pt|em|rem|%)?(?:;|!|$)"
    r"|opacity:0(?:\.0*)?(?:;|!|$)|(?:left|top|text-indent|margin-left):-\d{4,}|(?:^|;)color:transparent"
)
_SAME_AS_PAPER = re.compile(r"(?:^|;)color:(?:white|#fff(?:fff)?|rgba?\(255,255,255(?:,1)?\))(?:;|!|$)")
_RULE = re.compile(r"([^{}]{1,2000})\{([^{}]{0,5000})\}")
_SIMPLE_SELECTOR = re.compile(r"[a-zA-Z][\w-]*|(?:[a-zA-Z][\w-]*)?[.#][\w-]+")
_PLAIN_RULES = 2_000
_SHOWN_CHARACTERS = 60


def drop_hidden(soup: BeautifulSoup) -> tuple[str, ...]:
    """Remove the elements of a page that are not shown; return a warning where they held text.

    They are found by the ``hidden`` attribute, by their own style, and by the page's style rules for one element,
    class or id. White text counts as hidden where neither it nor an element around it names a background.
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
        # Icons and doubles for the eye; the text is there for the ear a second time, or none at all.
        if not tag.decomposed and not any(map(str.isalnum, tag.get_text())):
            tag.decompose()
    if not texts:
        return ()
    longest = max(texts, key=len)
    shown = longest if len(longest) <= _SHOWN_CHARACTERS else longest[:_SHOWN_CHARACTERS].rsplit(" ", 1)[0] + " …"
    places = "one place" if len(texts) == 1 else f"{len(texts)} places"
    return (f"hidden text in {places} was left out, such as “{shown}”",)


def _is_hidden(tag: Tag) -> bool:
    if tag.has_attr("hidden"):
        return True
    style = _squeezed(tag.get("style"))
    if not style:
        return False
    return bool(_HIDING.search(style)) or bool(_SAME_AS_PAPER.search(style) and not _has_background(tag))


def _has_background(tag: Tag) -> bool:
    for each in (tag, *tag.parents):
        if each.has_attr("bgcolor") or "background" in _squeezed(each.get("style")):
            return True
        # A class may bring a background from anywhere.
        if each.has_attr("class") and each.name not in ("html", "body"):
            return True
    return False


def _squeezed(style: object) -> str:
    return re.sub(r"\s+", "", style).lower() if isinstance(style, str) else ""


def _hiding_selectors(soup: BeautifulSoup) -> list[str]:
    selectors: list[str] = []
    for sheet in soup.find_all("style"):
        rules = re.sub(r"/\*.*?\*/", "", sheet.get_text()[:1_000_000], flags=re.DOTALL)
        # What is hidden in print, or on a small screen only, is not hidden.
        rules = re.sub(r"@[^{;]{1,500}\{(?:[^{}]{0,2000}\{[^{}]{0,5000}\}){0,500}[^{}]{0,2000}\}", "", rules)
        for rule in list(_RULE.finditer(rules))[:_PLAIN_RULES]:
            if _HIDING.search(_squeezed(rule.group(2))):
                named = [each.strip() for each in rule.group(1).split(",")]
                selectors += [each for each in named if _SIMPLE_SELECTOR.fullmatch(each)]
    return selectors
