"""Formulas: Office's OMML and the web's MathML, written on one line as people type them."""

from collections.abc import Callable, Iterable
from typing import Any

_OPERATORS = {"∑": "sum", "∏": "prod", "∫": "int", "⋃": "union", "⋂": "intersection"}
_SILENT = frozenset(("annotation", "annotation-xml"))
_MAX_DEPTH = 60


def omml_text(element: Any) -> str:
    """Write an ``m:oMath`` or ``m:oMathPara`` element (lxml) on one line: ``x=(-b±sqrt(b^2-4ac))/(2a)``."""
    return _joined(_omml(element, 0))


def mathml_text(element: Any) -> str:
    """Write a ``math`` element (Beautiful Soup) on one line."""
    return _joined(_mathml(element, 0))


def _joined(text: str) -> str:
    return " ".join(text.split())


def _group(text: str) -> str:
    """Put brackets around what is more than one name or number."""
    text = text.strip()
    plain = all(character.isalnum() or character in "._" for character in text)
    whole = text.startswith("(") and text.endswith(")") and text.find(")") == len(text) - 1
    return text if plain or whole or len(text) == 1 else f"({text})"


def _fraction(above: str, below: str) -> str:
    return f"{_group(above)}/{_group(below)}"


def _scripts(base: str, below: str, above: str) -> str:
    return base + (f"_{_group(below)}" if below.strip() else "") + (f"^{_group(above)}" if above.strip() else "")


def _root(radicand: str, degree: str) -> str:
    return f"root({degree}, {radicand})" if degree.strip() else f"sqrt({radicand})"


def _local(element: Any) -> str:
    return str(element.tag).rpartition("}")[2] if isinstance(element.tag, str) else ""


def _omml(element: Any, depth: int) -> str:
    if depth > _MAX_DEPTH:
        return "".join(element.itertext())
    writer = _OMML.get(_local(element))
    if writer is not None:
        return writer(lambda name: _part(element, name, depth), element, depth)
    if _local(element).endswith("Pr"):
        return ""
    if _local(element) == "t":
        return element.text or ""
    return "".join(_omml(child, depth + 1) for child in element)


def _part(element: Any, name: str, depth: int) -> str:
    return "".join(_omml(child, depth + 1) for child in element if _local(child) == name)


def _property(element: Any, name: str, default: str) -> str:
    for child in element.iter():
        if _local(child) == name:
            return next((str(value) for key, value in child.attrib.items() if key.endswith("val")), default)
    return default


def _nary(part: "_Part", element: Any, depth: int) -> str:
    sign = _property(element, "chr", "∫")
    return f"{_scripts(_OPERATORS.get(sign, sign), part('sub'), part('sup'))} {part('e')}"


def _delimited(part: "_Part", element: Any, depth: int) -> str:
    inner = [_omml(child, depth + 1) for child in element if _local(child) == "e"]
    opening, closing = _property(element, "begChr", "("), _property(element, "endChr", ")")
    return opening + _property(element, "sepChr", "|").join(inner) + closing


def _matrix(part: "_Part", element: Any, depth: int) -> str:
    rows = [child for child in element if _local(child) == "mr"]
    return _written([[_omml(cell, depth + 1) for cell in row if _local(cell) == "e"] for row in rows])


def _written(rows: Iterable[Iterable[str]]) -> str:
    return "[" + "; ".join(", ".join(row) for row in rows) + "]"


_Part = Callable[[str], str]
_OMML: dict[str, Callable[[_Part, Any, int], str]] = {
    "f": lambda part, element, depth: _fraction(part("num"), part("den")),
    "rad": lambda part, element, depth: _root(part("e"), part("deg")),
    "sSup": lambda part, element, depth: _scripts(part("e"), "", part("sup")),
    "sSub": lambda part, element, depth: _scripts(part("e"), part("sub"), ""),
    "sSubSup": lambda part, element, depth: _scripts(part("e"), part("sub"), part("sup")),
    "sPre": lambda part, element, depth: _scripts("", part("sub"), part("sup")) + part("e"),
    "limLow": lambda part, element, depth: _scripts(part("e"), part("lim"), ""),
    "limUpp": lambda part, element, depth: _scripts(part("e"), "", part("lim")),
    "func": lambda part, element, depth: f"{part('fName')}{_bracketed(part('e'))}",
    "nary": _nary,
    "d": _delimited,
    "m": _matrix,
}


def _bracketed(text: str) -> str:
    return text if text.strip().startswith("(") else f"({text.strip()})"


def _mathml(element: Any, depth: int) -> str:
    children = [child for child in element.children if getattr(child, "name", None)]
    name = str(element.name).rpartition(":")[2]
    if name in _SILENT:
        return ""
    if not children or depth > _MAX_DEPTH:
        return " ".join(element.get_text().split())
    if name == "mtable":
        rows = [row for row in children if str(row.name).endswith(("mtr", "mlabeledtr"))]
        cells = [[_mathml(cell, depth + 2) for cell in row.children if getattr(cell, "name", None)] for row in rows]
        return _written(cells)
    parts = [_mathml(child, depth + 1) for child in children]
    if name == "msqrt":
        return _root("".join(parts), "")
    if name == "mfenced":
        return f"{element.get('open', '(')}{', '.join(parts)}{element.get('close', ')')}"
    padded = [_OPERATORS.get(parts[0], parts[0]), *parts[1:], "", ""]
    if name == "mfrac":
        return _fraction(padded[0], padded[1])
    if name == "mroot":
        return _root(padded[0], padded[1])
    if name in ("msup", "mover"):
        return _scripts(padded[0], "", padded[1])
    if name in ("msub", "munder"):
        return _scripts(padded[0], padded[1], "")
    if name in ("msubsup", "munderover"):
        return _scripts(padded[0], padded[1], padded[2])
    return "".join(parts)
