"""Labelled claims: our own and those from RefChecker."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from contracts.errors import InvalidInput
from golden_lab.datasets.files import read_jsonl
from golden_lab.splits import Half, half
from golden_lab.triples.triple import CandidateTriple, ClaimCandidates, Triple

_FOLDER = Path(__file__).with_name("gold")
SET_NAME = "triples"
# The two files, as named in the records of fitted and scored data; they are part of the package.
GOLD_EXTRACTION = "golden_lab/triples/gold/extraction.jsonl"
GOLD_ATTRIBUTION = "golden_lab/triples/gold/attribution.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledText:
    """A text with all of its claims."""

    id: str
    text: str
    triples: tuple[Triple, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledClaim:
    """A claim with its candidates; ``supports`` is True for each candidate that states it. ``group`` is its scene."""

    id: str
    group: str
    claim: ClaimCandidates
    supports: tuple[bool, ...]


@lru_cache(maxsize=2)
def labelled_texts(part: Half) -> tuple[LabelledText, ...]:
    """Return the texts of one half with their claims."""
    return tuple(
        LabelledText(id=row["id"], text=row["text"], triples=tuple(_triple(each) for each in row["triples"]))
        for row in read_jsonl(_FOLDER / "extraction.jsonl")
        if half(SET_NAME, row["id"]) == part
    )


@lru_cache(maxsize=2)
def labelled_claims(part: Half) -> tuple[LabelledClaim, ...]:
    """Return the claims of one half with their candidates and labels."""
    return tuple(
        _claim(row) for row in read_jsonl(_FOLDER / "attribution.jsonl") if half(SET_NAME, row["group"]) == part
    )


def _claim(row: dict[str, Any]) -> LabelledClaim:
    ranks = {"user": 0, "context": 0, "reference": 0}
    candidates = []
    for each in row["candidates"]:
        source = each["source"]
        candidates.append(CandidateTriple(source=source, rank=ranks[source], triple=_triple(each["triple"])))
        ranks[source] += 1
    return LabelledClaim(
        id=row["id"],
        group=row["group"],
        claim=ClaimCandidates(claim=_triple(row["claim"]), candidates=tuple(candidates)),
        supports=tuple(bool(each["supports"]) for each in row["candidates"]),
    )


def _triple(parts: list[str]) -> Triple:
    if len(parts) != 3:
        raise InvalidInput(f"a triple has three parts, not {len(parts)}: {parts}")
    return Triple(subject=parts[0], predicate=parts[1], object=parts[2])


REFCHECKER_FILE = "refchecker/triples.jsonl.gz"


@dataclass(frozen=True, slots=True, kw_only=True)
class RefCheckerCase:
    """A response of a language model to ``question`` and the triples that RefChecker's annotators judged."""

    id: str
    question: str
    response: str
    triples: tuple[Triple, ...]


def refchecker_cases(data: Path, part: Half) -> tuple[RefCheckerCase, ...]:
    """Read the responses of one half that have triples; all answers to a question are in the same half.

    Raises:
        InvalidInput: the file does not exist or a row lacks a field; the message names it.
    """
    found = (_case(number, row) for number, row in enumerate(read_jsonl(data / REFCHECKER_FILE)))
    return tuple(case for case in found if case is not None and half("refchecker", case.question) == part)


def _case(number: int, row: dict[str, Any]) -> RefCheckerCase | None:
    try:
        identity = f"{row['setting']}/{row['file']}/{row['id']}"
        listed = tuple(
            Triple(subject=str(parts[0]), predicate=str(parts[1]), object=str(parts[2]))
            for parts in (each["triplet"] for each in row["triples"])
        )
        response = str(row["response"])
    except (KeyError, IndexError, TypeError) as error:
        raise InvalidInput(f"{REFCHECKER_FILE}, row {number + 1}: {error} is missing or has the wrong form") from error
    if not listed or not response.strip():
        return None
    return RefCheckerCase(id=identity, question=str(row["id"]), response=response, triples=listed)
