"""What the arms of an experiment are asked: questions with their passages, a quiz, or prompts under conditions."""

import hashlib
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from contracts.errors import InvalidInput
from contracts.text import Passage
from evaluation.quiz import load_quiz
from golden_lab.experiments.form import Experiment
from golden_lab.json_lines import read_forms
from golden_lab.judge.embedded import as_passage
from golden_lab.systems.examples import gold_passages
from golden_lab.training.data.examples import ExampleMessage
from library.store import LibraryStore
from tools.chat.base import ChatMessage

_LOOSE = ConfigDict(extra="ignore", frozen=True)


class _PassageQuestionLine(BaseModel):
    """What is read of a passage with its question; where it is from and who wrote it does not count here."""

    model_config = _LOOSE

    id: str = Field(min_length=1)
    passage: str = Field(min_length=1)
    question: str = Field(min_length=1)
    answer: str = ""


class _ConditionLine(BaseModel):
    """What is read of a query under one condition of retrieval."""

    model_config = _LOOSE

    id: str = Field(min_length=1)
    condition: str = Field(min_length=1)
    query: str = Field(min_length=1)
    chunks: tuple[str, ...]
    reference: str = Field(min_length=1)
    messages: tuple[ExampleMessage, ...] = Field(min_length=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentCase:
    """One thing to ask. ``id`` is equal for one question under several conditions; ``key`` names the case.

    ``passages`` hold the answer or, where ``messages`` are given, are what these messages hold. ``reference`` is the
    answer that is wanted, "" where none is known.
    """

    id: str
    question: str
    passages: tuple[Passage, ...]
    reference: str = ""
    condition: str = ""
    messages: tuple[ChatMessage, ...] = ()

    @property
    def key(self) -> str:
        """The name of the case."""
        return f"{self.id} / {self.condition}" if self.condition else self.id


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentCases:
    """The cases of a run; ``sha256`` is of the file's bytes, ``notes`` say what was left out and drawn."""

    path: Path
    sha256: str
    cases: tuple[ExperimentCase, ...]
    notes: tuple[str, ...] = ()

    @property
    def conditions(self) -> tuple[str, ...]:
        """The conditions, in the order in which they first come."""
        return tuple(dict.fromkeys(case.condition for case in self.cases))


def read_cases(
    experiment: Experiment, path: Path, *, store: LibraryStore | None = None, subsample: int = 0, seed: int = 0
) -> ExperimentCases:
    """Read the cases of an experiment; ``subsample`` draws so many questions by ``seed``, under all their conditions.

    A quiz needs the library in ``store``: its passages are those of the pages that hold the answer.

    Raises:
        InvalidInput: the file is not there, a line is wrong, or two cases are one; the text names line and field.
    """
    form = experiment.cases.form
    notes: list[str] = []
    if form == "passage-questions":
        cases = _passage_questions(path)
    elif form == "conditions":
        cases = _conditions(path)
    elif store is not None:
        cases = _quiz(path, store, notes)
    else:
        raise InvalidInput(f"{path} is a quiz: its passages are in the library, and none is open", field="cases")
    if not cases:
        raise InvalidInput(f"{path} holds no case that can be asked", field="cases")
    _refuse_doubles(cases, path)
    kept = _drawn(cases, subsample, seed)
    if len(kept) < len(cases):
        drawn, total = ({case.id for case in some} for some in (kept, cases))
        notes.append(f"{len(drawn):,} of {len(total):,} questions, drawn by seed {seed}")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return ExperimentCases(path=path, sha256=digest, cases=kept, notes=tuple(notes))


def _passage_questions(path: Path) -> tuple[ExperimentCase, ...]:
    lines = read_forms(path, _PassageQuestionLine, where="make one with golden-lab train data")
    return tuple(
        ExperimentCase(id=line.id, question=line.question, passages=(as_passage(line.passage),), reference=line.answer)
        for line in lines
    )


def _conditions(path: Path) -> tuple[ExperimentCase, ...]:
    lines = read_forms(path, _ConditionLine, where="make one with golden-lab train conditions")
    return tuple(
        ExperimentCase(
            id=line.id,
            condition=line.condition,
            question=line.query,
            passages=tuple(as_passage(chunk, at) for at, chunk in enumerate(line.chunks)),
            reference=line.reference,
            messages=tuple(ChatMessage(role=each.role, content=each.content) for each in line.messages),
        )
        for line in lines
    )


def _quiz(path: Path, store: LibraryStore, notes: list[str]) -> tuple[ExperimentCase, ...]:
    asked, left_out = [], {"with earlier turns": 0, "without an answer in the documents": 0, "of other documents": 0}
    for each in load_quiz(path):
        passages = gold_passages(store, sorted(each.places))
        if each.history:
            left_out["with earlier turns"] += 1
        elif each.expect != "answered" or not each.places:
            left_out["without an answer in the documents"] += 1
        elif not passages:
            left_out["of other documents"] += 1
        else:
            asked.append(ExperimentCase(id=each.id, question=each.asked, passages=passages, reference=each.answer))
    notes += [f"{_number(count)} {why} left out" for why, count in left_out.items() if count]
    return tuple(asked)


def _number(count: int) -> str:
    return f"{count:,} question{'' if count == 1 else 's'}"


def _refuse_doubles(cases: Sequence[ExperimentCase], path: Path) -> None:
    twice = next((key for key, count in Counter(case.key for case in cases).items() if count > 1), None)
    if twice is not None:
        raise InvalidInput(f"{path}: the case {twice} stands twice, and an id names one case", field="id")


def _drawn(cases: tuple[ExperimentCase, ...], count: int, seed: int) -> tuple[ExperimentCase, ...]:
    ids = sorted({case.id for case in cases})
    if not 0 < count < len(ids):
        return cases
    kept = set(random.Random(seed).sample(ids, count))
    return tuple(case for case in cases if case.id in kept)
