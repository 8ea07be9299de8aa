"""Prompt delimiters, which enclose document text so that it cannot be mistaken for instructions."""

import hashlib
from collections.abc import Sequence


def make_code(*texts: str) -> str:
    """Return a code for one prompt: 12 hexadecimal digits that do not occur in any of ``texts``.

    The code depends on all texts, so that the author of one document cannot close its block; the same prompt always
    gets the same code.
    """
    joined = "\x00".join(texts)
    mark = hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    while mark in joined:
        mark = hashlib.sha256(mark.encode("ascii")).hexdigest()[:12]
    return mark


def delimit_texts(texts: Sequence[str], code: str, *, labels: Sequence[str] = ()) -> str:
    """Enclose each text in numbered delimiters (from 1), with its label (a title, a page) after the opening one."""
    blocks = []
    for number, text in enumerate(texts, 1):
        label = " ".join(labels[number - 1].split()) if number <= len(labels) else ""
        opening = f"<<passage {number} {code}>>" + (f" {label}" if label else "")
        blocks.append(f"{opening}\n{text.strip()}\n<<end {number} {code}>>")
    return "\n\n".join(blocks)


def delimit_text(name: str, text: str, *others: str, label: str = "") -> str:
    """Enclose one text, called ``name`` (such as "question"), in delimiters with a code; a heading states the code.

    The code depends only on the given texts, so that the block is the same in all prompts about them.
    """
    title = " ".join(label.split())
    code = make_code(text, *others, title)
    opening = f"<<{name} {code}>>" + (f" {title}" if title else "")
    return f"# {name[:1].upper()}{name[1:]}, code {code}\n\n{opening}\n{text.strip()}\n<<end {code}>>"
