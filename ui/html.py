"""HTML that is safe by construction: whatever is not ``Markup`` is escaped."""

import html
import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.ext import Extension
from markupsafe import Markup

Attribute = str | int | float | bool | None

_TAG = re.compile(r"[a-z][a-z0-9]*")
_ATTRIBUTE = re.compile(r"[a-z][a-z0-9-]*")
# These run or load something, or leave the page: nothing that is shown here needs them.
_NEVER = frozenset({"script", "style", "iframe", "object", "embed", "link", "meta", "base", "form", "svg", "math", "a"})
_NEVER_ATTRIBUTES = frozenset({"href", "srcdoc", "action", "formaction"})
# A place on this page, or a page or file of this server: no other host, no other scheme.
_OWN_PATH = re.compile(r"#[A-Za-z][\w-]*|/(?![/\\])[^\x00-\x20\\]*")
_VOID = frozenset({"br", "hr", "img", "input"})
# NUL and its like mean nothing in text and confuse parsers.
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


# The white space over a line's end between two elements of a template: a browser would show it as a space.
_LINE_END = re.compile(r"(?<=[>}])\s*\n\s*(?=[<{])")
Safe = Markup


def render(template: str, /, **values: object) -> Markup:
    """Render a template of this package (``"review/page.html"``): every value that is not ``Markup`` is escaped.

    None is written as nothing. A link or picture needs the filter ``own_path``.
    """
    return Markup(_CONTROLS.sub("", _templates().get_template(template).render(values)))


class _JoinedLines(Extension):
    """Drops the line ends between a template's elements."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        # A comment in their place keeps the numbers of the lines that an error names.
        return _LINE_END.sub(lambda match: "{#" + "\n" * match.group().count("\n") + "#}", source)


@lru_cache(maxsize=1)
def _templates() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: "" if value is None else value,
        extensions=[_JoinedLines],
        auto_reload=False,
    )
    environment.filters["own_path"] = own_path
    return environment


def own_path(path: str) -> str:
    """Return ``path``, which is a place on the page or a path of this server.

    Raises:
        ValueError: it leads elsewhere.
    """
    if not is_own_path(path):
        raise ValueError(f"the pages lead to nothing but themselves, not to {path!r}")
    return path


def escape(text: str) -> Safe:
    """Escape ``text`` for use as an element's content or an attribute's value; control characters are dropped."""
    return Safe(html.escape(_CONTROLS.sub("", text), quote=True))


def join(parts: Iterable[str | None], separator: str = "") -> Safe:
    """Join pieces, escaping those that are not ``Safe``; None is left out."""
    kept = [part if isinstance(part, Safe) else escape(part) for part in parts if part is not None]
    return Safe((separator if isinstance(separator, Safe) else escape(separator)).join(kept))


def element(name: str, /, *children: str | None, **attributes: Attribute) -> Safe:
    """Return one element.

    An attribute's underscores become hyphens (``data_key`` is ``data-key``) and one at the end is dropped
    (``class_``); True writes the bare attribute, None and False leave it out.

    Raises:
        ValueError: the element or attribute could run, load or navigate.
    """
    if name in _NEVER or not _TAG.fullmatch(name):
        raise ValueError(f"<{name}> is not shown in the chat")
    written = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in _VOID:
        return Safe(f"<{name}{written}>")
    return Safe(f"<{name}{written}>{join(children)}</{name}>")


def button(action: str, /, *children: str | None, **attributes: Attribute) -> Safe:
    """Return a button that the page's script takes for ``action``."""
    return element("button", *children, type="button", data_action=action, **attributes)


def link(text: str, path: str, /, **attributes: Attribute) -> Safe:
    """Return a link to a page or file of this server, or to a place on the page itself.

    Raises:
        ValueError: ``path`` leads elsewhere, or an attribute could run or load something.
    """
    if not _OWN_PATH.fullmatch(path):
        raise ValueError(f"the pages link to nothing but themselves, not to {path!r}")
    written = "".join(_attribute(key, value) for key, value in attributes.items())
    return Safe(f'<a href="{escape(path)}"{written}>{join([text])}</a>')


def is_own_path(path: str) -> bool:
    """Say whether ``path`` is a place on the page or a path of this server: no other host, no other scheme."""
    return _OWN_PATH.fullmatch(path) is not None


def _attribute(key: str, value: Attribute) -> str:
    name = key.rstrip("_").replace("_", "-")
    if name in _NEVER_ATTRIBUTES or name.startswith("on") or not _ATTRIBUTE.fullmatch(name):
        raise ValueError(f"the attribute {name} is not used in the chat")
    if value is None or value is False:
        return ""
    return f" {name}" if value is True else f' {name}="{escape(str(value))}"'
