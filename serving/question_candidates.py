"""Question candidates: questions that somebody may ask about a document, made from its headings, terms and tables."""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from contracts.jargon import MinedTerm
from contracts.question import SuggestionKind
from contracts.text import Chunk
from tools.language import fold, rarity, split_sentences
from tools.language.verbs import base_form, is_also_noun, is_base, is_gerund

_FEWEST_WORDS, _MOST_WORDS = 3, 16
_LEAST_SCORE = 0.9
# Rarer than any everyday English word: a name or a code, which keeps its spelling.
_RARE = 0.72
_NUMBERING = re.compile(r"^(?:[#•*–-]+\s+|Q\s?\d*[.:)]\s+|\d+(?:\.\d+)*[.)]?\s+)+")
_ASKING = re.compile(
    r"(?:wh(?:at|ere|en|y|ich|o|om|ose)|how|can|could|do|does|did|is|are|was|may|must|should|will)(?:[’']s)?\b[^?.!|]*[^?.!|\s]\?",
    re.IGNORECASE,
)
_STEP = re.compile(r"^\s*(?:step\s+)?\d{1,2}[.):]\s+\S", re.IGNORECASE | re.MULTILINE)
# References that nobody can understand from the question alone.
_POINTING = re.compile(
    r"\b(?:this|these|those|it|its|they|their|them|he|she|his|her|here|above|below|following|previous|another|such)\b"
    r"|\bthat\?|\b(?:section|chapter|table|figure|page|step) \d",
    re.IGNORECASE,
)
_DEFINED = re.compile(
    r"(?P<term>An?(?:\s[\w-]+){1,4}?|[\w/#-]*(?:[a-z][A-Z]|[A-Z0-9]{2})[\w/#-]*)\s+is\s+an?\s+\w", re.ASCII
)
_PERSON = re.compile(r"(?:er|or)$", re.IGNORECASE)
_FULL_NAME = re.compile(r"[A-Z][^\W\d_]+(?: [A-Z][^\W\d_]+)+")
_CELL_END = re.compile(r"\s*\|\s*")
_BRACKETS = re.compile(r"\s*[(\[][^)\]]*[)\]]")
_PHRASE = re.compile(r"[^\W\d_][\w’'/#-]*(?: [\w’'/#-]+){0,4}")
# Headers that mean nothing alone, or continue the row's name ("Stands for", "Done by", "Beaters staged").
_NO_PROPERTY = re.compile(
    r"(?:names?|titles?|items?|ids?|numbers?|no|nr|values?|data|units?|types?|kinds?|meanings?|descriptions?|details?"
    r"|notes?|remarks?|comments?|examples?|results?|defaults?|min|max|typ|(?:stands|from|where|how|who|when|what|which|first|last|other)"
    r"\b.*|.*\b(?:for|is|are|has|does|used|done|by|in|at|on|to|with|when|if|after|before|from|of)|.*[^e]ed|.*(?:[/\d]|\bto\b).*)",
    re.IGNORECASE,
)
_YES_OR_NO = re.compile(r"yes|no|y|n|x|true|false|none|n/a", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A question that a document may answer, its kind and its topic.

    A correct answer contains ``answer``, if it is known; otherwise ``passage`` contains the answer or is next to it.
    """

    text: str
    kind: SuggestionKind
    subject: str
    answer: str = ""
    passage: Chunk | None = None


def find_candidates(
    chunks: Sequence[Chunk], mined: Sequence[MinedTerm], *, seed: str = "", written: bool = False
) -> list[Candidate]:
    """Return the questions that a document's chunks and the terms mined from it suggest; the kinds alternate.

    Questions of each kind come from the whole document, in a random order determined by ``seed``. ``written`` means
    that a language model wrote the summaries, so the questions in them are candidates too.
    """
    passages = [each for each in chunks if each.kind == "passage"]
    kinds = [
        [*_asked(passages)],
        [*_procedures(passages)],
        [*_cells(passages)],
        [*_terms(mined), *_definitions(passages)],
        [*_written(chunks)] if written else [],
    ]
    for each in kinds:
        random.Random(seed).shuffle(each)
    found: dict[str, Candidate] = {}
    for candidate in (each for turn in zip_longest(*kinds) for each in turn if each is not None):
        stands_alone = _FEWEST_WORDS <= len(candidate.text.split()) <= _MOST_WORDS
        if stands_alone and not _POINTING.search(candidate.text):
            found.setdefault(fold(candidate.text), candidate)
    return list(found.values())


def _asked(passages: Sequence[Chunk]) -> Iterator[Candidate]:
    for each in passages:
        lines = each.text.splitlines() if each.block_kind in ("paragraph", "list", "heading") else []
        for line in (*each.heading_path, *lines):
            question = _NUMBERING.sub("", line.strip())
            if _ASKING.fullmatch(question):
                yield Candidate(question, "asked", question, passage=each)


def _procedures(passages: Sequence[Chunk]) -> Iterator[Candidate]:
    for each in passages:
        heading = _NUMBERING.sub("", each.heading_path[-1].strip()) if each.heading_path else ""
        task = re.fullmatch(r"(?:(how to|to) )?([A-Za-z]+) ([^:,;.?!]+)", heading, re.IGNORECASE)
        # Only the first of two verbs would get its base form ("Cutting and pasting").
        if task is None or re.search(r"\band \w+ing\b", heading):
            continue
        how, verb, rest = task.groups()
        in_steps = len(_STEP.findall(each.text)) > 1
        if (how and is_base(verb.lower()) and (in_steps or how.lower() == "how to")) or (
            in_steps and (is_gerund(verb) or (is_base(verb.lower()) and not is_also_noun(verb)))
        ):
            task_words = re.sub(r"\byour\b", "my", f"{base_form(verb)} {_in_a_sentence(rest)}")
            yield Candidate(f"How do I {task_words}?", "procedure", task_words, passage=each)


def _terms(mined: Sequence[MinedTerm]) -> Iterator[Candidate]:
    for each in mined:
        if each.score >= _LEAST_SCORE and any(map(str.isalpha, each.term)):
            yield Candidate(f"What does {each.term} stand for?", "term", each.term, answer=each.extended_name)


def _definitions(passages: Sequence[Chunk]) -> Iterator[Candidate]:
    for each in passages:
        if each.block_kind not in ("paragraph", "list"):
            continue
        for span in split_sentences(each.text):
            match = _DEFINED.match(_NUMBERING.sub("", each.text[span.start : span.end]))
            if match is None or _POINTING.search(match["term"]):
                continue
            term = match["term"]
            asked = term[0].lower() + term[1:] if " " in term else term
            yield Candidate(f"What is {asked}?", "term", re.sub(r"^An? ", "", term), passage=each)


def _cells(passages: Sequence[Chunk]) -> Iterator[Candidate]:
    for each in passages:
        if each.block_kind != "table":
            continue
        header, *rows = (_CELL_END.split(line.strip()) for line in each.text.splitlines() or [""])
        if not header[0] and all(_is_property(_BRACKETS.sub("", row[0])) for row in rows):
            # Properties in rows, things in columns: transposed.
            header, *rows = (list(column) for column in zip_longest(header, *rows, fillvalue=""))
        names = [row[0] for row in rows]
        for row in rows:
            # Two rows with the same name differ in something that the question would have to mention.
            if len(row) != len(header) or names.count(row[0]) > 1 or not _is_name(row[0]):
                continue
            for column, value in list(zip(header, row, strict=True))[1:]:
                named = _BRACKETS.sub("", column)
                tells = any(map(str.isalnum, value)) and not _YES_OR_NO.fullmatch(value)
                if tells and _is_property(named):
                    name = _BRACKETS.sub("", row[0])
                    asked = "Who" if _PERSON.search(named) and _FULL_NAME.fullmatch(value) else "What"
                    text = f"{asked} is the {_in_a_sentence(named)} of {_with_article(name)}?"
                    yield Candidate(text, "cell", name, answer=value)


def _written(chunks: Sequence[Chunk]) -> Iterator[Candidate]:
    for each in chunks:
        for line in each.text.splitlines() if each.kind == "summary" else ():
            if line.endswith("?"):
                yield Candidate(line, "written", line)


def _is_name(cell: str) -> bool:
    name = _BRACKETS.sub("", cell)
    # An everyday word may be anything ("global", "moderate"), and rarely makes sense on its own.
    is_word = bool(re.fullmatch(r"[A-Z]?[a-z]+", name)) and rarity(name) < _RARE
    return len(name) > 1 and bool(_PHRASE.fullmatch(name)) and not is_word and not _is_plural(name)


def _is_property(header: str) -> bool:
    """Return whether a header is a property: everyday words that do not begin with a verb ("Leaves building")."""
    if not _PHRASE.fullmatch(header) or _NO_PROPERTY.fullmatch(header) or _is_plural(header):
        return False
    first, *others = header.split()
    is_verb = bool(others) and first.endswith("s") and bool(base_form(first))
    return not is_verb and all(word.isupper() or rarity(word) < _RARE for word in (first, *others))


def _is_plural(phrase: str) -> bool:
    return bool(re.search(r"[^\Wsui]s$", phrase))


def _with_article(name: str) -> str:
    """Put "the" before a thing ("Start marker"); a name or a code ("Tester Alfa", "DDR3") gets none."""
    things = re.fullmatch(r"[A-Z]?[a-z]+(?: [a-z-]+)*", name)
    is_thing = bool(things) and (" " in name or rarity(name) < _RARE)
    return f"the {name[0].lower()}{name[1:]}" if is_thing else name


def _in_a_sentence(phrase: str) -> str:
    """Lower-case the everyday words of a heading or header."""
    return re.sub(r"\b[A-Z][a-z]+\b", lambda word: word[0].lower() if rarity(word[0]) < _RARE else word[0], phrase)
