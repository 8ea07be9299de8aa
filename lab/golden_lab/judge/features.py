"""What the embedded grader looks at: an answer, its question and its passages as nine numbers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from contracts.grading import AnswerToGrade
from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion
from contracts.text import Chunk, Passage
from contracts.verdicts import SentenceFaithfulness
from intrinsics.answerability import AnswerabilityJudge
from intrinsics.faithfulness import FaithfulnessJudge
from tools.embedding.base import Embedder
from tools.evidence.matching import Scores
from tools.language import content_stems, find_words, split_sentences

GRADE_FEATURES = (
    "faithful_mean",
    "faithful_weakest",
    "faithful_share",
    "closeness",
    "question_words",
    "coverage",
    "length",
    "declined_wrongly",
    "declined_rightly",
)
_NEAREST_SENTENCES = 3
_MAX_PASSAGE_SENTENCES = 80
_LONG_WORDS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerEvidence:
    """The features of an answer, shape ``(len(GRADE_FEATURES),)``, with the verdicts on its sentences."""

    row: Scores
    sentences: tuple[str, ...]
    verdicts: tuple[SentenceFaithfulness, ...]


def as_passage(text: str, ordinal: int = 0) -> Passage:
    """Make a text look as the searcher brings it."""
    chunk = Chunk(
        id=f"graded-{ordinal}", document_id="graded", kind="passage", ordinal=ordinal, text=text, page=1, last_page=1
    )
    return Passage(chunk=chunk, document_name="", document_title="", score=0.0, sentences=split_sentences(text))


def sentences_of(text: str) -> tuple[str, ...]:
    """Return the sentences of ``text`` as texts."""
    return tuple(text[span.start : span.end] for span in split_sentences(text))


class AnswerReader:
    """Reads an answer through the judgements of faithfulness and answerability and through vectors."""

    def __init__(self, faithfulness: FaithfulnessJudge, answerability: AnswerabilityJudge, embedder: Embedder) -> None:
        self._faithfulness = faithfulness
        self._answerability = answerability
        self._embedder = embedder

    @property
    def model(self) -> str:
        """The embedding model's name."""
        return self._embedder.name

    async def read(self, item: AnswerToGrade) -> AnswerEvidence:
        """Return the features of an answer that is not empty."""
        sentences = sentences_of(item.answer)
        passages = [as_passage(text, ordinal) for ordinal, text in enumerate(item.passages)]
        verdict = await self._faithfulness.judge(item.question, sentences, passages)
        claims = [each.probability for each in verdict.sentences if each.label != "no_claim"]
        faithful = [each.label == "faithful" for each in verdict.sentences if each.label != "no_claim"]
        declined = not claims
        asked = _plain_question(item.question)
        # Whether the passages hold the answer tells only of an answer that declines.
        held = (await self._answerability.judge(asked, passages)).probability if declined else 0.0
        closeness, coverage = await self._similarities(item, sentences)
        row = np.array(
            [
                float(np.mean(claims)) if claims else 1.0,
                min(claims, default=1.0),
                float(np.mean(faithful)) if faithful else 1.0,
                closeness,
                _said_of(item.question, item.answer),
                coverage,
                min(1.0, math.log1p(len(find_words(item.answer))) / math.log1p(_LONG_WORDS)),
                held,
                1.0 - held if declined else 0.0,
            ]
        )
        return AnswerEvidence(row=row, sentences=sentences, verdicts=verdict.sentences)

    async def _similarities(self, item: AnswerToGrade, sentences: Sequence[str]) -> tuple[float, float]:
        """Return the cosine of question and answer, and how near the answer comes to what the passages say of it."""
        (question,) = await self._embedder.embed_queries([item.question])
        said = await self._embedder.embed_documents([item.answer, *sentences])
        closeness = float(said[0] @ question)
        offered = [each for text in item.passages for each in sentences_of(text)][:_MAX_PASSAGE_SENTENCES]
        if not offered:
            return closeness, 0.0
        vectors = await self._embedder.embed_documents(offered)
        nearest = np.argsort(-(vectors @ question))[:_NEAREST_SENTENCES]
        return closeness, float(np.mean((vectors[nearest] @ said.T).max(axis=1)))


def _plain_question(text: str) -> AugmentedQuestion:
    return AugmentedQuestion(question=text, text=text, provenance=Provenance(implementation="embedded"))


def _said_of(question: str, answer: str) -> float:
    wanted = set(content_stems(question))
    return len(wanted & set(content_stems(answer))) / len(wanted) if wanted else 1.0
