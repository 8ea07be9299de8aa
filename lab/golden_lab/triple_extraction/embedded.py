"""A triple extractor without a language model: open information extraction by rules."""

import re
import time
from collections.abc import Iterator

from contracts.provenance import Provenance
from contracts.text import Chunk, Passage
from golden_lab.triple_extraction.normalisation import normalise_all, singular
from golden_lab.triple_extraction.objects import split_coordinated
from golden_lab.triple_extraction.sentences import Discourse, open_relation, sentence_claims
from golden_lab.triple_extraction.tokens import read_tokens
from golden_lab.triple_extraction.verb_groups import find_verb_groups
from golden_lab.triples.triple import ExtractedTriples, Triple
from tools.language import find_words, split_sentences
from tools.language.verbs import is_gerund
from tools.reading import Statement, read_statements
from tools.reading.tables import is_generic_header

# Time stays bounded for any input; a longer text is read up to here.
_MAX_CHARACTERS = 60_000
_KEYED = re.compile(r"^[*_\s]*(?P<key>[^\s:=*_][^:=]{0,60}?)[*_\s]*(?::|=)[*_]*\s+(?P<value>\S.*)$")
_RULE_LINE = re.compile(r"^[ \t]*\|[ \t:|-]*--[ \t:|-]*$", re.MULTILINE)
# Headings that name something done are about no thing that has properties.
_ACTIVITY = re.compile(r"(?:ment|tion|sion|ance|ing|s?up|steps|rules|policy)s?$", re.IGNORECASE)
_HEADING_MARK = re.compile(r"^(?:#+\s*|\d+(?:\.\d+)*\.?\s+(?=[A-Z]))")
_NAMED = re.compile(
    r"^(?:project|product|system|module|component|device|part)(?:\s+name)?\s*:\s*(?P<name>.+)$", re.IGNORECASE
)
# Headings that name a part of the document rather than a thing.
_CHAPTERS = re.compile(
    r"\b(?:overview|introduction|summary|conclusions?|description|features?|goals?|architecture|specifications?|notes?|"
    r"interactions?|details|background|requirements?|functions?|parameters?|table|figure|appendix|steps|rules)\b",
    re.IGNORECASE,
)


class EmbeddedTripleExtractor:
    """Reads claims by the verbs of sentences, the keys of lines and the headers of tables.

    Pronouns and missing subjects are put in from the sentence before or from the heading, else "System".
    """

    async def extract(self, text: str) -> ExtractedTriples:
        """Return the claims that ``text`` states, normalised; nothing that it does not say. Empty text has none.

        The first 60 000 characters count.
        """
        started = time.perf_counter()
        triples = normalise_all(_claims(text[:_MAX_CHARACTERS])) if text.strip() else ()
        return ExtractedTriples(
            triples=triples,
            provenance=Provenance(
                implementation="embedded", model="rules 1", milliseconds=(time.perf_counter() - started) * 1_000
            ),
        )


def _claims(text: str) -> Iterator[Triple]:
    discourse = Discourse()
    leading: tuple[str, str] | None = None
    # The reader of tables knows cells by the space around their bars.
    spaced = _RULE_LINE.sub(lambda match: re.sub(r"\s*\|\s*", " | ", match.group()), text)
    for statement in read_statements(_as_passage(spaced), 0):
        found: list[tuple[str, str, str]] = []
        if statement.kind == "row" and statement.record is not None:
            found = list(_row(statement, discourse))
        elif leading is not None and statement.kind == "heading" and not statement.text.startswith("#"):
            found = [(*leading, statement.text)]
        elif statement.kind == "heading" or statement.text.startswith("#"):
            found = _heading(statement, discourse)
        else:
            found = _line(statement, discourse, leading)
        if statement.kind == "sentence" or (statement.kind == "heading" and statement.text.endswith(":")):
            lead = statement.text.endswith(":")
            leading = open_relation(statement.text, discourse) if lead else None
        for subject, predicate, value in found:
            yield Triple(subject=subject, predicate=predicate, object=value, sentence=statement.sentences[0])


def _heading(statement: Statement, discourse: Discourse) -> list[tuple[str, str, str]]:
    """Take a heading's subject; one that is a whole clause or a key with a value is read as a line."""
    text = _HEADING_MARK.sub("", statement.text).strip(" #*_:")
    named = _NAMED.match(text)
    if named:
        discourse.heading = discourse.subject = named["name"].strip()
        return []
    if _KEYED.match(text):
        return _line(statement, discourse, None)
    if find_verb_groups(read_tokens(text)) and not statement.text.startswith("#"):
        return sentence_claims(text, discourse)
    chapter = bool(_CHAPTERS.search(text)) or (len(text.split()) == 1 and is_gerund(text)) or len(find_words(text)) > 6
    if not chapter and not _ACTIVITY.search(text):
        discourse.heading = discourse.subject = text
    return []


def _line(statement: Statement, discourse: Discourse, leading: tuple[str, str] | None) -> list[tuple[str, str, str]]:
    text = re.sub(r"(?<!\w)[*_]{1,3}|[*_]{1,3}(?!\w)", "", statement.text)
    keyed = _KEYED.match(text)
    if keyed and _is_key(keyed["key"]) and not text.startswith("http"):
        return _keyed(keyed["key"].strip(), keyed["value"].strip(), discourse)
    if statement.kind == "item" and leading is not None and not find_verb_groups(read_tokens(text)):
        return [(*leading, text)]
    if text.endswith(":"):
        return []
    return sentence_claims(text, discourse)


def _is_key(key: str) -> bool:
    return len(find_words(key)) <= 6 and not find_verb_groups(read_tokens(key)) and not key.startswith("http")


def _keyed(key: str, value: str, discourse: Discourse) -> list[tuple[str, str, str]]:
    """Read "key: value": a value that is a sentence speaks of the key, any other is what the subject has."""
    tokens = read_tokens(value)
    if find_verb_groups(tokens) or (tokens and is_gerund(tokens[0].lower)):
        # A participle that opens the value is a verb behind a comma for the reader of clauses.
        sentence = f"{key}, {value[0].lower()}{value[1:]}" if is_gerund(tokens[0].lower) else value
        inner = Discourse(heading=key, subject=key)
        found = sentence_claims(sentence, inner)
        discourse.subject = key
        return found
    predicate = f"has {_key_name(key)}"
    if key.casefold().startswith(("measured", "observed", "target")):
        first, _, rest = key.partition(" ")
        return [(rest or discourse.implied, "has measured =" if first.lower() != "target" else "targets =", value)]
    equals = " =" if re.match(r"[-+±]?\d", value) else ""
    parts = split_coordinated(tokens)
    texts = [value[part[0].start : part[-1].end] for part in parts if part] if len(parts) > 1 else [value]
    return [(discourse.implied, predicate + equals, text) for text in texts]


def _key_name(key: str) -> str:
    words = key.split()
    lowered = [word if re.search(r"\d|[A-Z]{2}", word) else word.lower() for word in words]
    return " ".join([*lowered[:-1], singular(lowered[-1])])


def _row(statement: Statement, discourse: Discourse) -> Iterator[tuple[str, str, str]]:
    """Read a table row: each cell is what the thing that names the row has under that header."""
    record = statement.record
    if record is None or not record.key_text:
        return
    key = record.key_text.strip(" :*")
    for column, cell in enumerate(record.cells):
        value = cell.strip()
        if column == record.key or not re.search(r"\w", value):
            continue
        name = record.plain_name(column)
        text = record.value(column) or value
        equals = " =" if re.match(r"[-+±]?\d", text) else ""
        if not name or is_generic_header(name):
            yield key, "is", text
        else:
            yield key, f"has {_key_name(name)}{equals}", text


def _as_passage(text: str) -> Passage:
    chunk = Chunk(id="", document_id="", kind="section", ordinal=0, text=text, page=1, last_page=1)
    return Passage(chunk=chunk, document_name="", document_title="", score=0.0, sentences=split_sentences(text))
