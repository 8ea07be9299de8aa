"""Markdown: text that came from people or documents, made safe to stand in a sentence of ours."""

import re

_SPECIAL = re.compile(r"([\\`*_\[\]<>|~#])")
_ESCAPED = re.compile(r"\\([\\`*_\[\]<>|~#])")


def escape(text: str) -> str:
    """Return ``text`` on one line with Markdown's marks escaped: it reads the same and formats nothing."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def unescape(text: str) -> str:
    """Undo ``escape``."""
    return _ESCAPED.sub(r"\1", text)
