"""The text of a web page's elements."""

import re

from bs4.element import NavigableString, PreformattedString, Tag

BLOCKS = frozenset(
    """address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer h1 h2
    h3 h4 h5 h6 header hr html li main ol p pre section summary table ul caption""".split()  # noqa: SIM905
)
LISTS = ("ul", "ol", "dl")
CAPTION = re.compile(r"(?:table|figure|fig\.|example|listing)\s+[A-Z]?\d", re.IGNORECASE)


def tag_name(tag: Tag) -> str:
    """Return the lower-case name of an element without its namespace."""
    return str(tag.name).rpartition(":")[2].lower()


def is_bold(tag: Tag) -> bool:
    """Return whether all text of an element is bold."""
    bold = tag.find(["b", "strong"])
    return isinstance(bold, Tag) and text_of(bold) == text_of(tag)


def text_of(tag: Tag) -> str:
    """Return an element's text on one line; pictures contribute their alternative text."""
    parts: list[str] = []
    for each in tag.descendants:
        before = each.previous_sibling
        if isinstance(before, Tag) and before.name in BLOCKS:
            parts.append(" ")
        if isinstance(each, NavigableString):
            parts.append("" if isinstance(each, PreformattedString) else str(each))
        elif isinstance(each, Tag):
            if each.name == "li" and each.find_previous_sibling("li"):
                _end_item(parts)
            elif each.name in BLOCKS or each.name in ("br", "td", "th"):
                parts.append(" ")
            elif each.name == "img":
                parts.append(alternative_text(each))
    return " ".join("".join(parts).split())


def _end_item(parts: list[str]) -> None:
    """Separate an item of a list from the next one with a semicolon, unless it ends with punctuation."""
    while parts and not parts[-1].strip():
        parts.pop()
    if parts and parts[-1].rstrip()[-1].isalnum():
        parts[-1] = f"{parts[-1].rstrip()};"
    parts.append(" ")


def heading_of(tag: Tag) -> str:
    """Return a heading's text without the name of an icon before it ("Help") and of badges after it ("build status").

    Either would look like words of the heading. A badge is a linked picture.
    """
    text, pictures = text_of(tag), tag.find_all("img")
    icon = alternative_text(pictures[0]) if pictures else ""
    is_icon = bool(re.fullmatch(r"[^\W\d_]+(?: [^\W\d_]+)*", icon)) and text.startswith(f"{icon} ")
    text = text.removeprefix(f"{icon} ") if is_icon else text
    for picture in reversed(pictures):
        name = alternative_text(picture)
        text = text.removesuffix(f" {name}") if name and picture.find_parent("a") else text
    return text


def alternative_text(picture: Tag) -> str:
    """Return a picture's alternative text; "" if that is only a symbol, such as a bullet."""
    text = str(picture.get("alt") or "")
    return text if any(map(str.isalnum, text)) else ""


def cells_of(row: Tag) -> list[Tag]:
    """Return the cells of a table row, without those of nested tables."""
    return [cell for cell in row.find_all(["td", "th"]) if cell.find_parent("tr") is row]
