"""What the encoder learns from: the public sets' training and fit parts, as pairs and tagged texts."""

import hashlib
import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from contracts.errors import InvalidInput
from contracts.text import Span
from golden_lab.datasets.files import read_jsonl
from golden_lab.splits import part_of
from golden_lab.training.encoder.examples import DataSource, EncoderData, PairExample, TagExample, Use
from golden_lab.wiring.encoder_pairs import (
    SQUAD_DEV,
    SQUAD_TRAIN,
    begin_pairs,
    expertqa_pairs,
    mtrag_pairs,
    squad_claim_pairs,
    squad_dev_pairs,
    squad_question_pairs,
    wice_pairs,
)
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


# File, licence of what is learnt from it, part used. Sets under a licence for non-commercial use are not here.
_FILES = (
    (SQUAD_TRAIN, "CC BY-SA 4.0", "training split: 75 % of the articles to learn, 10 % to stop by"),
    (SQUAD_DEV, "CC BY-SA 4.0", "a tenth of the fit half, to stop by; nothing is learnt from it"),
    ("mtrag/tasks.jsonl.gz", "Apache-2.0", "fit half: 75 % to learn, 10 % to stop by"),
    ("wice/oracle_chunks_claim_dev.jsonl.gz", "ODC-BY", "fit half: 75 % to learn, 10 % to stop by"),
    ("begin/begin_dev_wow.jsonl.gz", "CC BY 4.0", "fit half: 75 % to learn, 10 % to stop by"),
    ("begin/begin_dev_cmu.jsonl.gz", "CC BY 4.0", "fit half: 75 % to learn, 10 % to stop by"),
    ("begin/begin_dev_tc.jsonl.gz", "CDLA-Sharing-1.0", "fit half: 75 % to learn, 10 % to stop by"),
    ("expertqa/claims.jsonl.gz", "MIT", "fit half: 75 % to learn, 10 % to stop by"),
    ("awsdocs/glossary.jsonl", "CC BY-SA 4.0", "fit half: 75 % to learn, 10 % to stop by"),
    ("cncf_glossary/glossary.jsonl", "CC BY 4.0", "fit half: 75 % to learn, 10 % to stop by"),
)
# The name of each draws its examples: with another name the same seed makes other weights.
_PAIRS: Mapping[str, Callable[[Path, random.Random], Iterator[tuple[str, PairExample]]]] = {
    "squad_questions": squad_question_pairs,
    "squad_claims": squad_claim_pairs,
    "squad_dev": squad_dev_pairs,
    "mtrag": mtrag_pairs,
    "wice": wice_pairs,
    "begin": begin_pairs,
    "expertqa": expertqa_pairs,
}
# Of what dev parts hold, so many pairs of a source: enough to stop by, and measured often.
_DEV_PAIRS_A_SOURCE = 80

Example = TypeVar("Example", PairExample, TagExample)


def read_encoder_data(data: Path, *, seed: int) -> EncoderData:
    """Read the data sets below the folder ``data`` and make examples of them.

    Raises:
        InvalidInput: a file is not there or not of its form, or a group that is scored got in; the text names it.
    """
    pairs: dict[str, list[PairExample]] = {"train": [], "dev": []}
    for name, pairs_of in _PAIRS.items():
        for part, example in pairs_of(data, random.Random(f"{seed} _{name}")):
            if part in pairs:
                pairs[part].append(example)
    terms = term_examples(data, random.Random(f"{seed} terms"))
    for part, asked in terms.pairs:
        if part in pairs:
            pairs[part].append(asked)
    tags: dict[str, list[TagExample]] = {"train": [], "dev": []}
    for part, tagged in terms.tags:
        if part in tags:
            tags[part].append(tagged)
    found = EncoderData(
        train_pairs=tuple(pairs["train"]),
        dev_pairs=_some_of_each(pairs["dev"], random.Random(seed)),
        train_tags=tuple(tags["train"]),
        dev_tags=_some_of_each(tags["dev"], random.Random(seed)),
        sources=tuple(_source(data, file, licence, part) for file, licence, part in _FILES),
    )
    if not found.train_pairs or not found.dev_pairs:
        raise InvalidInput("There are no pairs to learn from, or none to stop by: is --data the right folder?")
    refuse_scored(found)
    return found


def refuse_scored(data: EncoderData) -> None:
    """Hold every group of ``data`` against the parts once more.

    Raises:
        InvalidInput: a group is of a half that is scored, or of another part than it is used in; the text names it.
    """
    uses: tuple[tuple[Use, tuple[PairExample | TagExample, ...]], ...] = (
        ("train", (*data.train_pairs, *data.train_tags)),
        ("dev", (*data.dev_pairs, *data.dev_tags)),
    )
    for use, examples in uses:
        for each in examples:
            set_name = each.source.split("/", maxsplit=1)[0]
            whole = each.source.startswith(_WHOLE)
            if (part := part_of(set_name, each.group, whole=whole)) != use:
                raise InvalidInput(f"The group {each.group!r} of {each.source} is of the part {part}, not {use}.")


# Of SQuAD 1.1 train nothing is scored; its articles are others than those of dev.
_WHOLE = "squad2/train"


def _some_of_each(examples: list[Example], rng: random.Random) -> tuple[Example, ...]:
    by_source: dict[str, list[Example]] = {}
    for each in examples:
        by_source.setdefault(each.source, []).append(each)
    return tuple(each for rows in by_source.values() for each in rng.sample(rows, min(_DEV_PAIRS_A_SOURCE, len(rows))))


def _source(data: Path, file: str, licence: str, part: str) -> DataSource:
    with (data / file).open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    return DataSource(file=file, sha256=digest, licence=licence, part=part)
