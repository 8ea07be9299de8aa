"""The cases of an experiment: questions with their passages, or prompts under conditions."""

import random
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from contracts.errors import InvalidInput
from contracts.text import Passage
from golden_lab.experiments.form import Experiment
from golden_lab.json_lines import read_forms
from golden_lab.judge.embedded import as_passage
from golden_lab.training.data.conditions import ConditionedLine
from tools.chat.base import ChatMessage

_LOOSE = ConfigDict(extra="ignore", frozen=True)


class _QuestionLine(BaseModel):
    """The fields that are read from a line with a passage and a question; its origin and author are ignored."""

    model_config = _LOOSE

    id: str = Field(min_length=1)
    passage: str = Field(min_length=1)
    question: str = Field(min_length=1)
    answer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentCase:
    """A question or prompt to answer. ``id`` is the same for a question under several conditions; ``key`` is unique.

    ``passages`` contain the answer or, if ``messages`` are given, are the passages in these messages. ``reference`` is
    the expected answer, "" if none is known.
    """

    id: str
    question: str
    passages: tuple[Passage, ...]
    reference: str = ""
    condition: str = ""
    messages: tuple[ChatMessage, ...] = ()

    @property
    def key(self) -> str:
        """The unique name of the case."""
        return f"{self.id} / {self.condition}" if self.condition else self.id


def read_cases(experiment: Experiment, path: Path, *, subsample: int = 0, seed: int = 0) -> tuple[ExperimentCase, ...]:
    """Read the cases of an experiment; ``subsample`` draws that many questions with all their conditions.

    Raises:
        InvalidInput: the file does not exist, a line is invalid, or a case occurs twice; the message says where.
    """
    cases = _questions(path) if experiment.cases == "passage-questions" else _conditions(path)
    if not cases:
        raise InvalidInput(f"{path} contains no cases", field="cases")
    seen: set[str] = set()
    for case in cases:
        if case.key in seen:
            raise InvalidInput(f"{path}: the case {case.key} occurs twice: ids must be unique", field="id")
        seen.add(case.key)
    ids = sorted({case.id for case in cases})
    if not 0 < subsample < len(ids):
        return cases
    drawn = set(random.Random(seed).sample(ids, subsample))
    return tuple(case for case in cases if case.id in drawn)


def conditions_of(cases: tuple[ExperimentCase, ...]) -> tuple[str, ...]:
    """Return the conditions of cases, in the order in which they first occur."""
    return tuple(dict.fromkeys(case.condition for case in cases))


def _questions(path: Path) -> tuple[ExperimentCase, ...]:
    return tuple(
        ExperimentCase(id=line.id, question=line.question, passages=(as_passage(line.passage),), reference=line.answer)
        for line in read_forms(path, _QuestionLine, where="make one with golden-lab train data")
    )


def _conditions(path: Path) -> tuple[ExperimentCase, ...]:
    return tuple(
        ExperimentCase(
            id=line.id,
            condition=line.condition,
            question=line.query,
            passages=tuple(as_passage(chunk, at) for at, chunk in enumerate(line.chunks)),
            reference=line.reference,
            messages=tuple(ChatMessage(role=each.role, content=each.content) for each in line.messages),
        )
        for line in read_forms(path, ConditionedLine, where="make one with golden-lab train conditions")
    )
