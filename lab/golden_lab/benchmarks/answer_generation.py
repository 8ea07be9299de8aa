"""Does the answer contain what was asked for? The answer writer, tested on questions with known answers.

The paragraph with the answer is given, so only the writing is scored. The baseline is the sentence of the paragraph
that is nearest to the question.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from agent.answer_assembly import sentences_of
from contracts.text import Passage
from contracts.verdicts import Draft
from golden_lab.benchmarks.base import Benchmark, CaseSet, about, one_by_one, sampled
from golden_lab.benchmarks.scores import system_scores
from golden_lab.datasets.annotated import excerpt, squad2_questions
from golden_lab.datasets.cases import Case
from golden_lab.engine import Engine
from golden_lab.metrics.text import contained_share, normalised, token_f1
from golden_lab.results import Outcome, Score
from golden_lab.run import Run
from intrinsics.answer_generation.base import WritingBrief
from tools.embedding.base import Embedder
from tools.language import find_words, split_sentences

OURS, NEAREST = "writer", "nearest sentence"
CONTAINED, TOKEN_F1, WORDS, FAITHFUL = ("answer contained", "token F1", "words", "faithful sentences")


async def write_answer(question: str, passages: Sequence[Passage], engine: Engine) -> str:
    """Answer ``question`` from ``passages`` with the writer of ``engine``."""
    asked = await engine.judges.question_augmenter.augment(question, "", ())
    text = ""
    async for piece in engine.judges.answer_writer.write(WritingBrief(question=asked, passages=tuple(passages))):
        if isinstance(piece, Draft):
            text = piece.text
    return text


async def nearest_sentence(question: str, passages: Sequence[Passage], embedder: Embedder) -> str:
    """Return the sentence of ``passages`` most similar to ``question`` (cosine similarity), or "" if there is none."""
    sentences = [passage.text[span.start : span.end] for passage in passages for span in split_sentences(passage.text)]
    if not sentences:
        return ""
    (vector,) = await embedder.embed_queries([question])
    return sentences[int(np.argmax(await embedder.embed_documents(sentences) @ vector))]


def load(run: Run) -> CaseSet[Case]:
    """Read the questions that can be answered from their paragraphs."""
    cases = [each for each in squad2_questions(run.data) if each.answerable and _wordings(each)]
    return sampled(cases, 180, run, "answerable questions")


async def measure(case: Case, engine: Engine) -> Outcome:
    """Write the answer, and compare it and the nearest sentence with the gold answers."""
    wordings = _wordings(case)
    written = await write_answer(case.question, case.passages, engine)
    nearest = await nearest_sentence(case.question, case.passages, engine.embedder)
    ours = {**_values(written, wordings), **await _faithfulness(written, case, engine)}
    return Outcome(
        id=case.id,
        values={OURS: ours, NEAREST: _values(nearest, wordings), "group": case.group},
        loss=1.0 - ours[CONTAINED],
        trace={
            "question": case.question,
            "paragraph": excerpt(" / ".join(passage.text for passage in case.passages)),
            "gold answers": "; ".join(wordings),
            "written": excerpt(written),
            NEAREST: excerpt(nearest),
        },
    )


def _wordings(case: Case) -> tuple[str, ...]:
    """Return the distinct gold answers that are not empty after normalisation."""
    return tuple(dict.fromkeys(answer for answer in case.answers if normalised(answer)))


def _values(text: str, wordings: Sequence[str]) -> Mapping[str, float]:
    return {
        CONTAINED: contained_share(text, [wordings]),
        TOKEN_F1: max(token_f1(text, wording) for wording in wordings),
        WORDS: float(len(find_words(text))),
    }


async def _faithfulness(text: str, case: Case, engine: Engine) -> Mapping[str, float]:
    """Return the share of faithful sentences among those of ``text`` that make a claim; empty if none makes one."""
    sentences = [each.text for each in sentences_of(text)]
    if not sentences:
        return {}
    checked = await engine.judges.faithfulness_judge.judge(case.question, sentences, case.passages)
    claims = [each.label == "faithful" for each in checked.sentences if each.label != "no_claim"]
    return {FAITHFUL: sum(claims) / len(claims)} if claims else {}


def score(outcomes: Sequence[Outcome], seed: int) -> list[Score]:
    """Score both systems on each metric; intervals resample whole articles."""
    return system_scores(outcomes, (CONTAINED, TOKEN_F1, WORDS, FAITHFUL), seed, lower_is_better=(WORDS,))


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the benchmark of answer generation from a given paragraph."""
    return (Benchmark(about=about("answers-squad2"), load=load, prepare=one_by_one(measure), score=score),)
