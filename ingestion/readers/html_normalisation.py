"""Adds structure that a web page's markup only implies: remarks, options above their descriptions, formulas."""

import re
from itertools import pairwise, takewhile

from bs4.element import Tag

from ingestion.readers.formulas import formula_text
from ingestion.readers.html_lists import list_items
from ingestion.readers.html_text import BLOCKS, CAPTION, LISTS, is_bold, tag_name, text_of

_REMARK = re.compile(
    r"(?:note|tip|hint|warning|caution|important|danger|attention)(?:block)?|"
    r"(?:theme-)?admonition(?:block|-\w+)?|(?:markdown-)?alert(?:-\w+)?|(?:bs-)?callout(?:-\w+)?"
)
_TITLE = re.compile(r"(?:[\w-]+-)?title|icon|(?:admonition|alert-)heading\w*", re.IGNORECASE)
# groff writes the description of a term as a paragraph that is indented further.
_SET_IN = re.compile(r"margin-left:\s*(\d{1,2})%")
# "-s", "IdleTimeout=300", "max_size".
_CODE_NAME = re.compile(r"-{1,2}\w[^\n]*|[\w.-]+=\S*|[\w-]+[_.][\w.-]+")
_ANCHOR = re.compile("^#.")
_EXPONENT = re.compile(r"[-−+]?\d{1,3}|[nNkx]")
_MARK_LENGTH = 4
MOST_TERM_WORDS = 8
# Elements that may describe the term above them.
_MOST_DESCRIBING = 5
_MOST_BETWEEN_STEPS, _MOST_STEPS = 3, 500


def normalise_markup(root: Tag) -> None:
    """Change the elements below ``root`` so that their structure shows in their names and text."""
    _write_formulas(root)
    _write_raised(root)
    _write_code(root)
    _name_remarks(root)
    _end_titles(root)
    _join_terms(root)
    _fill_descriptions(root)
    _join_steps(root)


def _write_formulas(root: Tag) -> None:
    """Replace each formula with its linear form; a displayed formula stays an element."""
    for formula in root.find_all(lambda tag: tag_name(tag) == "math"):
        if not formula.decomposed:
            text = f" {formula_text(formula)} "
            if formula.get("display") == "block":
                formula.string = text
            else:
                formula.replace_with(text)


def _write_raised(root: Tag) -> None:
    """Mark exponents of numbers ("2^31"); drop the marks of notes, and text that is struck out."""
    for raised in root.find_all(["sup", "s", "strike", "del"]):
        if raised.decomposed:
            continue
        text = raised.get_text().strip()
        link = raised.find("a", href=_ANCHOR) or raised.find_parent("a", href=_ANCHOR)
        if raised.name != "sup" or (link and len(text) <= _MARK_LENGTH):
            raised.decompose()
        elif _EXPONENT.fullmatch(text) and str(raised.previous_sibling)[-1:].isdigit():
            raised.insert(0, "^")


def _write_code(root: Tag) -> None:
    """Mark code of several lines as preformatted: inline code with line breaks, and Doxygen's lines."""
    for line_break in root.select(":is(code, tt, samp) > br"):
        code = line_break.parent
        if code is not None and not code.find(BLOCKS) and code.find_parent("pre") is None:
            code.name = "pre"
            if str(line_break.next_sibling).startswith("\n"):
                line_break.decompose()
    for fragment in root.select("div.fragment"):
        lines = "\n".join(line.get_text() for line in fragment.select(".line"))
        if lines:
            fragment.name, fragment.string = "pre", lines


def _end_titles(root: Tag) -> None:
    """End the title of a list, an example or a table with a colon, as it leads into it."""
    for title in root.select("div.title:not(:has(p, div, h1, h2, h3, h4, h5, h6))"):
        text, following = text_of(title), title.find_next_sibling()
        first = following.find(True) if following is not None and following.name == "div" else following
        leads = isinstance(first, Tag) and tag_name(first) in ("pre", "table", *LISTS)
        if leads and text[-1:].isalnum() and not CAPTION.match(text):
            title.append(":")


def _name_remarks(root: Tag) -> None:
    """Put the label of a remark ("Note") before its text: as a heading it would claim the text after the remark."""
    for remark in root.find_all(["div", "section", "aside", "blockquote"], class_=_is_remark):
        title = remark.find(_is_title)
        if not isinstance(title, Tag) or not remark.get_text().lstrip().startswith(title.get_text().strip()):
            continue
        symbol = title.find(title=True)
        label = text_of(title) or (str(symbol["title"]) if isinstance(symbol, Tag) else "")
        for icon in remark.find_all("img", alt=re.compile(rf"\W*{re.escape(label)}\W*")) if label else ():
            icon.decompose()
        following = title.find_next_sibling() or (title.find_next("td") if title.name == "th" else None)
        if not label or not isinstance(following, Tag) or tag_name(following) in (*LISTS, "pre", "table"):
            title.name = "p"
            title.append(":" if label and label[-1].isalnum() else "")
            continue
        _innermost(following).insert(0, f"{label.rstrip(':')}{':' * (label[-1] not in '.?!')} ")
        title.decompose()


def _join_terms(root: Tag) -> None:
    """Join an option with its description: a short paragraph with the one below it.

    The description is indented further, or the option is bold and looks like a name in a program.
    """
    for term, following in pairwise(root.find_all("p")):
        text = text_of(term)
        is_term = 0 < len(text.split()) <= MOST_TERM_WORDS and text[-1] not in ".,:;!?{}"
        if not is_term or term.find_next_sibling() is not following or term.find("img"):
            continue
        named = is_bold(term) and _CODE_NAME.fullmatch(text) and not is_bold(following)
        if named or 0 < _set_in(term) < _set_in(following):
            following.insert(0, f"{text}: ")
            term.decompose()


def _fill_descriptions(root: Tag) -> None:
    """Move the paragraphs and the code after a lone term without a description into its description."""
    for terms in root.find_all("dl"):
        parts = terms.find_all(["dt", "dd"])
        if [part.name for part in parts] != ["dt", "dd"] or text_of(parts[1]) or parts[1].find("img"):
            continue
        for following in terms.find_next_siblings(limit=_MOST_DESCRIBING):
            if tag_name(following) not in ("p", "div", "pre", "ul", "ol") or following.find(
                ["dl", "section", "h2", "h3"]
            ):
                break
            parts[1].append(following.extract())


def _join_steps(root: Tag) -> None:
    """Join the parts of a numbered list; elements between them, such as a command, belong to the item above them."""
    for part in root.find_all("ol", start=True):
        before = part.find_previous_siblings(True, limit=_MOST_BETWEEN_STEPS + 1)
        between = list(takewhile(lambda each: not re.match("ol|h[1-6r]", tag_name(each)), before))
        above = next(iter(before[len(between) :]), part)
        last = [each for each in list_items(above) if each.mark][-1:] if len(above.contents) < _MOST_STEPS else []
        if not last or f"{int(last[0].mark[:-2]) + 1}" != part["start"]:
            continue
        last[0].parts[0].extend(reversed(between))
        above.extend(part.find_all("li", recursive=False))
        part.decompose()
        code = above.find_next_sibling()
        if isinstance(code, Tag) and code.name == "pre" and above.find("pre"):
            above.find_all("li", recursive=False)[-1].append(code)


def _set_in(tag: Tag) -> int:
    found = _SET_IN.search(str(tag.get("style")))
    return int(found.group(1)) if found else 0


def _innermost(tag: Tag) -> Tag:
    """Return the element in which the text of ``tag`` begins."""
    for child in tag.children:
        if isinstance(child, Tag):
            return _innermost(child) if tag_name(child) in ("div", "p") else tag
        if str(child).strip():
            return tag
    return tag


def _is_remark(name: str | None) -> bool:
    return name is not None and bool(_REMARK.fullmatch(name))


def _is_title(tag: Tag) -> bool:
    named = any(_TITLE.fullmatch(name) for name in tag.get("class") or [])
    return named or bool(re.fullmatch(r"h[1-6]|th", tag_name(tag)))
