"""Are the questions that are written for a passage its own? Asked back of the passage, and of another one.

A question is right when its passage answers it, another passage does not, and the answer comes back. The judge and the
writer of answers that say so are the engine's own: the same checks on questions that people wrote show what they can.
"""

import random
from collections.abc import Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from contracts.text import Document, Passage
from evaluation.results import Outcome, Score, Scores
from evaluation.scores import mean_score
from golden_lab.benchmarks.answers import gold_wordings, write_answer
from golden_lab.benchmarks.base import Benchmark, CaseSet, Opened
from golden_lab.datasets.annotated import excerpt, squad2_questions
from golden_lab.datasets.files import read_jsonl
from golden_lab.engine import Engine
from golden_lab.metrics.text import contained_share, normalised
from golden_lab.run import Run
from intrinsics.question_writing.base import QuestionWriter

WRITER, PEOPLE = "", "people"
ENCYCLOPEDIA, SPECIFICATION = "encyclopedia", "specifications"
HERE, ELSEWHERE, RIGHT, FOUND = (
    "answerable from its passage",
    "not answerable from another",
    "answerable from its passage alone",
    "answer found back",
)
WITH_RIGHT, WITH_QUESTION, COUNT = "passages with a right question", "passages with a question", "questions a passage"
_CHECKS = (HERE, ELSEWHERE, RIGHT, FOUND)
_SPECIFICATIONS = ("caliptra-spec", "ocp-lock")
# In words, where ingestion counts 250 tokens of the embedder.
_PASSAGE_WORDS = 180
# A table of contents or a line of links is no passage that anyone asks about.
_FEWEST_WORDS = 40
# The best of a passage's questions that are asked back; all of them are counted.
_ASKED_BACK = 2
# Questions of people that are asked back: each takes as long as one that was written.
_OF_PEOPLE = 60
# A passage without a question is less wrong than one with a wrong question.
_NONE_WRITTEN = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageCase:
    """A passage with ``other``, one of another article or chapter of its set; ``group`` is its article or chapter.

    ``question`` is one that people wrote for it, with its ``answers``; "" where nobody did.
    """

    id: str
    passage: Passage
    other: Passage
    subset: str
    group: str
    question: str = ""
    answers: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class WrittenQuestionsCheck(Benchmark[PassageCase]):
    """Scores the questions written for passages: ``sizes`` of each part of them, unless the run is full."""

    sizes: Mapping[str, int]

    def load(self, run: Run) -> CaseSet[PassageCase]:
        """Read the passages, and draw for each another one by the seed; the questions of people are fewer."""
        kept: list[PassageCase] = []
        notes = []
        for subset, found in (
            (ENCYCLOPEDIA, squad2_passages(run.data)),
            (SPECIFICATION, specification_passages(run.data, run.work)),
        ):
            drawn = run.sample(found, self.sizes[subset])
            with_people = {each.id for each in run.sample(drawn, _OF_PEOPLE)}
            kept += (_completed(each, found, run.seed, with_people=each.id in with_people) for each in drawn)
            notes.append(run.sample_note(len(drawn), len(found), f"passages of {subset}"))
        return CaseSet(cases=tuple(kept), note="; ".join(filter(None, notes)))

    @asynccontextmanager
    async def prepare(self, cases: CaseSet[PassageCase], engine: Engine, run: Run) -> Opened[PassageCase]:
        """Make the writer of questions of ``engine`` and yield what has it write for one passage."""
        writer = question_writer(engine)

        async def measure(case: PassageCase) -> Outcome:
            return await _measure(case, writer, engine)

        yield measure

    def score(self, outcomes: Sequence[Outcome], run: Run) -> Scores:
        """Score how many passages have questions and right ones, and the checks beside those on questions of people."""
        found: list[Score] = []
        for subset in ("", *dict.fromkeys(str(each.values["subset"]) for each in outcomes)):
            chosen = [each for each in outcomes if subset in ("", each.values["subset"])]
            counts = [float(each.values["written"]) for each in chosen]
            groups = [str(each.values["group"]) for each in chosen]
            right = [float(any(one[RIGHT] and one[FOUND] for one in each.values["checks"][WRITER])) for each in chosen]
            having = [float(count > 0) for count in counts]
            found.append(mean_score(WITH_RIGHT, right, seed=run.seed, subset=subset, groups=groups))
            found.append(mean_score(WITH_QUESTION, having, seed=run.seed, subset=subset, groups=groups))
            found.append(mean_score(COUNT, counts, seed=run.seed, subset=subset, groups=groups))
            for system in (WRITER, PEOPLE):
                found += _check_scores(chosen, system, subset, run.seed)
        return Scores(scores=tuple(found))


def question_writer(engine: Engine) -> QuestionWriter:
    """Return the writer of questions that belongs to ``engine``: by its chat model where it has one, else templates."""
    from intrinsics.question_writing.embedded import EmbeddedQuestionWriter
    from intrinsics.question_writing.llm import PromptedQuestionWriter

    return EmbeddedQuestionWriter() if engine.chat is None else PromptedQuestionWriter(engine.chat)


def squad2_passages(data: Path) -> tuple[PassageCase, ...]:
    """Read the paragraphs of what is scored of SQuAD 2.0 dev, each with the first question on it that it answers.

    Source: Rajpurkar et al. 2018, "Know What You Don't Know", CC BY-SA 4.0.

    Raises:
        InvalidInput: the file is not there or not of its form; the text names it.
    """
    cases: dict[str, PassageCase] = {}
    for asked in squad2_questions(data):
        (passage,) = asked.case.passages
        wordings = gold_wordings(asked)
        if passage.text not in cases and asked.case.answerable and wordings:
            cases[passage.text] = PassageCase(
                id=passage.chunk.id,
                passage=passage,
                other=passage,
                subset=ENCYCLOPEDIA,
                group=asked.case.group,
                question=asked.case.question,
                answers=wordings,
            )
    return tuple(cases.values())


def specification_passages(data: Path, work: Path) -> tuple[PassageCase, ...]:
    """Read two chip specifications in Markdown as ingestion reads and splits them.

    Source: Caliptra (chipsalliance/Caliptra, Apache-2.0) and OCP L.O.C.K. (OWFa 0.9).

    Raises:
        InvalidInput: the file is not there or not of its form; the text names it.
    """
    from ingestion.chunks.split import ChunkSizes, split_pages
    from ingestion.limits import IngestionLimits
    from ingestion.readers.registry import reader_for

    cases = []
    for row in read_jsonl(data / "hwspecs" / "docs.jsonl.gz"):
        if row["id"] not in _SPECIFICATIONS:
            continue
        path = work / "specifications" / f"{row['id']}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(row["text"], encoding="utf-8")
        pages = list(reader_for(path).read(path, IngestionLimits(), None))
        name, title = row["id"], row["title"]
        document = Document(
            id=name, name=name, path=name, media_type="text/markdown", content_hash="", title=title, pages=len(pages)
        )
        sizes = ChunkSizes(passage_tokens=_PASSAGE_WORDS)
        for chunk in split_pages(pages, document, lambda text: len(text.split()), sizes):
            if chunk.kind == "passage" and len(chunk.text.split()) >= _FEWEST_WORDS:
                passage = Passage(chunk=chunk, document_name=name, document_title=title, score=0.0)
                group = " > ".join((name, *chunk.heading_path[:1]))
                id_ = f"{name}-{chunk.ordinal}"
                cases.append(PassageCase(id=id_, passage=passage, other=passage, subset=SPECIFICATION, group=group))
    return tuple(cases)


def _completed(case: PassageCase, cases: Sequence[PassageCase], seed: int, *, with_people: bool) -> PassageCase:
    others = [each.passage for each in cases if each.group != case.group] or [each.passage for each in cases]
    other = random.Random(f"{seed} {case.id}").choice(others)
    return replace(case, other=other, question=case.question if with_people else "")


async def _measure(case: PassageCase, writer: QuestionWriter, engine: Engine) -> Outcome:
    written = (await writer.write(case.passage)).questions
    asked = [await _checks(each.question, (each.answer,), case, engine) for each in written[:_ASKED_BACK]]
    people = [await _checks(case.question, case.answers, case, engine)] if case.question else []
    wrong = [one for one in asked if not (one[RIGHT] and one[FOUND])]
    first = written[asked.index(wrong[0])] if wrong else written[0] if written else None
    return Outcome(
        id=case.id,
        values={
            "written": len(written),
            "subset": case.subset,
            "group": f"{case.subset}: {case.group}",
            "checks": {WRITER: asked, PEOPLE: people},
        },
        loss=len(wrong) / len(asked) if asked else _NONE_WRITTEN,
        trace={
            "passage": excerpt(case.passage.text),
            "question": first.question if first else "none was written",
            "its answer": first.answer if first else "",
            "other questions": " / ".join(each.question for each in written if each is not first),
            "checks": _told((wrong or asked or [{}])[0]),
            "other passage": excerpt(case.other.text),
            "question of people": case.question,
        },
    )


def _told(checks: Mapping[str, bool]) -> str:
    return "; ".join(f"{name}: {'yes' if value else 'no'}" for name, value in checks.items())


async def _checks(question: str, answers: Sequence[str], case: PassageCase, engine: Engine) -> Mapping[str, bool]:
    """Ask ``question`` back: of its passage, of the other one, and of the writer of answers with its passage."""
    services = engine.judges
    asked = await services.question_augmenter.augment(question, "", ())
    is_answerable = services.policy.is_answerable
    here = is_answerable((await services.answerability_judge.judge(asked, (case.passage,))).probability)
    there = is_answerable((await services.answerability_judge.judge(asked, (case.other,))).probability)
    wordings = [answer for answer in answers if normalised(answer)]
    text = await write_answer(question, (case.passage,), engine)
    found = bool(wordings) and contained_share(text, [wordings]) == 1
    return {HERE: here, ELSEWHERE: not there, RIGHT: here and not there, FOUND: found}


def _check_scores(outcomes: Sequence[Outcome], system: str, subset: str, seed: int) -> list[Score]:
    checked = [(one, str(each.values["group"])) for each in outcomes for one in each.values["checks"][system]]
    if not checked:
        return []
    groups = [group for _, group in checked]
    return [
        mean_score(
            metric, [float(one[metric]) for one, _ in checked], seed=seed, system=system, subset=subset, groups=groups
        )
        for metric in _CHECKS
    ]


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the benchmark of question writing."""
    return (WrittenQuestionsCheck(name="written-questions", sizes={ENCYCLOPEDIA: 250, SPECIFICATION: 120}),)
