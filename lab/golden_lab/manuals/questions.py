"""The questions on the manuals and the examples, with their correct answers and the sources."""

import re
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, model_validator

from contracts.answer import DECLINED_OUTCOMES, Answer
from contracts.errors import InvalidInput
from contracts.text import Passage
from golden_lab.json_lines import read_forms
from golden_lab.splits import part_of
from tools.language import content_stems

Half = Literal["development", "final", "training", "unseen"]

# A passage contains the answer if it has at least this share of the content words of the sentence that states it.
_HELD = 0.6
# An answer to a question without patterns is correct if it has at least this share of those words.
_TOLD = 0.8
_FILES = ("questions.jsonl", "training_questions.jsonl", "organisation_questions.jsonl")


class ManualQuestion(BaseModel):
    """A question in a person's own words. A correct answer matches all patterns in ``says``.

    ``document`` and ``quote`` are the source of the answer; without patterns, an answer is correct if it contains the
    words of the quote. An ``unanswerable`` question is about a subject in the manuals but is not answered by them;
    ``small-talk`` is not a question; ``table-rows`` needs several rows of a table. The ``final`` half is used only
    once; a ``training`` question was written for the passage that begins with ``passage``, or for the whole document;
    nothing is trained or fitted on ``unseen`` questions. The corpus ``examples`` is the project's folder
    ``examples/documents``; ``organisations`` consists of the invented documents in the folder next to this file.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    corpus: str = ""
    half: Half = "development"
    kind: str
    question: str
    history: tuple[str, ...] = ()
    answer: str = ""
    says: tuple[str, ...] = ()
    document: str = ""
    quote: str = ""
    passage: str = ""

    @model_validator(mode="after")
    def _check_that_it_can_be_scored(self) -> Self:
        for pattern in self.says:
            try:
                re.compile(pattern)
            except re.error as error:
                raise ValueError(f"says: {pattern!r} is not a valid regular expression: {error}") from error
        if self.answerable and not self.says and not self.quote.strip():
            raise ValueError("says or quote must state what a correct answer contains")
        return self

    @property
    def answerable(self) -> bool:
        """Whether the manuals contain the answer."""
        return self.kind not in ("unanswerable", "small-talk")

    @property
    def is_learnt_from(self) -> bool:
        """Whether the cross-encoder learns from this question; it uses three quarters of the ``training`` documents."""
        return self.half == "training" and part_of("manuals", self.document, whole=True) == "train"

    def is_right(self, answer: Answer) -> bool:
        """Return whether ``answer`` is correct; for small talk, whether it is neither declined nor read as a term."""
        if self.kind == "unanswerable":
            return answer.outcome != "answered"
        if self.kind == "small-talk":
            return answer.outcome not in (*DECLINED_OUTCOMES, "unknown_term")
        return answer.outcome == "answered" and self.says_so(answer.text)

    def says_so(self, text: str) -> bool:
        """Return whether ``text`` contains the correct answer."""
        # Remove citation marks, code marks and Markdown backslashes.
        plain = re.sub(r"\s+", " ", re.sub(r"\[\d+\]|`|\\(?=[\W_])", "", text))
        if not self.says:
            return self.share_told(plain) >= _TOLD
        return all(re.search(each, plain, re.IGNORECASE) for each in self.says)

    def share_told(self, text: str) -> float:
        """Return the share of the quote's content words that ``text`` contains, 0 if there is no quote."""
        wanted = set(content_stems(self.quote))
        return len(wanted & set(content_stems(text))) / len(wanted) if wanted else 0.0

    def is_told_by(self, passage: Passage) -> bool:
        """Return whether ``passage`` is from the document with the answer, and contains most words of the quote."""
        return self.is_told_in(passage.document_name, passage.chunk.searchable_text)

    def is_told_in(self, document: str, text: str) -> bool:
        """Return whether ``document`` (a name or path) is the source, and ``text`` contains most words of the quote."""
        return document.rsplit("/", 1)[-1] == self.document and self.share_told(text) >= _HELD


def read_questions(half: Half, corpora: Sequence[str] = ()) -> tuple[ManualQuestion, ...]:
    """Return the questions of one half on ``corpora``, or on all corpora if none is given."""
    folder = resources.files("golden_lab.manuals")
    text = "".join(folder.joinpath(name).read_text("utf-8") for name in _FILES)
    every = (ManualQuestion.model_validate_json(line) for line in text.splitlines() if line)
    return tuple(each for each in every if each.half == half and (not corpora or each.corpus in corpora))


def read_question_file(path: Path) -> tuple[ManualQuestion, ...]:
    """Return the questions in your own file of JSON lines; ``corpus`` and ``half`` may be left out.

    Raises:
        InvalidInput: the file contains no questions, or a line is invalid; the message names the line.
    """
    questions = tuple(read_forms(path, ManualQuestion))
    if not questions:
        raise InvalidInput(f"{path} contains no questions", field="corpus")
    return questions
