"""Examples from HTML manuals: headings with their sections, terms with their descriptions, table cells.

Any folder of manuals will do; ours were Debian documentation packages that no question in ``golden_lab.manuals`` is
about.
"""

import random
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from contracts.text import Span
from golden_lab.training.cross_encoder.examples import CrossEncoderExample, long_words, typed_by_people, window_around
from tools.language import rarity

if TYPE_CHECKING:
    from bs4 import Tag

_LEAST_WORDS, _MOST_WORDS = 25, 120
_MOST_BYTES = 1_500_000
_QUESTION = re.compile(
    r"^(?:what|which|how|why|when|where|who|can|does|do|is|are|should|will|may|i |my )\b.*\?\s*$", re.IGNORECASE
)
_NUMBERING = re.compile(
    r"^(?:chapter|section|appendix|part)?\s*[A-Z]?[\d.]+[.:)]?\s+|^\W+|[¶#§]+\s*$|\s+\W*$", re.IGNORECASE
)
_DULL = re.compile(
    r"^(?:contents|index|name|synopsis|description|options|examples?|notes?|see also|overview|introduction|author|"
    r"authors|bugs|copyright|return values?|parameters|usage|summary|history|files|table of contents|navigation)$",
    re.IGNORECASE,
)
_GERUND = re.compile(r"^([A-Z][a-z]{2,}ing)\s+(.+)$")
_SECTION_QUESTIONS = (
    "{}", "{}", "what is {}", "how does {} work", "tell me about {}", "what do i need to know about {}", "explain {}",
)  # fmt: skip
_LIST_QUESTIONS = ("what are the {}", "Which {} are there?", "list the {}", "what {} exist", "name all {}")
_TASK_QUESTIONS = ("How do I {}?", "how to {}", "How can I {}?", "what do i do to {}", "i want to {}, how?")
_TERM_QUESTIONS = (
    "what does {} do", "What is {}?", "what is {} for", "meaning of {}", "What does {} mean?", "explain the {} setting",
    "when do i need {}", "how does {} work",
)  # fmt: skip
_CELL_QUESTIONS = (
    "what is the {column} of {row}", "What is the {column} for {row}?", "{row} {column}",
    "which {column} does {row} have", "what {column} has {row}",
)  # fmt: skip
# Questions that a text about a subject often does not answer, with patterns that match texts that may answer them.
_ABSENT = (
    ("how much does {} cost", r"cost|price|free|\$|€|fee"),
    ("who wrote {}", r"author|wrote|written|contribut|copyright"),
    ("when was {} released", r"releas|version|since|\b(?:19|20)\d\d"),
    ("who maintains {}", r"maintain|contact|author"),
    ("how fast is {}", r"fast|speed|second|slow|perform|\bms\b"),
    ("how large is {}", r"size|large|byte|\b[kmg]b\b|big"),
    ("what is the default of {}", r"default|initial|unless"),
    ("why was {} removed", r"remov|deprecat|because|drop"),
    ("which versions support {}", r"version|since|support|release"),
    ("is {} safe", r"safe|secur|danger|risk"),
    ("how many {} can there be", r"\d|limit|many|number|maximum|several"),
    ("what is the licence of {}", r"licen|gpl|copyright"),
)
_AROUND_THE_TEXT = "nav, script, style, header, footer, .navheader, .navfooter, .sphinxsidebar, .related, .toc"
# Manuals in other languages are in folders and files with these names.
_OTHER_FOLDER = re.compile(
    r"/(?:[a-z]{2}[-_][a-z]{2}|ar|ca|cs|da|de|el|es|eu|fa|fi|fr|gl|hr|hu|id|it|ja|ko|lt|nb|nl|nn|pl|pt|ro|ru|sk|sl|sr|"
    r"sv|tr|uk|vi|zh)/"
)
_OTHER_FILE = re.compile(
    r"[._-](?:ca|cs|da|de|el|es|fi|fr|hu|id|it|ja|ko|nb|nl|pl|pt|pt-br|ro|ru|sv|tr|uk|vi|zh|zh-cn|zh-tw)\.html?$"
)
_ENGLISH_FOLDERS = ("/en-us/", "/en_us/", "/en-gb/")


@dataclass(slots=True)
class Section:
    """A heading and the blocks under it; ``place`` is the title and the headings above it."""

    place: tuple[str, ...]
    heading: str
    blocks: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Manual:
    """The content of an HTML file: sections, lists of (term, description) pairs, and tables as rows, headers first."""

    title: str
    sections: list[Section]
    terms: list[tuple[tuple[str, ...], list[tuple[str, str]]]]
    tables: list[tuple[tuple[str, ...], list[list[str]]]]


def manual_examples(
    folder: Path, rng: random.Random, *, most_files: int, held_out: Collection[str] = ()
) -> Iterator[CrossEncoderExample]:
    """Yield the examples from at most ``most_files`` English HTML files in each subfolder of ``folder``.

    ``held_out`` are the names of the documents in the corpus "training" to leave out.
    """
    for package in sorted(each for each in folder.iterdir() if each.is_dir()):
        files = sorted(
            path
            for path in package.rglob("*.htm*")
            if _is_english(path.relative_to(folder))
            and not any(_is_document(path.relative_to(folder), document) for document in held_out)
        )
        rng.shuffle(files)
        for path in files[:most_files]:
            if path.is_file() and path.stat().st_size <= _MOST_BYTES:
                manual = read_manual(path.read_text("utf-8", "replace"))
                yield from _of_sections(manual, rng)
                yield from _of_terms(manual, rng)
                yield from _of_tables(manual, rng)


def _is_english(path: Path) -> bool:
    place = f"/{path.as_posix().lower()}"
    folder = _OTHER_FOLDER.search(place)
    return (folder is None or folder.group() in _ENGLISH_FOLDERS) and _OTHER_FILE.search(place) is None


def _is_document(path: Path, document: str) -> bool:
    """Return whether ``path`` (from the package's folder on) may be ``document``, named after a package and a path.

    The two paths may begin at different folders, so the longer one must end with the shorter one.
    """
    package, *inside = path.parts
    of_package = document.startswith(f"{package}-") and document.endswith("-" + "-".join(inside))
    return of_package or "-".join(path.parts).endswith("-" + document.removeprefix(f"{package}-"))


def read_manual(html: str) -> Manual:
    """Read the sections, terms and tables of a page."""
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(html, "html.parser")
    for part in soup.select(_AROUND_THE_TEXT):
        part.decompose()
    title = _heading_text(soup.title.get_text(" ")) if soup.title else ""
    manual = Manual(title=title, sections=[], terms=[], tables=[])
    path: dict[int, str] = {}
    section = Section(place=(title,), heading="")
    for tag in (soup.body or soup).find_all(["h1", "h2", "h3", "h4", "h5", "p", "pre", "ul", "ol", "dl", "table"]):
        if tag.find_parent(["ul", "ol", "dl", "table", "pre"]) is not None:
            continue
        if re.fullmatch(r"h\d", tag.name):
            level = int(tag.name[1])
            path = {at: text for at, text in path.items() if at < level}
            heading = _heading_text(tag.get_text(" "))
            section = Section(place=(title, *path.values()), heading=heading)
            path[level] = heading
            manual.sections.append(section)
        elif tag.name == "dl":
            pairs = _terms(tag)
            manual.terms.append(((*section.place, section.heading), pairs))
            section.blocks.extend(f"- {term}: {told}" for term, told in pairs)
        elif tag.name == "table":
            rows = [
                [_one_line(cell.get_text(" ")) for cell in row.find_all(["th", "td"])] for row in tag.find_all("tr")
            ]
            manual.tables.append(((*section.place, section.heading), rows))
            section.blocks.extend(" | ".join(row) for row in rows if any(row))
        elif tag.name in ("ul", "ol"):
            items = [_one_line(each.get_text(" ")) for each in tag.find_all("li", recursive=False)]
            section.blocks.extend(f"- {each}" for each in items if each)
        else:
            text = tag.get_text() if tag.name == "pre" else _one_line(tag.get_text(" "))
            if text.strip():
                section.blocks.append(text.strip())
    return manual


def _terms(tag: "Tag") -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    waiting: list[str] = []
    for child in tag.find_all(["dt", "dd"], recursive=False):
        if child.name == "dt":
            waiting.append(_one_line(child.get_text(" ")))
        elif waiting:
            pairs.append((", ".join(waiting), _one_line(child.get_text(" "))))
            waiting = []
    return pairs


def _heading_text(text: str) -> str:
    return _NUMBERING.sub("", _one_line(text)).strip()


def _one_line(text: str) -> str:
    return " ".join(text.split())


def task_of(heading: str) -> str:
    """Return "install the server" for "Installing the server"; "" for a heading that does not name a task."""
    match = _GERUND.match(heading)
    if match is None:
        return ""
    stem = match.group(1)[:-3].lower()
    forms = [stem, f"{stem}e"]
    if len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "ls":
        forms.append(stem[:-1])
    return f"{min(forms, key=rarity)} {match.group(2)[0].lower()}{match.group(2)[1:]}"


def _of_sections(manual: Manual, rng: random.Random) -> Iterator[CrossEncoderExample]:
    usable = [each for each in manual.sections if len(" ".join(each.blocks).split()) >= 12]
    for section in usable:
        question = _section_question(section, rng)
        if not question:
            continue
        asked = long_words(section.heading)
        place = " > ".join(part for part in section.place if part)
        # Half of the texts include their own heading, as passages do; the others must be recognised by their content.
        own = f"{place} > {section.heading}" if rng.random() < 0.5 else place
        yield _example(question, own, _text(section.blocks, 0, rng), True, "manual/section", rng)
        others = [each for each in usable if each is not section and not asked <= long_words(each.heading)]
        for other in sorted(others, key=lambda each: -len(asked & long_words(" ".join(each.blocks))))[:2]:
            if rng.random() < 0.6:
                at = max(range(len(other.blocks)), key=lambda n: len(asked & long_words(other.blocks[n])))
                theirs = " > ".join(part for part in (*other.place, other.heading) if part)
                yield _example(question, theirs, _text(other.blocks, at, rng), False, "manual/other_section", rng)
        yield from _absent(section.heading, own, _text(section.blocks, 0, rng), rng)


def _section_question(section: Section, rng: random.Random) -> str:
    heading = section.heading
    if _QUESTION.match(heading):
        return heading
    words = heading.split()
    if not heading or _DULL.match(heading) or not 2 <= len(words) <= 9 or not heading.isascii():
        return ""
    task = task_of(heading)
    if task:
        return rng.choice(_TASK_QUESTIONS).format(task)
    items = sum(block.startswith("- ") for block in section.blocks)
    if items >= 3 and re.search(r"[^su]s$", heading) and rng.random() < 0.7:
        return rng.choice(_LIST_QUESTIONS).format(heading)
    return rng.choice(_SECTION_QUESTIONS).format(heading) if rng.random() < 0.5 else ""


def _absent(name: str, place: str, text: str, rng: random.Random) -> Iterator[CrossEncoderExample]:
    if rng.random() < 0.35 and len(name.split()) <= 6 and not name.endswith("?"):
        question, hint = rng.choice(_ABSENT)
        if not re.search(hint, f"{name} {text}", re.IGNORECASE):
            yield _example(question.format(name), place, text, False, "manual/attribute_absent", rng)


def _of_terms(manual: Manual, rng: random.Random) -> Iterator[CrossEncoderExample]:
    for path, pairs in manual.terms:
        place = " > ".join(part for part in path if part)
        named = [(term, told) for term, told in pairs if 0 < len(term.split()) <= 5 and len(told.split()) >= 4]
        for at, (term, _) in enumerate(named):
            if rng.random() > min(1.0, 6 / len(named)):
                continue
            name = re.split(r"[,(=\[]", term)[0].strip() or term
            question = rng.choice(_TERM_QUESTIONS).format(name)
            lines = [f"- {one}: {said}" for one, said in named]
            yield _line_example(question, place, lines, at, "manual/term", rng)
            others = [line for n, line in enumerate(lines) if n != at and name.lower() not in line.lower()]
            if others:
                near = rng.randrange(len(others))
                yield _example(question, place, _text(others, near, rng), False, "manual/other_term", rng)
            yield from _absent(name, place, lines[at], rng)


def _of_tables(manual: Manual, rng: random.Random) -> Iterator[CrossEncoderExample]:
    for path, rows in manual.tables:
        if len(rows) < 3 or not 2 <= len(rows[0]) <= 8 or any(len(row) != len(rows[0]) for row in rows):
            continue
        header, *body = rows
        if not all(0 < len(cell.split()) <= 5 for cell in header) or len({row[0] for row in body}) < len(body):
            continue
        place = " > ".join(part for part in path if part)
        for at in rng.sample(range(len(body)), min(3, len(body))):
            column = rng.randrange(1, len(header))
            row, cell = body[at][0], body[at][column]
            if not row or not cell or len(row.split()) > 6:
                continue
            question = rng.choice(_CELL_QUESTIONS).format(column=header[column], row=row)
            lines = [" | ".join(each) for each in body]
            first, end = window_around(lines, at, rng.randint(_LEAST_WORDS, _MOST_WORDS), rng)
            text = "\n".join([" | ".join(header), *lines[first:end]])
            start = text.index(lines[at], len(" | ".join(header))) + len(" | ".join(body[at][:column])) + 3
            span = Span(start, start + len(cell))
            yield _example(question, place, text, True, "manual/cell", rng, span)
            without = [line for n, line in enumerate(lines) if n != at]
            yield _example(
                question, place, "\n".join([" | ".join(header), *without[:6]]), False, "manual/other_row", rng
            )
            missing, hint = rng.choice(_ABSENT)
            if not re.search(hint, text, re.IGNORECASE):
                yield _example(missing.format(row), place, text, False, "manual/attribute_absent", rng)


def _line_example(
    question: str, place: str, lines: Sequence[str], at: int, source: str, rng: random.Random
) -> CrossEncoderExample:
    first, end = window_around(lines, at, rng.randint(_LEAST_WORDS, _MOST_WORDS), rng)
    start = sum(len(line) + 1 for line in lines[first:at])
    return _example(
        question, place, "\n".join(lines[first:end]), True, source, rng, Span(start, start + len(lines[at]))
    )


def _text(blocks: Sequence[str], at: int, rng: random.Random) -> str:
    words = rng.randint(_LEAST_WORDS, _MOST_WORDS)
    first, end = (at, at + 1) if at == 0 else window_around(blocks, at, words, rng)
    while at == 0 and end < len(blocks) and len(" ".join(blocks[:end]).split()) < words:
        end += 1
    return " ".join("\n".join(blocks[first:end]).split(" ")[: _MOST_WORDS + 40])


def _example(
    question: str, place: str, text: str, answered: bool, source: str, rng: random.Random, span: Span | None = None
) -> CrossEncoderExample:
    return CrossEncoderExample(
        question=typed_by_people(question, rng),
        place=place[-160:],
        text=text,
        answered=answered,
        source=source,
        span=span,
    )
