"""Questions with fixed passages, read from files in the format of ALCE or GaRAGe."""

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from contracts.errors import InvalidInput
from contracts.text import Chunk, Passage
from golden_lab.datasets.files import read_jsonl
from tools.language import split_sentences

Shape = Literal["ALCE", "GaRAGe"]

_MARKER = re.compile(r"^\s*\[?(?:cite_)?\d+\]?[:.)]?\s+(?=\S)")
_YES, _NO = frozenset({"YES", "Y", "TRUE", "1"}), frozenset({"NO", "N", "FALSE", "0"})
_TEXT_FIELDS = ("text", "passage", "content")


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyCase:
    """A question with its passages. ``relevant`` has one value per passage; () if unknown.

    ``short_answers`` are the wordings of each answer that a correct text must contain; () if there are none.
    """

    id: str
    shape: Shape
    question: str
    passages: tuple[Passage, ...]
    relevant: tuple[bool, ...] = ()
    short_answers: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyCases:
    """The cases of a study, and notes on how they were selected."""

    cases: tuple[StudyCase, ...]
    notes: tuple[str, ...]


def read_cases(data: Path, *, most: int = 0, seed: int = 0) -> StudyCases:
    """Read the cases from a file, or from all .json, .jsonl and .jsonl.gz files in a folder.

    A row with ``docs`` has the ALCE shape: ``question``, ``docs`` (``title``, ``text``), and ``qa_pairs`` with
    ``short_answers``, or ``answers``. A row with ``grounding`` has the GaRAGe shape: ``question``, ``grounding``
    (texts, or objects or lists that contain one), ``evidence_relevant`` (YES or NO per passage), and optionally
    ``short_answers``. Ids are ``sample_id`` or ``id``. A case with labels is used only if it has both relevant and
    irrelevant passages. ``most`` cases of each shape are drawn with ``seed``; 0 means all.
    Source: the formats of ALCE (Gao et al. 2023) and GaRAGe (Sorodoc et al. 2025). The selection follows the report on
    refinement policies for retrieval-augmented answers, section 3.3.

    Raises:
        InvalidInput: the file does not exist, there are no cases, or a row has neither shape; the message names it.
    """
    found: dict[Shape, list[StudyCase]] = {"ALCE": [], "GaRAGe": []}
    one_sided = 0
    for place, row in _rows(data):
        case = _case(row, place)
        if case.relevant and len(set(case.relevant)) == 1:
            one_sided += 1
        else:
            found[case.shape].append(case)
    notes = [f"{one_sided} cases whose passages are all relevant or all irrelevant are left out"] if one_sided else []
    cases: list[StudyCase] = []
    for shape, rows in found.items():
        kept = rows if not most or most >= len(rows) else random.Random(seed).sample(rows, most)
        if len(kept) < len(rows):
            notes.append(f"{len(kept)} of {len(rows)} cases of the shape {shape}, drawn by seed {seed}")
        cases += sorted(kept, key=lambda each: each.id)
    if not cases:
        raise InvalidInput(f"{data} contains no usable cases", field="data")
    doubles = len(cases) - len({(each.shape, each.id) for each in cases})
    if doubles:
        raise InvalidInput(f"{data}: {doubles} ids occur twice; each case of a shape needs its own id", field="data")
    return StudyCases(cases=tuple(cases), notes=tuple(notes))


def _rows(data: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    endings = (".json", ".jsonl", ".jsonl.gz")
    paths = [data] if data.is_file() else sorted(each for each in data.glob("*") if each.name.endswith(endings))
    if not paths:
        raise InvalidInput(f"{data} contains no .json, .jsonl or .jsonl.gz file", field="data")
    for path in paths:
        rows = _list_in(path) if path.suffix == ".json" else list(read_jsonl(path))
        for number, row in enumerate(rows, start=1):
            yield f"{path}, row {number}", {"id": f"{path.name.split('.')[0]}-{number}", **row}


def _list_in(path: Path) -> list[dict[str, Any]]:
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path} cannot be read: {error}", field="data") from error
    if isinstance(rows, dict) and isinstance(rows.get("data"), list):
        rows = rows["data"]
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise InvalidInput(f"{path} is not a list of objects", field="data")
    return rows


def _case(row: Mapping[str, Any], place: str) -> StudyCase:
    question = row.get("question")
    if not isinstance(question, str) or not question.strip():
        raise InvalidInput(f'{place} has no "question"', field="data")
    id_ = str(row.get("sample_id") or row["id"])
    if isinstance(row.get("docs"), list):
        texts = [(_text_of(each, place), str(each.get("title", ""))) for each in row["docs"]]
        shape: Shape = "ALCE"
        relevant: tuple[bool, ...] = ()
    elif isinstance(row.get("grounding"), list):
        texts = [(_MARKER.sub("", _text_of(each, place)), "") for each in row["grounding"]]
        shape, relevant = "GaRAGe", _labels(row.get("evidence_relevant"), len(texts), place)
    else:
        raise InvalidInput(f'{place} has neither "docs" (as in ALCE) nor "grounding" (as in GaRAGe)', field="data")
    if not texts:
        raise InvalidInput(f"{place} has no passages", field="data")
    return StudyCase(
        id=id_,
        shape=shape,
        question=question.strip(),
        passages=tuple(_as_passage(text, at + 1, title) for at, (text, title) in enumerate(texts)),
        relevant=relevant,
        short_answers=_short_answers(row, place),
    )


def _as_passage(text: str, number: int, title: str) -> Passage:
    """Return a text as a passage; ``number`` distinguishes the passages of one question."""
    chunk = Chunk(
        id=f"passage-{number}", document_id=f"passage {number}", kind="passage", ordinal=number, text=text, page=1,
        last_page=1, document_title=title,
    )  # fmt: skip
    name = title or f"passage {number}"
    return Passage(chunk=chunk, document_name=name, document_title=title, score=0.0, sentences=split_sentences(text))


def _text_of(value: Any, place: str) -> str:
    if isinstance(value, Mapping):
        value = next((value[name] for name in _TEXT_FIELDS if isinstance(value.get(name), str)), None)
    elif isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, str) or not value.strip():
        raise InvalidInput(f"{place} has a passage without text", field="data")
    return value.strip()


def _labels(given: Any, passages: int, place: str) -> tuple[bool, ...]:
    if given is None:
        return ()
    words = [str(each).strip().upper() for each in given] if isinstance(given, list) else []
    if len(words) != passages or not set(words) <= _YES | _NO:
        raise InvalidInput(f'{place}: "evidence_relevant" needs YES or NO for each passage ({passages})', field="data")
    return tuple(word in _YES for word in words)


def _short_answers(row: Mapping[str, Any], place: str) -> tuple[tuple[str, ...], ...]:
    pairs = row.get("qa_pairs")
    given: Sequence[Any] = (
        [each.get("short_answers") for each in pairs if isinstance(each, Mapping)]
        if isinstance(pairs, list)
        else row.get("short_answers") or row.get("answers") or []
    )
    found = []
    for each in given:
        wordings = [each] if isinstance(each, str) else each
        if not isinstance(wordings, list) or not all(isinstance(word, str) for word in wordings):
            raise InvalidInput(f"{place}: a short answer must be a text or a list of wordings", field="data")
        kept = tuple(word for word in wordings if any(letter.isalnum() for letter in word))
        found += [kept] if kept else []
    return tuple(found)
