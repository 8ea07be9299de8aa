"""Formulas: Office's OMML and the web's MathML, written on one line as people type them."""

from collections.abc import Callable
from typing import Any

_SILENT = frozenset(("annotation", "annotation-xml"))
_SUMS = {"∑": "sum", "∏": "prod", "∫": "int"}
_MAX_DEPTH = 60


def formula_text(element: Any) -> str:
    """Write a formula on one line: ``x=(-b±sqrt(b^2-4ac))/(2a)``.

    ``element`` is OMML's ``m:oMath`` or ``m:oMathPara`` (lxml), or MathML's ``math`` (Beautiful Soup).
    """
    return " ".join(_text(element, 0).split())


def _text(element: Any, depth: int) -> str:
    name = _name(element)
    is_soup = hasattr(element, "get_text")
    if name in _SILENT or name.endswith("Pr"):
        return ""
    children = [each for each in (element.children if is_soup else element) if _name(each)]
    if not children or depth > _MAX_DEPTH:
        return " ".join(element.get_text().split()) if is_soup else "".join(element.itertext())
    if name in ("m", "mtable"):
        rows = [[_text(cell, depth + 2) for cell in row if _name(cell)] for row in children if _name(row) != "mPr"]
        return "[" + "; ".join(map(", ".join, rows)) + "]"
    texts = [_text(child, depth + 1) for child in children]
    if name in ("d", "mfenced"):
        opening, closing = ("(", ")") if is_soup else (_sign(element, "begChr", "("), _sign(element, "endChr", ")"))
        return f"{opening}{', '.join(text for text in texts if text)}{closing}"
    if name == "nary":
        texts[0] = _sign(element, "chr", "∫")
    # OMML names the parts of a construct; in MathML their order identifies them.
    parts, write = _CONSTRUCTS.get(name, ((), "".join))
    if not parts:
        return write(texts)
    if not is_soup:
        texts = ["".join(t for c, t in zip(children, texts, strict=True) if _name(c) == part) for part in parts]
    return write(*[*texts, "", "", ""][: len(parts)])


def _name(element: Any) -> Any:
    """Return an element's name without its namespace; "" for text and comments."""
    written = element.name if hasattr(element, "get_text") else getattr(element, "tag", "")
    return written.rpartition("}")[2].rpartition(":")[2] if isinstance(written, str) else ""


def _sign(element: Any, name: str, default: str) -> str:
    properties = next(iter(element))
    return next((str(each.values()[0]) for each in properties if _name(each) == name and each.values()), default)


def _group(text: str) -> str:
    """Put brackets around an expression that consists of more than one name or number."""
    text = text.strip()
    plain = all(character.isalnum() or character in "._" for character in text)
    whole = text.startswith("(") and text.endswith(")") and text.find(")") == len(text) - 1
    return text if plain or whole or len(text) == 1 else f"({text})"


def _scripts(base: str, below: str, above: str) -> str:
    base = _SUMS.get(base, base)
    return base + (f"_{_group(below)}" if below.strip() else "") + (f"^{_group(above)}" if above.strip() else "")


def _fraction(above: str, below: str) -> str:
    return f"{_group(above)}/{_group(below)}"


def _root(radicand: str, degree: str) -> str:
    return f"root({degree}, {radicand})" if degree.strip() else f"sqrt({radicand})"


def _above(base: str, above: str) -> str:
    return _scripts(base, "", above)


def _below(base: str, below: str) -> str:
    return _scripts(base, below, "")


_CONSTRUCTS: dict[str, tuple[tuple[str, ...], Callable[..., str]]] = {
    "f": (("num", "den"), _fraction),
    "mfrac": (("num", "den"), _fraction),
    "rad": (("e", "deg"), _root),
    "mroot": (("e", "deg"), _root),
    "msqrt": ((), lambda texts: _root("".join(texts), "")),
    "sSup": (("e", "sup"), _above),
    "msup": (("e", "sup"), _above),
    "mover": (("e", "sup"), _above),
    "sSub": (("e", "sub"), _below),
    "msub": (("e", "sub"), _below),
    "munder": (("e", "sub"), _below),
    "sSubSup": (("e", "sub", "sup"), _scripts),
    "msubsup": (("e", "sub", "sup"), _scripts),
    "munderover": (("e", "sub", "sup"), _scripts),
    "nary": (("naryPr", "sub", "sup", "e"), lambda sign, below, above, e: f"{_scripts(sign, below, above)} {e}"),
}
