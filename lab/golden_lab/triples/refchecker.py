"""RefChecker's responses with the triples that people judged.

Source: Hu et al. 2024, Knowledge-Centric Hallucination Detection (EMNLP), repository amazon-science/RefChecker.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contracts.errors import InvalidInput
from contracts.triples import Triple
from golden_lab.datasets.files import read_jsonl
from golden_lab.splits import Half, half

REFCHECKER_FILE = "refchecker/triples.jsonl.gz"


@dataclass(frozen=True, slots=True, kw_only=True)
class RefCheckerCase:
    """A response of a language model to ``question`` and the triples that RefChecker's annotators judged."""

    id: str
    question: str
    setting: str
    response: str
    triples: tuple[Triple, ...]


def refchecker_cases(data: Path, part: Half) -> tuple[RefCheckerCase, ...]:
    """Read the responses of one half that have triples; all answers to a question lie in the same half.

    Raises:
        InvalidInput: the file is not there or a row lacks a field; the text names it.
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
        raise InvalidInput(f"{REFCHECKER_FILE}, row {number + 1}: {error} is missing or of another form") from error
    if not listed or not response.strip():
        return None
    return RefCheckerCase(
        id=identity, question=str(row["id"]), setting=str(row["setting"]), response=response, triples=listed
    )
