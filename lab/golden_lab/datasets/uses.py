"""Uses of ambiguous abbreviations: a text, the possible meanings of the abbreviation, and the correct one.

Each reader raises InvalidInput with the file name if the file is missing or a line is not a JSON object.
"""

import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from contracts.errors import InvalidInput
from contracts.text import Span
from golden_lab.datasets.files import join_tokens, read_jsonl
from golden_lab.splits import Half, half

_DOMAINS = ("legal", "scientific")


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """One use of ``term`` at ``place`` in ``text``.

    ``senses`` are the meanings of the term in the data set's dictionary, in its order; ``gold`` is the correct one, and
    ``most_frequent`` the one that is correct most often in the whole set. ``collection`` names the dictionary of the
    senses, ``subset`` the part of the benchmark that the use belongs to, and ``document`` the source of the text.
    """

    id: str
    text: str
    place: Span
    term: str
    senses: tuple[str, ...]
    gold: str
    most_frequent: str
    collection: str = ""
    subset: str = ""
    document: str = ""


def sdu21_uses(data: Path, part: Half) -> tuple[Use, ...]:
    """Read ``part`` of the development split for acronym disambiguation in scientific text, halved by sentence.

    Both halves contain uses of the same abbreviations, but all uses in one sentence are in the same half.

    Source: SDU@AAAI-21 shared task 2 (Veyseh et al. 2020, "What Does This Acronym Mean?", arXiv:2010.14678).
    """
    senses = _dictionary(data / "sdu21_ad" / "diction.json")
    uses = []
    for row in read_jsonl(data / "sdu21_ad" / "dev.jsonl.gz"):
        text, places = join_tokens(row["tokens"])
        place = places[row["acronym_idx"]]
        if half("sdu21_ad", " ".join(text.casefold().split())) != part:
            continue
        uses.append((row["id"], text, place, text[place.start : place.end], row["expansion"]))
    return _with_counts(uses, senses, "")


def sdu22_uses(data: Path, part: Half) -> tuple[Use, ...]:
    """Read one half of the legal and scientific training sets for acronym disambiguation, split by acronym.

    Source: SDU@AAAI-22 shared task 2 (amirveyseh/AAAI-22-SDU-shared-task-2-AD).
    """
    found: list[Use] = []
    for domain in _DOMAINS:
        folder = data / "sdu22_ad" / domain
        senses = _dictionary(folder / "diction.json")
        uses = []
        for row in read_jsonl(folder / "train.jsonl.gz"):
            term, text = row["acronym"], row["sentence"]
            place = _find(term, text)
            if place is not None and half("sdu22_ad", term) == part:
                uses.append((f"{domain}-{row['ID']}", text, place, term, row["label"]))
        found += _with_counts(uses, senses, domain)
    return tuple(found)


def document_uses(data: Path, part: Half) -> tuple[Use, ...]:
    """Read ``part`` of the abbreviations that real documents use in several senses, halved by abbreviation.

    "definition taken out" is a passage that spelt out the sense, with only the abbreviation kept. "sense spelt out
    elsewhere" is a passage of a document that spells out only this sense, in a different place (silver labels).
    """
    found: list[Use] = []
    for row in read_jsonl(data / "jargon_ambiguous" / "ambiguous.jsonl"):
        term = row["acronym"]
        if half("jargon_ambiguous", term) != part:
            continue
        senses = tuple(sense["expansion"] for sense in row["senses"])
        most_frequent = max(row["senses"], key=lambda sense: sense["n_examples"])["expansion"]
        spelt = [
            (
                without_definition(example["passage"], sense["expansion"], term),
                sense["expansion"],
                "definition taken out",
                example.get("doc", ""),
            )
            for sense in row["senses"]
            for example in sense["examples"]
        ]
        silver = [
            (use["passage"], use["doc_sense"], "sense spelt out elsewhere", use.get("doc", ""))
            for use in row["undefined_uses"]
        ]
        # The same passage in two documents counts as one use.
        distinct = {each[:3]: each for each in reversed(spelt + silver)}
        for number, (text, gold, subset, document) in enumerate(reversed(distinct.values())):
            place = _find(term, text)
            if place is not None and gold in senses:
                found.append(
                    Use(
                        id=f"{row['corpus']}-{term}-{number}",
                        text=text,
                        place=place,
                        term=term,
                        senses=senses,
                        gold=gold,
                        most_frequent=most_frequent,
                        collection=row["corpus"],
                        subset=subset,
                        document=document,
                    )
                )
    return tuple(found)


def without_definition(passage: str, expansion: str, term: str) -> str:
    """Replace every ``expansion`` in ``passage`` with ``term``: "Short Message Service (SMS)" becomes "SMS".

    The expansion may have any letter case, an ending, and spaces or hyphens between its words.
    """
    name = r"[\s-]+".join(map(re.escape, re.split(r"[\s-]+", expansion)))
    pattern = re.compile(
        rf"\b{name}\w{{0,3}}(?:\s*[(\[][^()\[\]]{{0,12}}\b{re.escape(term)}s?\b[^()\[\]]{{0,3}}[)\]])?", re.IGNORECASE
    )
    return pattern.sub(
        term, re.sub(rf"\b{re.escape(term)}s?\s*[(\[]{name}\w{{0,3}}[)\]]", term, passage, flags=re.IGNORECASE)
    )


def balanced(uses: Sequence[Use], size: int, seed: int) -> tuple[Use, ...]:
    """Draw ``size`` of ``uses``, as evenly across terms as possible, in the order of ``uses``."""
    if size >= len(uses):
        return tuple(uses)
    of_term: dict[tuple[str, str], list[int]] = defaultdict(list)
    for at, use in enumerate(uses):
        of_term[use.collection, use.term].append(at)
    chance = random.Random(seed)
    for places in of_term.values():
        chance.shuffle(places)
    terms = list(of_term.values())
    chance.shuffle(terms)
    rounds = max(map(len, terms))
    drawn = [places[turn] for turn in range(rounds) for places in terms if turn < len(places)]
    return tuple(uses[at] for at in sorted(drawn[:size]))


def whole_terms(uses: Sequence[Use], size: int, seed: int) -> tuple[Use, ...]:
    """Draw abbreviations with all their uses until there are ``size`` uses, in the order of ``uses``.

    Macro-averages over senses are comparable between such a sample and all uses; a sample of single uses biases them.
    """
    counts = Counter((use.collection, use.term) for use in uses)
    terms = sorted(counts)
    random.Random(seed).shuffle(terms)
    drawn: set[tuple[str, str]] = set()
    total = 0
    for term in terms:
        if total >= size:
            break
        drawn.add(term)
        total += counts[term]
    return tuple(use for use in uses if (use.collection, use.term) in drawn)


def _dictionary(path: Path) -> dict[str, tuple[str, ...]]:
    if not path.is_file():
        raise InvalidInput(f"{path} does not exist: is --data the folder with one folder per data set?", field="data")
    return {term: tuple(senses) for term, senses in json.loads(path.read_text(encoding="utf-8")).items()}


def _with_counts(
    rows: Iterable[tuple[str, str, Span, str, str]], senses: dict[str, tuple[str, ...]], domain: str
) -> tuple[Use, ...]:
    kept = [row for row in rows if row[4] in senses.get(row[3], ())]
    counts = Counter((term, gold) for _, _, _, term, gold in kept)
    return tuple(
        Use(
            id=id_,
            text=text,
            place=place,
            term=term,
            senses=senses[term],
            gold=gold,
            most_frequent=max(senses[term], key=lambda sense: counts[term, sense]),
            collection=domain,
            subset=domain,
        )
        for id_, text, place, term, gold in kept
    )


def _find(term: str, text: str) -> Span | None:
    whole = re.search(rf"(?<!\w){re.escape(term)}(?!\w)", text)
    if whole is not None:
        return Span(*whole.span())
    start = text.find(term)
    return Span(start, start + len(term)) if start >= 0 else None
