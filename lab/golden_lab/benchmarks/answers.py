"""Does the answer hold what was asked? The writer on questions whose paragraph and answers are known.

The paragraph is given, so that nothing but the writing is scored. Beside it stands the one sentence of the paragraph
that is nearest to the question, and so many of the nearest as the answer has sentences: it has to be better than these.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agent.composing import sentences_of
from contracts.text import Passage
from contracts.verdicts import Draft
from evaluation.results import Outcome, Score, Scores
from evaluation.scores import mean_score
from golden_lab.benchmarks.base import Benchmark, CaseBenchmark, CaseSet, sampled
from golden_lab.datasets.annotated import AskedCase, excerpt, squad2_questions
from golden_lab.engine import Engine
from golden_lab.metrics.text import contained_share, normalised, token_f1
from golden_lab.run import Run
from intrinsics.answer_generation.base import WritingBrief
from tools.embedding.base import Embedder
from tools.language import find_words, split_sentences

OURS, NEAREST, AS_MANY = "writer", "nearest sentence", "as many nearest sentences"
CONTAINED, TOKEN_F1, WORDS, FAITHFUL = "answer contained", "token F1", "words", "faithful sentences"
_QUESTIONS = 180


@dataclass(frozen=True, kw_only=True)
class WrittenAnswers(CaseBenchmark[AskedCase]):
    """Scores the answers to ``size`` answerable questions, all of them where the run is full."""

    size: int

    def load(self, run: Run) -> CaseSet[AskedCase]:
        """Read the questions that the paragraph answers."""
        asked = [each for each in squad2_questions(run.data) if each.case.answerable and gold_wordings(each)]
        return sampled(asked, self.size, run, "answerable questions")

    async def measure(self, asked: AskedCase, engine: Engine) -> Outcome:
        return await _measure(asked, engine)

    def score(self, outcomes: Sequence[Outcome], run: Run) -> Scores:
        """Score both systems by each metric; intervals draw whole articles."""
        return Scores(
            scores=tuple(
                _mean(outcomes, metric, system, run.seed)
                for system in (OURS, NEAREST, AS_MANY)
                for metric in (CONTAINED, TOKEN_F1, WORDS, FAITHFUL)
                if any(metric in each.values[system] for each in outcomes)
            )
        )


async def write_answer(question: str, passages: Sequence[Passage], engine: Engine) -> str:
    """Return the answer that the writer of ``engine`` writes to ``question`` from ``passages``."""
    asked = await engine.judges.question_augmenter.augment(question, "", ())
    text = ""
    async for piece in engine.judges.answer_writer.write(WritingBrief(question=asked, passages=tuple(passages))):
        if isinstance(piece, Draft):
            text = piece.text
    return text


async def nearest_sentences(question: str, passages: Sequence[Passage], embedder: Embedder, count: int) -> str:
    """Return the ``count`` sentences of ``passages`` with the highest cosine to ``question``, the nearest first."""
    sentences = [passage.text[span.start : span.end] for passage in passages for span in split_sentences(passage.text)]
    if not sentences:
        return ""
    (vector,) = await embedder.embed_queries([question])
    cosines = await embedder.embed_documents(sentences) @ vector
    return " ".join(sentences[at] for at in np.argsort(-cosines, kind="stable")[:count])


def gold_wordings(asked: AskedCase) -> tuple[str, ...]:
    """Return the different gold answers of which something is left after normalisation."""
    return tuple(dict.fromkeys(answer for answer in asked.case.answers if normalised(answer)))


async def _measure(asked: AskedCase, engine: Engine) -> Outcome:
    case, wordings = asked.case, gold_wordings(asked)
    written = await write_answer(case.question, case.passages, engine)
    nearest = await nearest_sentences(case.question, case.passages, engine.embedder, 1)
    count = max(len(sentences_of(written)), 1)
    as_many = await nearest_sentences(case.question, case.passages, engine.embedder, count)
    values = {
        OURS: {**_values(written, wordings), **await _faithfulness(written, asked, engine)},
        NEAREST: _values(nearest, wordings),
        AS_MANY: _values(as_many, wordings),
    }
    return Outcome(
        id=asked.id,
        values={**values, "group": case.group},
        loss=1.0 - values[OURS][CONTAINED],
        trace={
            "question": case.question,
            "paragraph": excerpt(" / ".join(passage.text for passage in case.passages)),
            "gold answers": "; ".join(wordings),
            "written": excerpt(written),
            NEAREST: excerpt(nearest),
            AS_MANY: excerpt(as_many),
        },
    )


def _values(text: str, wordings: Sequence[str]) -> Mapping[str, float]:
    return {
        CONTAINED: contained_share(text, [wordings]),
        TOKEN_F1: max(token_f1(text, wording) for wording in wordings),
        WORDS: float(len(find_words(text))),
    }


async def _faithfulness(text: str, asked: AskedCase, engine: Engine) -> Mapping[str, float]:
    """Return the share of the sentences of ``text`` that are faithful; nothing where none claims anything."""
    sentences = [each.text for each in sentences_of(text)]
    if not sentences:
        return {}
    checked = await engine.judges.faithfulness_judge.judge(asked.case.question, sentences, asked.case.passages)
    claims = [each.label == "faithful" for each in checked.sentences if each.label != "no_claim"]
    return {FAITHFUL: sum(claims) / len(claims)} if claims else {}


def _mean(outcomes: Sequence[Outcome], metric: str, system: str, seed: int) -> Score:
    having = [each for each in outcomes if metric in each.values[system]]
    return mean_score(
        metric,
        [float(each.values[system][metric]) for each in having],
        seed=seed,
        system=system,
        groups=[str(each.values["group"]) for each in having],
        higher_is_better=metric != WORDS,
    )


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the benchmark of answer generation from a given paragraph."""
    return (WrittenAnswers(name="answers-squad2", size=_QUESTIONS),)
