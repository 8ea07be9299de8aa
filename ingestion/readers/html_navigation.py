"""Navigation of web pages, which is not part of their text: link bars, breadcrumbs, tables of contents, footers."""

import re
from collections.abc import Iterator

from bs4 import BeautifulSoup
from bs4.element import Tag

_BLOCKS = ["p", "div", "ul", "ol", "dl", "table", "center", "section", "aside"]
_LISTS = ["ul", "ol", "dl"]
_HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"]
_CERTAIN = (
    "nav, [role=navigation], [role=doc-toc], [role=contentinfo], .navheader, .navfooter, footer, div.footer, #footer, "
    # Word's tables of contents, edit and source links, line and page numbers.
    "[class^=MsoToc], .mw-editsection, .viewcode-link, .linenos, .lineno, .gutter, .rouge-gutter, .ttc, "
    "[role=doc-pagebreak]"
)
_FOOTERS = "footer, div.footer, #footer"
_MOST_FOOTER_WORDS = 80
_NAMES = re.compile(
    r"(?:.*[-_])?(?:nav\w*|\w*toc|toctree|contents|breadcrumbs?|pagination|pager|\w*menu|index\w*|sidebar\w*)(?:[-_].*)?",
    re.IGNORECASE,
)
_LINKED_SHARE = 0.6
_DIRECTIONS = frozenset("prev previous next up home start top contents toc index first last".split())  # noqa: SIM905
_DIRECTION = re.compile(
    r"(?:go )?(?:to )?(?:the )?(?P<where>prev(?:ious)?|next|up|home|top|back|contents?|table of contents|index|first|"
    r"last|zurück|weiter|vorherige[rs]?|nächste[rs]?|nach oben|inhalt(?:sverzeichnis)?|startseite)"
    r"(?: (?:page|chapter|section|topic|part|up|seite|kapitel))?",
    re.IGNORECASE,
)
_SEPARATORS = re.compile(r"[\s\[\]()]*(?:(?:[|»›>→/·•«‹←]|::)[\s\[\]()]*)+")
_CONTENTS = re.compile(
    r"(?:table of |page )?contents|inhalt(?:sverzeichnis)?|"
    r"(?:(?:topics|sections)(?: covered)? )?(?:on|in) this (?:page|section|chapter|document)",
    re.IGNORECASE,
)
# The index at the end of a book, whose entries link to places in the text.
_INDEX = re.compile(r"(?:[\w.]+ ){0,4}(?:index|stichwortverzeichnis)", re.IGNORECASE)
_INDEXED_SHARE = 0.35
_MOST_BAR_WORDS, _MOST_OTHER_WORDS = 60, 20
_FEWEST_ENTRIES = 3
# Elements that can stand for a heading in a table of contents.
_ENTRY = ["p", "dt", "tr", "li", "div"]
_ENTRY_CHARACTERS = 300
_HEADED_SHARE = 0.8


def drop_navigation(soup: BeautifulSoup) -> None:
    """Remove navigation within a page and between pages. Lists of links that belong to the text stay."""
    for tag in soup.select(_CERTAIN):
        if not tag.decomposed and (not tag.css.match(_FOOTERS) or _is_footer(tag)):
            tag.decompose()
    for link in soup.select("a[href^='#']"):
        text = link.get_text().strip()
        # The symbol after a heading that links to it, and the number of a paragraph that links to itself.
        is_number = text.isdecimal() and link["href"] == f"#{text}" and _is_alone(link, text)
        if is_number or (not any(map(str.isalnum, text)) and link.find("img") is None):
            link.decompose()
    # ``decomposed`` searches a whole element, so it is called for few elements.
    for tag in [tag for tag in soup.find_all(_BLOCKS) if _is_named_so(tag)]:
        if not tag.decomposed and _linked_share(tag) >= _LINKED_SHARE:
            _drop_with_label(tag)
    _drop_bars(soup)
    headings = {_squeezed(heading) for heading in [*soup.find_all(_HEADINGS), *_link_targets(soup)]}
    index = _is_index(soup)
    for tag in [tag for tag in soup.find_all([*_LISTS, "table", "p"]) if tag.find_parent(_LISTS) is None]:
        if not tag.decomposed and (_is_contents(tag, headings) or (index and _linked_share(tag) >= _INDEXED_SHARE)):
            _drop_with_label(tag)


def _link_targets(soup: BeautifulSoup) -> Iterator[Tag]:
    """Yield the short elements that links in the page lead to: questions, terms, bold lines."""
    names = {str(link["href"])[1:] for link in soup.select("a[href^='#']")}
    for target in soup.find_all(lambda tag: tag.get("id") in names or tag.get("name") in names):
        block = target if any(map(str.isalnum, target.get_text())) else target.find_parent(_ENTRY)
        if block is not None and len(block.get_text()) <= _ENTRY_CHARACTERS:
            yield block


def _is_alone(link: Tag, text: str) -> bool:
    return link.parent is not None and link.parent.get_text().strip() == text


def _is_index(soup: BeautifulSoup) -> bool:
    """Return whether the first or second heading of a page calls it an index, such as "Concept Index"."""
    first = soup.find_all(["h1", "h2"], limit=2)
    return any(_INDEX.fullmatch(re.sub(r"[^\w.]+", " ", each.get_text()).strip()) for each in first)


def _is_footer(tag: Tag) -> bool:
    if tag.find_parent("blockquote") is not None:
        return False
    if _linked_share(tag) >= _LINKED_SHARE:
        return True
    return tag.find(_HEADINGS) is None and len(tag.get_text(" ").split()) <= _MOST_FOOTER_WORDS


def _is_named_so(tag: Tag) -> bool:
    names = [*(tag.get("class") or []), tag.get("id") or ""]
    return any(_NAMES.fullmatch(str(name)) for name in names)


def _linked_share(tag: Tag) -> float:
    """Return the share of an element's letters that are in links, in [0, 1]; labels such as "Contents" count too."""
    linked = sum(len(_squeezed(link)) for link in tag.find_all("a", href=True))
    label = _label_in(tag)
    return (linked + (len(_squeezed(label)) if label is not None else 0)) / max(len(_squeezed(tag)), 1)


def _squeezed(tag: Tag) -> str:
    """Return the letters and digits of an element, without a chapter number at its start."""
    return re.sub(r"^[\d.\s]+|[\W_]+", "", tag.get_text()).casefold()


def _label_in(tag: Tag) -> Tag | None:
    first = tag.find([*_HEADINGS, "p", "strong", "b", "caption", "span"])
    return first if isinstance(first, Tag) and _is_label(first) else None


def _is_label(tag: Tag) -> bool:
    return bool(_CONTENTS.fullmatch(" ".join(tag.get_text(" ").split()).rstrip(":")))


def _drop_with_label(tag: Tag) -> None:
    label = tag.find_previous_sibling()
    if isinstance(label, Tag) and _is_label(label):
        label.decompose()
    tag.decompose()


def _drop_bars(soup: BeautifulSoup) -> None:
    """Drop the blocks around links to the previous and next page, and blocks of links separated only by symbols."""
    judged: set[int] = set()
    for link in soup.find_all("a", href=True):
        if link.decomposed:
            continue
        block = link.find_parent(_BLOCKS)
        # Links in separate paragraphs or lists are next to each other in the surrounding block.
        for _ in range(2):
            if block is None or id(block) in judged:
                break
            judged.add(id(block))
            if _is_bar(block):
                block.decompose()
                break
            block = block.find_parent(_BLOCKS)


def _is_bar(block: Tag) -> bool:
    links = block.find_all("a", href=True)
    if len(links) < 2 or block.find([*_HEADINGS, "pre"]) is not None:
        return False
    words = len(block.get_text(" ").split())
    if words > _MOST_BAR_WORDS:
        return False
    other = " ".join(
        text for text in block.find_all(string=True) if not any(parent.name == "a" for parent in text.parents)
    )
    if _SEPARATORS.fullmatch(other):
        return True
    directions = [where for link in links if (where := _direction(link))]
    most = len(set(directions)) > 1 and 2 * len(directions) > len(links)
    return most and len(re.findall(r"\w+", other)) <= _MOST_OTHER_WORDS


def _direction(link: Tag) -> str:
    """Return the direction of a link ("next", "→"); "" if it leads to a topic of the text."""
    named = _DIRECTIONS & {str(each).lower() for each in link.get("rel") or []}
    picture = link.find("img")
    shown = " ".join(link.get_text(" ").split()) or (str(picture.get("alt")) if isinstance(picture, Tag) else "")
    label = re.sub(r"^[\W_]+|[\W_]+$", "", shown)
    match = _DIRECTION.fullmatch(label)
    return min(named, default=match["where"].lower() if match else "" if label else shown)


def _is_contents(tag: Tag, headings: set[str]) -> bool:
    """Return whether a list has only links, and is titled as a table of contents or lists the page's headings."""
    links = tag.find_all("a", href=True)
    if len(links) < _FEWEST_ENTRIES or _linked_share(tag) < 0.9:
        return False
    before = tag.find_previous_sibling()
    if isinstance(before, Tag) and _is_label(before):
        return True
    if isinstance(before, Tag) and before.get_text().rstrip().endswith(":"):
        return False
    return sum(_squeezed(link) in headings for link in links) >= _HEADED_SHARE * len(links)
