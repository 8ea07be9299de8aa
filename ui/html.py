"""HTML that is safe by construction: everything that is not ``Markup`` is escaped."""

import re
from functools import lru_cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.ext import Extension
from markupsafe import Markup

# NUL and similar characters mean nothing in text and confuse parsers.
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
# White space around a line break between two elements of a template, which a browser would show as a space.
_LINE_END = re.compile(r"(?<=[>}])\s*\n\s*(?=[<{])")


def render(template: str, /, **values: object) -> Markup:
    """Render a template of this package (``"review/page.html"``): every value that is not ``Markup`` is escaped.

    None is written as an empty string.
    """
    return Markup(_CONTROLS.sub("", _templates().get_template(template).render(values)))


class _JoinedLines(Extension):
    """Drops the line breaks between a template's elements."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        # Replace them with a comment of the same number of lines, so that line numbers in error messages are correct.
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
    # The first message that matches is used, so their order matters.
    environment.policies["json.dumps_kwargs"] = {"sort_keys": False}
    return environment


def escape(text: str) -> Markup:
    """Escape ``text`` for use as an element's content or an attribute's value; control characters are dropped."""
    return Markup.escape(_CONTROLS.sub("", text))
