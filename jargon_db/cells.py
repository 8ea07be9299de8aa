"""Cells: how lists and risky texts are written into one cell of a sheet so that they are read back the same."""

import re

# A spreadsheet takes a cell that begins so for a formula, also in full width. An apostrophe before it makes it text.
# Source: OWASP, "CSV Injection".
_FORMULA = re.compile(r"'*[=+\-@＝＋－＠\t\r]")
_GUARDED = re.compile(r"'+[=+\-@＝＋－＠\t\r]")
# A separator after an odd number of backslashes belongs to the text. Backslashes elsewhere stand for themselves.
_ALIAS_END = re.compile(r"(\\*);")
_ESCAPED_BAR = re.compile(r"(\\+)\|")
# A bar separates between spaces only: one inside of a word, with no backslash before it, needs no escape.
_RISKY_BAR = re.compile(r"(\\*)\|")
# What XLSX reads as a character by its number (ECMA-376, part 1, 22.9.2.19, ST_Xstring).
_NUMBERED = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")


def guarded(cell: str) -> str:
    """Return ``cell`` as no spreadsheet runs it: with an apostrophe first where it looks like a formula."""
    return f"'{cell}" if _FORMULA.match(cell) else cell


def unguarded(cell: str) -> str:
    """Return a cell without the apostrophe that ``guarded`` gave it."""
    return cell[1:] if _GUARDED.match(cell) else cell


def without_numbers(cell: str) -> str:
    """Return ``cell`` as XLSX holds it: ``_x0041_`` is text, not a character."""
    return _NUMBERED.sub("_x005F_", cell)


def with_numbers(cell: str) -> str:
    """Return what ``without_numbers`` was given."""
    return cell.replace("_x005F_", "_")


def joined_aliases(aliases: tuple[str, ...]) -> str:
    """Return aliases in one cell, separated by ``;``; a semicolon inside of one is written as ``\\;``."""
    return ";".join(_escaped_alias(alias, last=number == len(aliases)) for number, alias in enumerate(aliases, start=1))


def split_aliases(cell: str) -> tuple[str, ...]:
    """Return the aliases of a cell, trimmed, without empty ones."""
    parts = [""]
    start = 0
    for end in _ALIAS_END.finditer(cell):
        backslashes = len(end[1])
        parts[-1] += cell[start : end.start()] + "\\" * (backslashes // 2)
        if backslashes % 2:
            parts[-1] += ";"
        else:
            parts.append("")
        start = end.end()
    parts[-1] += cell[start:]
    return tuple(part.strip() for part in parts if part.strip())


def joined_examples(examples: tuple[str, ...]) -> str:
    """Return examples in one cell, separated by `` | ``; a bar beside a space inside of one is written as ``\\|``."""
    return " | ".join(_RISKY_BAR.sub(_escaped_bar, example) for example in examples)


def split_examples(cell: str) -> tuple[str, ...]:
    """Return the examples of a cell, trimmed, without empty ones."""
    parts = (_ESCAPED_BAR.sub(_plain_bar, part).strip() for part in cell.split(" | "))
    return tuple(part for part in parts if part)


def _escaped_alias(alias: str, *, last: bool) -> str:
    inside = _ALIAS_END.sub(lambda end: end[1] * 2 + "\\;", alias)
    if last:
        return inside
    bare = inside.rstrip("\\")
    # The separator follows these: written twice, they are not its escape.
    return bare + inside[len(bare) :] * 2


def _escaped_bar(found: "re.Match[str]") -> str:
    before = found.string[found.start() - 1] if found.start() else " "
    after = found.string[found.end()] if found.end() < len(found.string) else " "
    if not found[1] and before != " " and after != " ":
        return "|"
    return found[1] * 2 + "\\|"


def _plain_bar(found: "re.Match[str]") -> str:
    backslashes = len(found[1])
    return "\\" * (backslashes // 2) + "|"
