"""Graders without a language model: the embedded judgements, mapped to the human raters' scales."""

import math
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion
from contracts.text import Chunk, Passage
from contracts.verdicts import SentenceFaithfulness
from golden_lab.judge.grades import (
    CRITERIA,
    HIGHEST_GRADE,
    LOWEST_GRADE,
    AnswerToGrade,
    CheckedClaim,
    Grades,
)
from intrinsics.answerability.base import AnswerabilityJudge
from intrinsics.faithfulness.base import FaithfulnessJudge
from tools.embedding.base import Embedder
from tools.evidence.matching import Scores
from tools.evidence.model import load_model
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


def as_passage(text: str, ordinal: int = 0) -> Passage:
    """Return a text as a passage, like those that the searcher returns."""
    chunk = Chunk(
        id=f"graded-{ordinal}", document_id="graded", kind="passage", ordinal=ordinal, text=text, page=1, last_page=1
    )
    return Passage(chunk=chunk, document_name="", document_title="", score=0.0, sentences=split_sentences(text))


def sentences_of(text: str) -> tuple[str, ...]:
    """Return the sentences of ``text`` as strings."""
    return tuple(text[span.start : span.end] for span in split_sentences(text))


CALIBRATION = Path(__file__).with_name("calibration.json")
_SUPPORTED = 0.5


class EmbeddedAnswerGrader:
    """Maps nine features of an answer to grades from 1 to 5, with coefficients fitted on people's ratings.

    Source: half of MT-RAG's human ratings; the calibration file names the data set, split, method and figures. The
    ratings of appropriateness are used for relevance.
    """

    def __init__(self, faithfulness: FaithfulnessJudge, answerability: AnswerabilityJudge, embedder: Embedder) -> None:
        self._faithfulness = faithfulness
        self._answerability = answerability
        self._embedder = embedder
        self._models = {criterion: load_model(CALIBRATION, criterion, GRADE_FEATURES) for criterion in CRITERIA}

    async def grade(self, item: AnswerToGrade) -> Grades:
        """Grade an answer on three scales of 1 to 5; an empty answer gets 1."""
        started = time.perf_counter()
        values = dict.fromkeys(CRITERIA, float(LOWEST_GRADE))
        explanation = "The answer is empty."
        if item.answer.strip():
            sentences = sentences_of(item.answer)
            passages = [as_passage(text, ordinal) for ordinal, text in enumerate(item.passages)]
            verdicts = (await self._faithfulness.judge(item.question, sentences, passages)).sentences
            row = await self._features(item, sentences, passages, verdicts)
            span = HIGHEST_GRADE - LOWEST_GRADE
            for name, model in self._models.items():
                values[name] = LOWEST_GRADE + span * float(model.probabilities(row[None, :])[0])
            doubted = [
                f"{verdict.label}: {sentence}"
                for sentence, verdict in zip(sentences, verdicts, strict=True)
                if verdict.label not in ("faithful", "no_claim")
            ]
            explanation = "\n".join(doubted) or "Every statement is supported by the passages."
        return Grades(
            relevance=values["relevance"],
            faithfulness=values["faithfulness"],
            completeness=values["completeness"],
            explanation=explanation,
            provenance=_provenance(started, self._embedder),
        )

    async def _features(
        self,
        item: AnswerToGrade,
        sentences: Sequence[str],
        passages: Sequence[Passage],
        verdicts: Sequence[SentenceFaithfulness],
    ) -> Scores:
        """Return the features of an answer in the order of ``GRADE_FEATURES``."""
        claims = [each.probability for each in verdicts if each.label != "no_claim"]
        faithful = [each.label == "faithful" for each in verdicts if each.label != "no_claim"]
        held = 0.0
        if not claims:
            # Whether the passages contain the answer only matters for an answer that declines.
            asked = AugmentedQuestion(
                question=item.question, text=item.question, provenance=Provenance(implementation="embedded")
            )
            held = (await self._answerability.judge(asked, passages)).probability
        wanted = set(content_stems(item.question))
        closeness, coverage = await self._similarities(item, sentences)
        return np.array(
            [
                float(np.mean(claims)) if claims else 1.0,
                min(claims, default=1.0),
                float(np.mean(faithful)) if faithful else 1.0,
                closeness,
                len(wanted & set(content_stems(item.answer))) / len(wanted) if wanted else 1.0,
                coverage,
                min(1.0, math.log1p(len(find_words(item.answer))) / math.log1p(_LONG_WORDS)),
                held,
                0.0 if claims else 1.0 - held,
            ]
        )

    async def _similarities(self, item: AnswerToGrade, sentences: Sequence[str]) -> tuple[float, float]:
        """Return the similarity of the answer to the question, and to the passage sentences nearest to the question."""
        (question,) = await self._embedder.embed_queries([item.question])
        said = await self._embedder.embed_documents([item.answer, *sentences])
        closeness = float(said[0] @ question)
        offered = [each for text in item.passages for each in sentences_of(text)][:_MAX_PASSAGE_SENTENCES]
        if not offered:
            return closeness, 0.0
        vectors = await self._embedder.embed_documents(offered)
        nearest = np.argsort(-(vectors @ question))[:_NEAREST_SENTENCES]
        return closeness, float(np.mean((vectors[nearest] @ said.T).max(axis=1)))


class EmbeddedClaimChecker:
    """Treats each sentence that claims something as a claim, and asks the faithfulness judge about it.

    Source: RAGAS faithfulness (Es et al. 2024), with sentences instead of claims.
    """

    def __init__(self, faithfulness: FaithfulnessJudge) -> None:
        self._faithfulness = faithfulness

    async def check(self, item: AnswerToGrade) -> tuple[CheckedClaim, ...]:
        """Return the sentences of an answer that claim something, each checked against the passages."""
        sentences = sentences_of(item.answer)
        if not sentences:
            return ()
        passages = [as_passage(text, ordinal) for ordinal, text in enumerate(item.passages)]
        verdict = await self._faithfulness.judge(item.question, sentences, passages)
        return tuple(
            CheckedClaim(text=sentence, supported=each.probability >= _SUPPORTED, probability=each.probability)
            for sentence, each in zip(sentences, verdict.sentences, strict=True)
            if each.label != "no_claim"
        )


def _provenance(started: float, embedder: Embedder) -> Provenance:
    milliseconds = (time.perf_counter() - started) * 1_000
    return Provenance(implementation="embedded", model=embedder.name, milliseconds=milliseconds)
