"""A triple extractor without a language model: open information extraction by rules."""

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from contracts.provenance import Provenance
from contracts.text import Chunk, Passage
from golden_lab.triple_extraction.clauses import Clause, find_verbs, part_object, read_clauses, split_coordinated
from golden_lab.triple_extraction.normalisation import normalise_all, singular
from golden_lab.triple_extraction.tokens import Token, read_tokens
from golden_lab.triple_extraction.verb_forms import is_participle, third_person
from golden_lab.triples.triple import ExtractedTriples, Triple
from tools.language import find_words, split_sentences
from tools.language.verbs import is_gerund
from tools.reading.statements import Statement, read_statements
from tools.tables.table import is_generic_header

# Subject, predicate and object in the words of the text.
Claim = tuple[str, str, str]

# Longer texts are truncated, to limit the time for any input.
_MAX_CHARACTERS = 60_000
_KEYED = re.compile(r"^[*_\s]*(?P<key>[^\s:=*_][^:=]{0,60}?)[*_\s]*(?::|=)[*_]*\s+(?P<value>\S.*)$")
_RULE_LINE = re.compile(r"^[ \t]*\|[ \t:|-]*--[ \t:|-]*$", re.MULTILINE)
_HEADING_MARK = re.compile(r"^(?:#+\s*|\d+(?:\.\d+)*\.?\s+(?=[A-Z]))")
# Headings that name a part of the document or an activity, rather than a thing.
_NO_THING = re.compile(
    r"\b(?:overview|introduction|summary|conclusions?|features?|goals?|architecture|notes?|details|background|table|"
    r"figure|appendix|parameters?)\b|(?:ment|tion|sion|ance|ing|s?up|steps|rules|policy)s?$",
    re.IGNORECASE,
)
_CONTRACTED = re.compile(r"\b(it|he|she|they|we|you|I|there|that)['’](s|re|ll|ve|m)\b", re.IGNORECASE)
_FULL = {"s": "is", "re": "are", "ll": "will", "ve": "have", "m": "am"}
_THIRD = frozenset({"it", "they", "he", "she", "this", "these", "that", "those", "them", "him"})


class EmbeddedTripleExtractor:
    """Extracts claims from the verbs of sentences, the keys of lines and the headers of tables.

    Pronouns and missing subjects are filled in from the previous sentence or the heading, or else with "System".
    """

    async def extract(self, text: str) -> ExtractedTriples:
        """Return the claims that ``text`` states, normalised, and nothing else. Empty text has none.

        Only the first 60,000 characters are read.
        """
        started = time.perf_counter()
        triples = normalise_all(_claims(text[:_MAX_CHARACTERS])) if text.strip() else ()
        return ExtractedTriples(
            triples=triples,
            provenance=Provenance(
                implementation="embedded", model="rules 2", milliseconds=(time.perf_counter() - started) * 1_000
            ),
        )


@dataclass(slots=True)
class _Discourse:
    """What the text has mentioned: the heading's subject ("" for the whole text) and the last subject and object."""

    heading: str = ""
    subject: str = ""
    object: str = ""


def _claims(text: str) -> Iterator[Triple]:
    discourse = _Discourse()
    leading: tuple[str, str] | None = None
    # The table reader recognises cells by the spaces around their bars.
    spaced = _RULE_LINE.sub(lambda match: re.sub(r"\s*\|\s*", " | ", match.group()), text)
    chunk = Chunk(id="", document_id="", kind="section", ordinal=0, text=spaced, page=1, last_page=1)
    passage = Passage(chunk=chunk, document_name="", document_title="", score=0.0, sentences=split_sentences(spaced))
    for statement in read_statements(passage, 0):
        if statement.kind == "row":
            found = list(_row(statement))
        elif statement.kind == "heading":
            found = _heading(statement, discourse)
        else:
            found = _line(statement.text, discourse, leading if statement.kind == "item" else None)
        if statement.kind != "item":
            leading = _open_relation(statement.text, discourse) if statement.text.endswith(":") else None
        for subject, predicate, value in found:
            yield Triple(subject=subject, predicate=predicate, object=value, sentence=statement.sentences[0])


def _row(statement: Statement) -> Iterator[Claim]:
    """Read a table row: its name is the subject, and each other cell is the value of the property in the header."""
    table, row = statement.table, statement.row
    if table is None or row is None or not row.cells[table.key]:
        return
    for column, (name, cell) in enumerate(zip(table.header, row.cells, strict=True)):
        if column != table.key and re.search(r"\w", cell):
            unnamed = not name or is_generic_header(name)
            yield row.cells[table.key].strip(" :*"), "is" if unnamed else _has(name, cell), cell


def _heading(statement: Statement, discourse: _Discourse) -> list[Claim]:
    """Take the subject of a heading; a heading of the form "key: value" is read as a line."""
    text = _HEADING_MARK.sub("", statement.text).strip(" #*_:")
    if _KEYED.match(text) or (find_verbs(read_tokens(text)) and not statement.text.startswith("#")):
        return _line(text, discourse, None)
    if not _NO_THING.search(text) and len(find_words(text)) <= 6:
        discourse.heading = discourse.subject = text
    return []


def _line(line: str, discourse: _Discourse, leading: tuple[str, str] | None) -> list[Claim]:
    text = re.sub(r"(?<!\w)[*_]{1,3}|[*_]{1,3}(?!\w)", "", line)
    keyed = _KEYED.match(text)
    if keyed and len(find_words(keyed["key"])) <= 6 and not find_verbs(read_tokens(keyed["key"])):
        return _keyed(keyed["key"].strip(), keyed["value"].strip(), discourse)
    if leading is not None and not find_verbs(read_tokens(text)):
        return [(*leading, text)]
    return [] if text.endswith(":") else _sentence(text, discourse)


def _keyed(key: str, value: str, discourse: _Discourse) -> list[Claim]:
    """Read "key: value": a value that is a sentence is about the key, any other value is a property of the subject."""
    tokens = read_tokens(value)
    gerund = bool(tokens) and is_gerund(tokens[0].lower)
    if gerund or find_verbs(tokens):
        discourse.subject = key
        # The clause reader recognises a gerund at the beginning of the value only after a comma.
        sentence = f"{key}, {value[0].lower()}{value[1:]}" if gerund else value
        return _sentence(sentence, _Discourse(heading=key, subject=key))
    parts = split_coordinated(tokens)
    texts = [_text(part) for part in parts] if len(parts) > 1 else [value]
    return [(discourse.heading, _has(key, value), text) for text in texts]


def _has(name: str, value: str) -> str:
    words = [word if re.search(r"\d|[A-Z]{2}", word) else word.lower() for word in name.split()]
    equals = " =" if re.match(r"[-+±]?\d", value) else ""
    return " ".join(["has", *words[:-1], singular(words[-1])]) + equals


def _open_relation(sentence: str, discourse: _Discourse) -> tuple[str, str] | None:
    """Return the subject and predicate of a sentence that introduces a list ("The module provides:"), else None."""
    clauses = read_clauses(read_tokens(sentence.rstrip(" :"))).clauses
    if not clauses or clauses[0].link == "condition" or not clauses[0].subject:
        return None
    rest = [token.lower for token in clauses[0].object if token.lower not in {"the", "following"}]
    subjects = _subjects(clauses[0], discourse, [], [])
    return (subjects[0], " ".join([*clauses[0].words, *rest])) if subjects and len(rest) < 2 else None


def _sentence(sentence: str, discourse: _Discourse) -> list[Claim]:
    """Read the claims of a sentence and update ``discourse``. A question has none."""
    if sentence.rstrip().endswith("?"):
        return []
    sentence = _CONTRACTED.sub(lambda match: f"{match[1]} {_FULL[match[2].lower()]}", sentence)
    tokens = read_tokens(sentence)
    read = read_clauses(tokens)
    found: list[Claim] = []
    circumstance = _text(read.circumstance)
    subjects: list[str] = []
    for clause in read.clauses:
        if clause.link == "condition":
            behind = [token for token in clause.object if token.kind != "comma"]
            circumstance = sentence[: (behind[-1] if behind else tokens[clause.end - 1]).end]
            continue
        subjects = _subjects(clause, discourse, subjects, found)
        for subject in subjects:
            found += _stated(subject, clause, circumstance[:1].lower() + circumstance[1:], discourse)
        if subjects:
            circumstance = ""
            discourse.subject = discourse.subject if clause.link == "relative" else subjects[0]
    return found


def _subjects(clause: Clause, discourse: _Discourse, before: list[str], found: list[Claim]) -> list[str]:
    """Return the subjects of a clause, listing the members of "A and B" separately."""
    subject = clause.subject
    if clause.link == "order" or (subject and subject[0].lower == "there"):
        return [discourse.heading]
    if not subject:
        return before or [discourse.subject or discourse.heading]
    if len(subject) == 1 and subject[0].lower in _THIRD:
        return before[:1] or [discourse.subject or discourse.heading]
    comma = next((n for n, token in enumerate(subject) if token.kind == "comma"), 0)
    behind = subject[comma + 1].lower if comma and comma + 1 < len(subject) else ""
    if behind in {"a", "an", "the"}:
        # "XA340, an amplifier," is a claim, and the subject is "amplifier (XA340)".
        name, category = _text(_plain(subject[:comma])), _text(subject[comma + 2 :])
        found.append((name, "is", category))
        return [f"{category} ({name})" if len(name.split()) == 1 else name]
    named = subject[:comma] if behind and is_participle(behind) else subject
    resumed = " ".join(token.lower for token in named[1:])
    if named[0].kind == "article" and resumed and discourse.subject.casefold().endswith(f" {resumed}"):
        return [discourse.subject]
    return [_text(part) for part in split_coordinated(_plain(named))]


def _plain(tokens: Sequence[Token]) -> Sequence[Token]:
    """Remove an article, except "no" and "some"."""
    return tokens[1:] if tokens[0].kind == "article" and tokens[0].lower not in {"no", "some"} else tokens


def _stated(subject: str, clause: Clause, circumstance: str, discourse: _Discourse) -> Iterator[Claim]:
    parts = part_object(clause.object, clause.base)
    words = clause.words
    if clause.subject and clause.subject[0].lower == "there":
        words = ("has",)
    if not parts.parts:
        yield from _intransitive(subject, clause, parts.particles, circumstance)
        return
    for part in parts.parts:
        value = _text(part)
        if part[0].lower in {"it", "them", "him"}:
            value = f"{discourse.subject} {_text(part[1:])}"
        yield subject, " ".join([*words, *parts.particles]), f"{value} {circumstance}"
    owner = subject if clause.base == "be" else _text(parts.parts[-1])
    for attribute in parts.attributes:
        yield owner, "has", _text(attribute)


def _intransitive(subject: str, clause: Clause, particles: Sequence[str], circumstance: str) -> Iterator[Claim]:
    words = clause.words
    if circumstance:
        yield subject, " ".join([*words, *particles]), circumstance
    elif len(words) > 1:
        yield subject, " ".join(words[:-1]), " ".join([words[-1], *particles])
    elif clause.base not in {"be", "have", "do"} and clause.link != "same":
        helper = "does" if words[0] == third_person(clause.base) else "did"
        yield subject, helper, " ".join([clause.base, *particles])


def _text(tokens: Sequence[Token]) -> str:
    """Return the words of ``tokens`` as in the sentence, without the words that were removed."""
    pieces = ["" if n and tokens[n - 1].end == token.start else " " for n, token in enumerate(tokens)]
    return "".join(space + token.text for space, token in zip(pieces, tokens, strict=True)).strip(" ,;:.")
