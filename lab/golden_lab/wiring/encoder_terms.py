"""Terms of glossaries as examples: their definitions as passages, and questions in which they are marked."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from contracts.text import Span
from evaluation.splits import part_of
from golden_lab.datasets.files import read_jsonl
from golden_lab.training.encoder.examples import PairExample, TagExample
from tools.language import content_stems

_ASKED = (
    "What is {}?", "what does {} mean", "What does {} stand for?", "Explain {} to me.", "meaning of {}",
    "Can you tell me what {} is?", "define {}", "what's a {}",
)  # fmt: skip
_USED = (
    "How do I set up {} for my team?", "why does {} fail after the update", "Where can I find the settings of {}?",
    "Is {} needed before the release?", "Who is responsible for {} here?", "How long does {} keep the data?",
    "What is the difference between {} and {}?", "Can I use {} together with {}?", "our {} is slow since yesterday",
    "Which version of {} do we support?", "I get an error when {} starts, what should I check?", "do we need {} for {}",
    "How is {} configured in production?", "When was {} changed last?", "What happens to {} if the power is lost?",
)  # fmt: skip
# Questions without any term: ordinary words in the places where terms stand.
_ORDINARY = (
    "the meeting", "my computer", "this document", "the new office", "a colleague", "the printer", "our customer",
    "the report", "a large file", "the second page", "my password", "the kitchen", "the schedule", "an old version",
    "the temperature", "this error", "a good example", "the main door", "the last invoice", "our budget",
)  # fmt: skip
_ABBREVIATION = re.compile(r"\s*\(([A-Z][A-Za-z0-9&/-]{1,9})\)\s*$")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_DEFINITION_CHARACTERS = 700
_QUESTIONS_A_TERM = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class TermExamples:
    """Examples, each with the part of its data set that it is in."""

    pairs: tuple[tuple[str, PairExample], ...]
    tags: tuple[tuple[str, TagExample], ...]


@dataclass(frozen=True, kw_only=True)
class _Entry:
    set_name: str
    term: str
    names: tuple[str, ...]
    definition: str

    @cached_property
    def part(self) -> str:
        return part_of(self.set_name, self.term)

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(content_stems(f"{self.term} {self.definition}"))


def term_examples(data: Path, rng: random.Random) -> TermExamples:
    """Make examples of the glossaries of AWS and of the CNCF, the term being the group.

    Raises:
        InvalidInput: a file is not there or not of its form; the text names it.
    """
    entries = [*_aws(data), *_cncf(data)]
    pairs = [(entry.part, pair) for entry in entries for pair in _definitions(entry, entries, rng)]
    tags = [(entry.part, tagged) for entry in entries for tagged in _questions(entry, entries, rng)]
    return TermExamples(pairs=tuple(pairs), tags=tuple(tags))


def _aws(data: Path) -> Iterator[_Entry]:
    for row in read_jsonl(data / "awsdocs" / "glossary.jsonl"):
        term = row["term"]
        names = dict.fromkeys(each for each in (_ABBREVIATION.sub("", term), row["abbrev"]) if each)
        definition = "" if row["see"] else row["definition"]
        yield _Entry(set_name="awsdocs", term=term, names=tuple(names), definition=definition)


def _cncf(data: Path) -> Iterator[_Entry]:
    for row in read_jsonl(data / "cncf_glossary" / "glossary.jsonl"):
        term = row["term"]
        if "Template" in term:
            continue
        short = _ABBREVIATION.search(term)
        names = (_ABBREVIATION.sub("", term), *((short.group(1),) if short else ()))
        definition = " ".join(_LINK.sub(r"\1", row["definition"]).split())[:_DEFINITION_CHARACTERS]
        yield _Entry(set_name="cncf_glossary", term=term, names=names, definition=definition)


def _definitions(entry: _Entry, entries: list[_Entry], rng: random.Random) -> Iterator[PairExample]:
    if not entry.definition:
        return

    def pair(definition: str, kind: str, *, defined: bool) -> PairExample:
        return PairExample(
            first=rng.choice(_ASKED).format(rng.choice(entry.names)),
            second=definition,
            verdicts=(("relevance", defined), ("answerability", defined)),
            source=f"{entry.set_name}/{kind}",
            group=entry.term,
        )

    yield pair(f"{entry.term}: {entry.definition}", "definition", defined=True)
    words = frozenset(content_stems(entry.term))
    others = [
        each
        for each in entries
        if each.definition and each.part == entry.part and not set(each.names) & set(entry.names)
        and entry.names[0].casefold() not in f"{each.term} {each.definition}".casefold()
    ]  # fmt: skip
    near = sorted(others, key=lambda each: -len(words & each.words))
    for other in rng.sample(near[:4], min(2, len(near))):
        yield pair(f"{other.term}: {other.definition}", "other_definition", defined=False)


def _questions(entry: _Entry, entries: list[_Entry], rng: random.Random) -> Iterator[TagExample]:
    beside = [each for each in entries if each.part == entry.part]
    for _ in range(_QUESTIONS_A_TERM):
        template = rng.choice(_USED if rng.random() < 0.7 else _ASKED)
        fillers = [(rng.choice(entry.names), True)]
        while len(fillers) < template.count("{}"):
            other = rng.choice(beside)
            fillers.append((rng.choice(other.names), True) if rng.random() < 0.5 else (rng.choice(_ORDINARY), False))
        rng.shuffle(fillers)
        yield _filled(template, fillers, entry)
    if rng.random() < 0.5:
        template = rng.choice(_USED)
        yield _filled(template, [(rng.choice(_ORDINARY), False) for _ in range(template.count("{}"))], entry)


def _filled(template: str, fillers: list[tuple[str, bool]], entry: _Entry) -> TagExample:
    text, terms = "", []
    for number, piece in enumerate(template.split("{}")):
        text += piece
        if number < len(fillers):
            words, is_term = fillers[number]
            if is_term:
                terms.append(Span(len(text), len(text) + len(words)))
            text += words
    return TagExample(text=text, terms=tuple(terms), source=f"{entry.set_name}/questions", group=entry.term)
