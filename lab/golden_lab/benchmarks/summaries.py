"""Does a summary stand for its section? By which text of it a section is found best, for questions that it answers.

In the product a section is found by its summary with the questions that it answers, its title in front. Here sections
are ranked by the cosine of such keys, and of keys that cost nothing: the title alone, as many words from the
section's beginning, as many in sentences drawn at random. Beside them stands the best of the section's own passages.
"""

import random
from collections.abc import Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from contracts.verdicts import Summary
from evaluation.results import Outcome, Score, Scores
from evaluation.scores import mean_score
from golden_lab.benchmarks.base import Benchmark, CaseSet, Opened
from golden_lab.benchmarks.retrieval import ranking_values, system_scores
from golden_lab.datasets.annotated import excerpt
from golden_lab.datasets.corpora import Collection, CollectionPassage, load_mtrag
from golden_lab.engine import Engine
from golden_lab.run import Run
from golden_lab.vectors import StoredEmbedder
from tools.embedding.base import Matrix
from tools.language import split_sentences

SUMMARY, BOTH = "summary", "summary and questions"
OPENING, RANDOM, OPENING_OF_BOTH = "opening as long", "random sentences as long", "opening as long as both"
TITLE, PASSAGES = "title alone", "best of its passages"
GAIN = "MRR over an opening as long"
_METRICS = ("Recall@1", "Recall@5", "MRR")
# About 4,000 tokens, as ingestion cuts sections.
_SECTION_CHARACTERS = 16_000
_SECTIONS = 150


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A section of a document: its ``title``, ``text``, and the passages that it was put together from."""

    id: str
    title: str
    text: str
    passages: tuple[CollectionPassage, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionQuestion:
    """A question with the ids of the sections that answer it."""

    id: str
    text: str
    relevant: frozenset[str]
    group: str


@dataclass(frozen=True, kw_only=True)
class SummaryKeys(Benchmark[SectionQuestion]):
    """Scores summaries as keys of ``size`` sections: those with answers, filled up with others; all in a full run."""

    domain: str
    size: int

    def load(self, run: Run) -> CaseSet[SectionQuestion]:
        """Read the questions of the half that is scored, with the sections that answer them."""
        collection = load_mtrag(run.data, self.domain).part("score")
        every = sections_of(collection)
        section_of = {passage.unit: section.id for section in every for passage in section.passages}
        cases = tuple(
            SectionQuestion(
                id=each.id,
                text=each.text,
                relevant=frozenset(section_of[unit] for unit in each.relevant if unit in section_of),
                group=each.group,
            )
            for each in collection.questions
        )
        kept = self._sections(cases, every, run)
        note = run.sample_note(len(kept), len(every), "sections")
        return CaseSet(cases=tuple(each for each in cases if each.relevant), note=note)

    @asynccontextmanager
    async def prepare(self, cases: CaseSet[SectionQuestion], engine: Engine, run: Run) -> Opened[SectionQuestion]:
        """Summarise the sections, embed every key of them, and yield what ranks them for one question."""
        sections = self._sections(self.load(run).cases, sections_of(load_mtrag(run.data, self.domain)), run)
        summaries = [await engine.summariser.summarise(each.text, title=each.title) for each in sections]
        keys = [keys_of(each, summary, run.seed) for each, summary in zip(sections, summaries, strict=True)]
        run.work.mkdir(parents=True, exist_ok=True)
        stored = StoredEmbedder(engine.embedder, run.work / "vectors.db")
        try:
            vectors = {name: await stored.embed_documents([each[name] for each in keys]) for name in keys[0]}
            passages = [await stored.embed_documents([each.text for each in one.passages]) for one in sections]
        finally:
            stored.close()
        told = {each.id: key[BOTH] for each, key in zip(sections, keys, strict=True)}

        async def measure(question: SectionQuestion) -> Outcome:
            (vector,) = await engine.embedder.embed_queries([question.text])
            cosines = {name: matrix @ vector for name, matrix in vectors.items()}
            cosines[PASSAGES] = np.array([float((own @ vector).max()) for own in passages])
            return _outcome(question, _ranked(cosines, sections), told)

        yield measure

    def score(self, outcomes: Sequence[Outcome], run: Run) -> Scores:
        """Score each key, and what a summary finds over an opening of its length, question by question."""
        gains = (_gain(outcomes, SUMMARY, OPENING, run.seed), _gain(outcomes, BOTH, OPENING_OF_BOTH, run.seed))
        return Scores(scores=(*system_scores(outcomes, _METRICS, run.seed), *gains))

    def _sections(
        self, questions: Sequence[SectionQuestion], sections: Sequence[Section], run: Run
    ) -> tuple[Section, ...]:
        answering = frozenset[str]().union(*(each.relevant for each in questions))
        others = [each for each in sections if each.id not in answering]
        drawn = {each.id for each in run.sample(others, max(self.size - len(answering), 0))}
        return tuple(each for each in sections if each.id in answering or each.id in drawn)


def sections_of(collection: Collection) -> tuple[Section, ...]:
    """Put the passages of each document of MT-RAG back together, in sections of at most about 4,000 tokens.

    The ids of passages tell their place ("document-start-end"). The line with the document's title, which each of its
    passages begins with, and what two passages share are there once. Passages that the pool lacks leave a gap.
    """
    found = []
    ordered = sorted(collection.passages, key=lambda each: (each.document, _place(each)))
    for document, group in groupby(ordered, key=lambda each: each.document):
        passages, texts = list(group), list[str]()
        title = _shared_title(passages)
        kept: list[CollectionPassage] = []
        end = number = 0
        for passage in passages:
            start, stop = _place(passage)
            text = passage.text[len(title) :].lstrip() if title else passage.text
            text = text[max(0, end - start) :] if texts else text
            if texts and sum(map(len, texts)) + len(text) > _SECTION_CHARACTERS:
                found.append(_section(document, number, title, texts, kept))
                texts, kept, number = [], [], number + 1
            texts.append(text)
            kept.append(passage)
            end = stop
        found.append(_section(document, number, title, texts, kept))
    return tuple(found)


def keys_of(section: Section, summary: Summary, seed: int) -> Mapping[str, str]:
    """Return each key of ``section`` by its name, its title in front of each as ingestion puts it."""
    sentences = [section.text[span.start : span.end] for span in split_sentences(section.text)]
    shuffled = random.Random(f"{seed} {section.id}").sample(sentences, len(sentences))
    both = "\n".join(part.strip() for part in (summary.text, *summary.questions) if part.strip())
    words, words_of_both = len(summary.text.split()), len(both.split())
    keys = {
        SUMMARY: summary.text,
        BOTH: both,
        OPENING: first_words(sentences, words),
        OPENING_OF_BOTH: first_words(sentences, words_of_both),
        RANDOM: first_words(shuffled, words),
        TITLE: "",
    }
    return {name: f"{section.title}\n{text}".strip() or section.text[:80] for name, text in keys.items()}


def first_words(sentences: Sequence[str], count: int) -> str:
    """Return the first ``count`` words of ``sentences`` in one text."""
    return " ".join(" ".join(sentences).split()[:count])


def _section(
    document: str, number: int, title: str, texts: Sequence[str], passages: Sequence[CollectionPassage]
) -> Section:
    return Section(id=f"{document}#{number}", title=title, text="\n".join(texts), passages=tuple(passages))


def _place(passage: CollectionPassage) -> tuple[int, int]:
    start, end = passage.id.rsplit("-", 2)[1:]
    return int(start), int(end)


def _shared_title(passages: Sequence[CollectionPassage]) -> str:
    """Return the first line of all ``passages`` where they share it and it is what their text has over its place."""
    lines = {each.text.partition("\n")[0].strip() for each in passages}
    first, newline, _ = passages[0].text.partition("\n")
    start, end = _place(passages[0])
    is_extra = bool(newline) and len(passages[0].text) - (end - start) >= len(first)
    return first.strip() if is_extra and len(lines) == 1 else ""


def _ranked(cosines: Mapping[str, Matrix], sections: Sequence[Section]) -> Mapping[str, Sequence[str]]:
    return {name: [sections[at].id for at in np.argsort(-values, kind="stable")] for name, values in cosines.items()}


def _outcome(question: SectionQuestion, rankings: Mapping[str, Sequence[str]], told: Mapping[str, str]) -> Outcome:
    values = {name: ranking_values(ranked, question.relevant, _METRICS) for name, ranked in rankings.items()}
    best = rankings[BOTH][0]
    missed = next((each for each in sorted(question.relevant) if each in told), "")
    return Outcome(
        id=question.id,
        values={**values, "group": question.group},
        loss=1.0 - values[BOTH]["MRR"],
        trace={
            "question": question.text,
            "key of a section that answers": excerpt(told.get(missed, "")),
            "key of the section found first": excerpt(told[best]) if best not in question.relevant else "the same",
            **{f"place by {name}": _place_of(ranked, question.relevant) for name, ranked in rankings.items()},
        },
    )


def _place_of(ranked: Sequence[str], relevant: frozenset[str]) -> str:
    return str(next(place for place, each in enumerate(ranked, start=1) if each in relevant))


def _gain(outcomes: Sequence[Outcome], system: str, beside: str, seed: int) -> Score:
    gains = [each.values[system]["MRR"] - each.values[beside]["MRR"] for each in outcomes]
    return mean_score(GAIN, gains, seed=seed, system=system, groups=[str(each.values["group"]) for each in outcomes])


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the benchmark of summarisation."""
    return (SummaryKeys(name="summaries-mtrag", domain="govt", size=_SECTIONS),)
