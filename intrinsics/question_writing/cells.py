"""Questions about the cells of tables and about abbreviations."""

import re
from collections.abc import Iterator

from intrinsics.question_writing.asking import Asked
from intrinsics.question_writing.clauses import is_telling, lowered
from tools.language import fold, rarity, stem
from tools.language.verbs import base_form, is_also_noun
from tools.reading import TableRecord
from tools.reading.concepts import is_code
from tools.reading.tables import is_generic_header, is_unit_header

_EXTREMES = {
    **dict.fromkeys(("min", "min.", "minimum"), "minimum"),
    **dict.fromkeys(("max", "max.", "maximum"), "maximum"),
    **dict.fromkeys(("typ", "typ.", "typical"), "typical"),
    **dict.fromkeys(("nom", "nom.", "nominal"), "nominal"),
    "default": "default",
}
_EMPTY = frozenset(
    {"", "-", "–", "—", "n/a", "none", "yes", "no", "x", "y", "n", "tbd", "true", "false", "✓", "ok", "0"}
)
_VAGUE_HEADERS = frozenset(
    {"result", "results", "type", "id", "item", "step", "steps", "link", "see", "reference", "example", "change"}
)
_UNIT = re.compile(r"^(?P<name>.+?)\s*[(\[](?P<unit>[A-Za-zµ°Ω%/]{1,9})[)\]]$")
_STANDS_FOR = frozenset({"stands for", "full name", "extended name", "expansion", "long form", "full form"})
_CLAUSE_HEADER = re.compile(
    r"\b(?:for|is|used|by|in|to|of|at)$|=|^(?:for|in|to|by|on|at|stands|where|how|who|when|what|if|why|is|does)\b", re.I
)
_LONG_CELL_WORDS = 16
_OFTEN = re.compile(r"(?:every|once|twice|daily|weekly|monthly|yearly)\b", re.IGNORECASE)
_IS_PERIOD = re.compile(r"\b(?:intervals?|frequency|schedule|period|rate|times?|when)\b", re.IGNORECASE)
# Rarer words in capitals are names more often than not.
_NAME_RARITY = 0.7
_SMALL_WORDS = frozenset({"of", "and", "the", "for", "in", "to", "a", "an", "on", "with", "or"})
_FORWARD = re.compile(r"(?P<long>[\w’'/-]+(?:\s+[\w’'/-]+){0,9}?)\s+\((?P<short>[A-Z][\w/&-]{1,9})\)")
_BACKWARD = re.compile(
    r"(?<![\w(])(?P<short>[A-Z][\w/&-]*[A-Z][\w/&-]*)\s+\((?P<long>[A-Za-z][\w’'-]*(?:\s+[\w’'-]+){1,7})\)"
)


def ask_of_cells(record: TableRecord, text: str) -> Iterator[Asked]:
    """Ask for each cell of a row that its header and the row's name tell; ``text`` is what the table stands in."""
    key = record.key_text.rstrip(" :")
    if not any(record.header) or not _names_a_row(key) or '"' in "".join(record.header) + key:
        return
    for column, cell in enumerate(record.cells):
        header = record.name_of(column).strip().rstrip(":")
        if (
            column == record.key
            or fold(cell) in _EMPTY
            or "✓" in cell
            or fold(key) in fold(cell)
            or not header
            or is_unit_header(header)
        ):
            continue
        if len(cell.split()) > _LONG_CELL_WORDS:
            continue
        # A column of units belongs to the figures of one parameter, not to every number of the row.
        measures = fold(header) in _EXTREMES or is_generic_header(header) or bool(_UNIT.match(header))
        unit = record.value(column)[len(cell) :].strip() if measures else ""
        question = _cell_question(header, _in_running_text(key, text), cell, record, unit)
        if question:
            short = len(cell.split()) <= 6
            yield Asked(question=question, answer=cell, merit=0.9 if short else 0.7)


def _in_running_text(key: str, text: str) -> str:
    """Take the capital off a row's name that only began its cell: "Wafer sort", not "Read Page" or "Kubernetes pod"."""
    first, *rest = key.split()
    plain = first[1:].islower() and first[0].isupper() and all(not word[:1].isupper() for word in rest)
    usual = rarity(fold(first)) < _NAME_RARITY and bool(rest or re.search(r"[^su]s$", first))
    known = usual or bool(re.search(rf"\b{re.escape(first.lower())}\b", text))
    return key[0].lower() + key[1:] if plain and known and not is_code(first) else lowered(key, text)


def _names_a_row(key: str) -> bool:
    return (
        bool(re.search(r"[A-Za-z]{2}", key))
        and len(key.split()) <= 8
        and not key.endswith((".", ",", "?"))
        and fold(key) not in _EMPTY | {"total", "note", "notes", "other", "others", "reserved"}
    )


def _cell_question(header: str, key: str, cell: str, record: TableRecord, unit: str) -> str:
    name = fold(header)
    behind = f" in {unit}" if unit else ""
    if name in _STANDS_FOR:
        return f"What does {key} stand for?"
    if name in _EXTREMES:
        return f"What is the {_EXTREMES[name]} {key}{behind}?" if _is_known(key) else ""
    if is_generic_header(header):
        known = name in {"meaning", "definition", "value"} and _is_name(key)
        return f"What is {_with_article(key, record)}{behind}?" if known else ""
    if not _asks_well(header, key):
        return ""
    in_header = _UNIT.match(header)
    plain = in_header.group("name") if in_header and unit else header
    head = re.split(r" (?:per|of|in|for|to) ", re.sub(r"\s*\([^)]*\)", "", plain))[0]
    plural = head.endswith("s") and not head.endswith(("ss", "us", "is"))
    # A cell such as "2 levels" below "Voltage levels" is a count as well.
    counted = re.fullmatch(rf"\d[\d,]*(?: {re.escape(head.split()[-1])})?", cell, re.IGNORECASE)
    if plural and counted and not unit:
        # "SLC, single-level cell" says the name twice.
        named = key.partition(", ")[0] if is_code(key.partition(", ")[0]) else key
        return f"How many {_header_words(plain)} does {named} have?" if not key.endswith("s") else ""
    if _OFTEN.match(cell) and not _IS_PERIOD.search(plain):
        return f"How often {'are' if plural else 'is'} the {_header_words(plain)} of {key} done?"
    return f"What {'are' if plural else 'is'} the {_header_words(plain)} of {key}{behind}?"


def _asks_well(header: str, key: str) -> bool:
    words, name = header.split(), fold(header)
    # Histories of a document are dated: what changed when in it is nothing to ask the bot.
    if any(is_generic_header(word) for word in words) or name in _VAGUE_HEADERS or name.startswith("date"):
        return False
    if {stem(word) for word in words} & {stem(word) for word in key.split()}:
        return False
    if not _is_known(key):
        return False
    if _CLAUSE_HEADER.search(header) or len(words) > 5 or not re.search(r"[A-Za-z]{3}", header) or "?" in header:
        return False
    return len(words) > 1 or not base_form(fold(header)) or is_also_noun(header)


def _is_known(key: str) -> bool:
    return is_telling(key) or len(key.split()) >= 2


def _is_name(key: str) -> bool:
    return is_code(key.split()[0]) and len(key.split()) <= 3


def _with_article(key: str, record: TableRecord) -> str:
    noun = record.name_of(record.key).strip()
    plain = re.fullmatch(r"[A-Za-z]{3,}(?: [a-z]+)?", noun) and not is_generic_header(noun) and not noun.endswith("s")
    return f"the {noun.lower()} {key}" if plain and fold(noun) not in {"name", "term", "abbreviation"} else key


def _header_words(header: str) -> str:
    return " ".join(word if is_code(word.strip("()")) or word.isupper() else word.lower() for word in header.split())


def ask_of_abbreviations(text: str) -> Iterator[Asked]:
    """Ask what each abbreviation of a text stands for that it spells out beside it, first letter by first letter."""
    for match in _FORWARD.finditer(text):
        short, words = match.group("short"), text[: match.start("short") - 1].split()
        long = _long_form(short, words)
        if long:
            yield Asked(question=f"What does {_singular(short)} stand for?", answer=long, merit=0.65)
    for match in _BACKWARD.finditer(text):
        if _long_form(match.group("short"), match.group("long").split()) == match.group("long"):
            short = _singular(match.group("short"))
            yield Asked(question=f"What does {short} stand for?", answer=match.group("long"), merit=0.65)


def _singular(short: str) -> str:
    return short[:-1] if re.fullmatch(r"[A-Z]{2,}s", short) else short


def _long_form(short: str, words: list[str]) -> str:
    """Return the end of ``words`` whose initials are the letters of ``short`` in order, "" where there is none."""
    letters = [letter.casefold() for letter in _singular(short) if letter.isalnum()]
    if sum(letter.isupper() for letter in short) < 2 or any(letter.isdigit() for letter in letters):
        return ""
    for size in range(2, min(len(words), len(letters) + 3) + 1):
        taken = words[-size:]
        if any(word.endswith((",", ".", ";", ":", ")")) for word in taken[:-1]) or fold(taken[0]) in _SMALL_WORDS:
            continue
        parts = [part for word in taken for part in re.split(r"[-/]", word) if part]
        initials = [part[0].casefold() for part in parts if fold(part) not in _SMALL_WORDS]
        every = [part[0].casefold() for part in parts]
        if letters in (initials, every):
            return " ".join(taken)
    return ""
