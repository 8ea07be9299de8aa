"""Prompt delimiters: document text put into a prompt so that it cannot pass for instructions."""

import hashlib
from collections.abc import Sequence


def make_code(*texts: str) -> str:
    """Return a mark of 12 hex digits for one prompt that occurs in none of ``texts``.

    It depends on all of them, so that the author of one document cannot close its block; the same prompt
    gets the same mark.
    """
    joined = "\x00".join(texts)
    mark = hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    while mark in joined:
        mark = hashlib.sha256(mark.encode("ascii")).hexdigest()[:12]
    return mark


def delimit_texts(texts: Sequence[str], code: str, *, labels: Sequence[str] = ()) -> str:
    """Put each text between numbered marks (from 1), with its label (a title, a page) after the opening one."""
    blocks = []
    for number, text in enumerate(texts, 1):
        label = " ".join(labels[number - 1].split()) if number <= len(labels) else ""
        opening = f"<<passage {number} {code}>>" + (f" {label}" if label else "")
        blocks.append(f"{opening}\n{text.strip()}\n<<end {number} {code}>>")
    return "\n\n".join(blocks)


def delimit_text(name: str, text: str, *others: str, label: str = "") -> str:
    """Put one text, a ``name`` such as "question", between marks with its own code, which a line before them states.

    The code depends only on the given texts, so that a block is the same in every prompt about them.
    """
    title = " ".join(label.split())
    code = make_code(text, *others, title)
    opening = f"<<{name} {code}>>" + (f" {title}" if title else "")
    return f"# {name[:1].upper()}{name[1:]}, code {code}\n\n{opening}\n{text.strip()}\n<<end {code}>>"
