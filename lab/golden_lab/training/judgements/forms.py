"""Which form the cases of each intrinsic have, and how a file of them is read."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from pydantic import ValidationError

from contracts.errors import InvalidInput
from golden_lab.json_lines import read_json_lines
from golden_lab.training.judgements.answers import CertaintyCase, CitationCase, FaithfulnessCase, WritingCase
from golden_lab.training.judgements.base import JudgementCase
from golden_lab.training.judgements.passages import AnswerabilityCase, RelevanceCase, RerankingCase
from golden_lab.training.judgements.questions import (
    ClassificationCase,
    ExpansionCase,
    IdentificationCase,
    RewritingCase,
)
from golden_lab.training.judgements.writing import QuestionWritingCase, SummaryCase, TermMiningCase

CASE_FORMS: Mapping[str, type[JudgementCase]] = MappingProxyType(
    {
        "question_rewriting": RewritingCase,
        "query_expansion": ExpansionCase,
        "jargon_identification": IdentificationCase,
        "context_classification": ClassificationCase,
        "context_relevance": RelevanceCase,
        "passage_reranking": RerankingCase,
        "answerability": AnswerabilityCase,
        "answer_generation": WritingCase,
        "citation": CitationCase,
        "faithfulness": FaithfulnessCase,
        "certainty": CertaintyCase,
        "summarisation": SummaryCase,
        "question_writing": QuestionWritingCase,
        "term_mining": TermMiningCase,
    }
)


def form_of(intrinsic: str) -> type[JudgementCase]:
    """Return the form of the cases of ``intrinsic``.

    Raises:
        InvalidInput: it is none that an adapter can be trained for; the text lists those.
    """
    if intrinsic not in CASE_FORMS:
        raise InvalidInput(
            f"no adapter is trained for {intrinsic!r}: name one of {', '.join(sorted(CASE_FORMS))}", field="intrinsic"
        )
    return CASE_FORMS[intrinsic]


def read_cases(path: Path, intrinsic: str) -> Iterator[tuple[int, JudgementCase]]:
    """Yield the cases of a file of JSON lines with their line numbers.

    Raises:
        InvalidInput: there is no such intrinsic or file, a line is no case, or two have one id; the text names file,
            line and field.
    """
    form = form_of(intrinsic)
    seen: dict[str, int] = {}
    for number, row in read_json_lines(path, where=f"golden-lab train cases {intrinsic} makes one"):
        try:
            case = form.model_validate(row)
        except ValidationError as error:
            problems = "; ".join(f"{'.'.join(map(str, one['loc'])) or 'case'}: {one['msg']}" for one in error.errors())
            raise InvalidInput(f"{path}, line {number}: {problems}", field="cases") from error
        if case.id in seen:
            raise InvalidInput(f"{path}, line {number}: the id {case.id} is that of line {seen[case.id]}", field="id")
        seen[case.id] = number
        yield number, case
