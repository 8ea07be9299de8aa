"""Pieces that the tabs are made of."""

from collections.abc import Iterable, Sequence

from contracts.dictionary import ContextEntry, Difference, FieldValue
from contracts.jargon import Sense, SenseState
from ui.html import Attribute, Safe, element, join
from ui.words import Words

PAGE = 50
STATES: tuple[SenseState, ...] = ("published", "draft", "rejected")


def button(text: str, action: str, /, **attributes: Attribute) -> Safe:
    """Render a button that asks for ``action``."""
    return element("button", text, type="button", data_action=action, **attributes)


def labelled(text: str, field: Safe, **attributes: Attribute) -> Safe:
    """Render a field with its label."""
    return element("label", element("span", text), field, **attributes)


def line(text: str, name: str, value: str = "", /, **attributes: Attribute) -> Safe:
    """Render a field of one line."""
    kind = str(attributes.pop("type", "text"))
    return labelled(text, element("input", type=kind, name=name, value=value, autocomplete="off", **attributes))


def box(text: str, name: str, value: str = "", /, *, rows: int = 3) -> Safe:
    """Render a field of several lines."""
    # A browser drops the first line break of a text area.
    return labelled(text, element("textarea", f"\n{value}" if value.startswith("\n") else value, name=name, rows=rows),
                    class_="wide")  # fmt: skip


def choice(text: str, name: str, options: Iterable[tuple[str, str]], chosen: str, /, **attributes: Attribute) -> Safe:
    """Render a choice among ``options``: value and text of each."""
    written = [element("option", said, value=value, selected=value == chosen) for value, said in options]
    return labelled(text, element("select", *written, name=name, **attributes))


def context_choice(words: Words, contexts: Sequence[ContextEntry], chosen: str) -> Safe:
    """Render the choice of a meaning's context; one that is not described is among them where it is chosen."""
    names = [each.name for each in contexts]
    known = names if not chosen or chosen in names else [*names, chosen]
    options = [("", words("dictionary.everywhere")), *((name, name) for name in known)]
    return choice(words("dictionary.field.context"), "context", options, chosen)


def pager(words: Words, *, start: int, shown: int, total: int, page: int = PAGE) -> Safe | None:
    """Render which part of a list is shown, and the buttons to the others; None where all of it is."""
    if total <= page and not start:
        return None
    said = words("dictionary.part", first=words.number(min(start + 1, total)), last=words.number(start + shown),
                 total=words.number(total))  # fmt: skip
    return element(
        "nav",
        button(words("dictionary.previous"), "page", data_start=max(0, start - page), disabled=start <= 0,
               data_key="previous"),
        element("span", said, class_="quiet"),
        button(words("dictionary.next"), "page", data_start=start + page, disabled=start + shown >= total,
               data_key="next"),
        class_="pager",
        aria_label=words("dictionary.parts"),
    )  # fmt: skip


def chip(text: str, kind: str = "") -> Safe:
    """Render a short mark, such as a context or a state."""
    return element("span", text, class_=f"chip {kind}".strip())


def context_chip(words: Words, name: str) -> Safe:
    """Render the context of a meaning."""
    return chip(name) if name else chip(words("dictionary.everywhere"), "everywhere")


def meaning_line(words: Words, meaning: Sense) -> Safe:
    """Render a meaning in one line: its extended name and its context, and what it is."""
    about = element("span", f" {meaning.description}", class_="quiet") if meaning.description else None
    name = element("strong", meaning.term)
    return join([name, " ", meaning.extended_name, " ", context_chip(words, meaning.context), about])


def contradicted(words: Words, rivals: Sequence[Sense]) -> Safe | None:
    """Render the published meanings that something contradicts."""
    if not rivals:
        return None
    lines = [element("li", meaning_line(words, each)) for each in rivals]
    said = element("p", words.count("dictionary.contradicts", len(rivals)), class_="warning")
    return element("div", said, element("ul", *lines), class_="rivals")


def field_name(words: Words, name: str) -> str:
    """Return how a field is called; one that is not known here by its own name."""
    return words(f"dictionary.field.{name}") if words.knows(f"dictionary.field.{name}") else name


def value_text(words: Words, name: str, value: FieldValue) -> str:
    """Return a field's value for people."""
    if isinstance(value, tuple):
        return " · ".join(value)
    if value is None:
        return ""
    if name == "state" and words.knows(f"dictionary.state.{value}"):
        return words(f"dictionary.state.{value}")
    if name == "context" and value == "":
        return words("dictionary.everywhere")
    return str(value)


def differences(words: Words, found: Sequence[Difference]) -> Safe | None:
    """Render the fields that differ, before and after."""
    if not found:
        return None
    if all(each.before is None for each in found):
        return _filled(words, found, "after")
    if all(each.after is None for each in found):
        return _filled(words, found, "before")
    names = ("field", "before", "after")
    head = element("tr", *[element("th", words(f"dictionary.difference.{each}"), scope="col") for each in names])
    rows = [
        element("tr", element("th", field_name(words, each.field), scope="row"),
                element("td", value_text(words, each.field, each.before), class_="before"),
                element("td", value_text(words, each.field, each.after), class_="after"))
        for each in found
    ]  # fmt: skip
    return element("table", element("thead", head), element("tbody", *rows), class_="differences")


def _filled(words: Words, found: Sequence[Difference], side: str) -> Safe:
    """Render the fields of an entry that came or went, in a line."""
    parts = [
        element("span", f"{field_name(words, each.field)}: ",
                element("span", value_text(words, each.field, getattr(each, side)), class_="value"))
        for each in found
        if each.field not in ("term", "name")
    ]  # fmt: skip
    return element("p", *parts, class_=f"filled {side}")


def who_said(words: Words, who: str) -> str:
    """Return who made a change."""
    return who or words("dictionary.program")
