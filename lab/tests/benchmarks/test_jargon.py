"""The benchmarks of jargon: spans, senses, contexts and added meanings, on small sets that the tests write."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from contracts.text import Span
from golden_lab.benchmarks import context_classification, jargon_identification, question_augmentation
from golden_lab.benchmarks.context_classification import WITH_CORRECTIONS, WITH_EXAMPLES, WITHOUT_EXAMPLES, score
from golden_lab.benchmarks.disambiguation import COSINE, MOST_FREQUENT, NO_DOCUMENTS, WORD_OVERLAP, benchmarks
from golden_lab.benchmarks.jargon_identification import BOTH, LONG, MINER, SHORT, find_forms
from golden_lab.benchmarks.question_augmentation import AS_ASKED, AUGMENTED, IN_PLACE
from golden_lab.datasets.guides import described_guides, draw_cases
from golden_lab.datasets.uses import Use, document_uses, without_definition
from golden_lab.engine import Engine
from golden_lab.run import Run
from golden_lab.splits import half
from golden_lab.usage_library import UsageLibrary
from lab.tests.benchmarks.annotated_sets import groups_of, measure_all, measured, value, write_rows
from tests.hashing_embedder import HashingEmbedder
from tests.models import mined

FOREST = "The random trees of this forest are grown by the RF on samples"
RADIO = "An antenna brings the radio waves at this frequency to the RF stage"
# The sentence contains no word of either meaning, and the wrong one happens to be nearer: only the other sentences show
# the sense.
SPLIT = "Leaves split by RF at each node vote"
SPLIT_TOO = (
    "Leaves vote by RF where they split into green ones",
    "At each node some RF is split by its leaves, or so it seems",
)


def in_half(part: str, sentence: str) -> str:
    """Lengthen ``sentence`` until it is in the half ``part``."""
    return next(
        text
        for number in range(100)
        if half("sdu21_ad", (text := f"{sentence} {'indeed ' * number}".strip()).casefold()) == part
    )


def row(number: int, text: str, expansion: str) -> dict[str, Any]:
    tokens = text.split()
    return {"id": f"DEV-{number}", "tokens": tokens, "acronym_idx": tokens.index("RF"), "expansion": expansion}


@pytest.fixture
def uses_run(tmp_path: Path) -> Run:
    folder = tmp_path / "sdu21_ad"
    radio = in_half("score", RADIO)
    rows = [
        row(0, in_half("score", FOREST), "random forest"),
        row(1, radio, "radio frequency"),
        row(2, radio, "radio frequency"),
        row(3, in_half("fit", FOREST), "random forest"),
        row(4, in_half("fit", RADIO), "radio frequency"),
    ]
    write_rows(folder / "dev.jsonl.gz", rows)
    (folder / "diction.json").write_text(json.dumps({"RF": ["random forest", "radio frequency"]}))
    return Run(data=tmp_path, work=tmp_path)


def use(number: int, term: str, **fields: str) -> Use:
    given = {"gold": "a", "most_frequent": "a", **fields}
    return Use(id=str(number), text=f"{term} here", place=Span(0, len(term)), term=term, senses=("a", "b"), **given)


async def test_words_of_the_sentence_decide_the_sense(engine: Engine, uses_run: Run) -> None:
    outcomes, scores = await measure_all(benchmarks()[0], engine, uses_run)
    assert outcomes["DEV-0"].values["predicted"] == "random forest"
    assert outcomes["DEV-0"].trace["abbreviation"] == "RF"
    assert value(scores, "accuracy") == value(scores, "macro-F1") == 1.0
    assert value(scores, "accuracy", system=WORD_OVERLAP) == 1.0
    # Two of three uses have the most frequent sense; the other sense is never predicted, so its precision counts as 1.
    assert value(scores, "accuracy", system=MOST_FREQUENT) == pytest.approx(2 / 3)
    assert value(scores, "balanced accuracy", system=MOST_FREQUENT) == 0.5
    precision, recall = (1 + 2 / 3) / 2, 0.5
    assert value(scores, "macro-F1", system=MOST_FREQUENT) == pytest.approx(
        2 * precision * recall / (precision + recall)
    )
    assert 0.0 <= value(scores, "accuracy", system=COSINE) <= 1.0


async def test_documents_that_use_an_abbreviation_decide_its_sense(engine: Engine, uses_run: Run) -> None:
    fitting = [row(number, in_half("fit", text), "radio frequency") for number, text in enumerate(SPLIT_TOO, start=1)]
    rows = [
        row(0, in_half("score", SPLIT), "radio frequency"),
        *fitting,
        row(9, in_half("fit", FOREST), "random forest"),
    ]
    write_rows(uses_run.data / "sdu21_ad" / "dev.jsonl.gz", rows)
    outcomes, scores = await measure_all(benchmarks()[0], engine, uses_run)
    assert [*outcomes] == ["DEV-0"]
    assert outcomes["DEV-0"].values["predicted"] == "radio frequency"
    assert outcomes["DEV-0"].trace["because"] == "because /DEV-1 and another document use it this way"
    assert value(scores, "accuracy") == 1.0
    assert value(scores, "accuracy", system=NO_DOCUMENTS) == 0.0


async def test_near_duplicates_of_the_scored_text_are_not_used_as_evidence(uses_run: Run) -> None:
    uses = [
        use(0, "RF", document="a"),
        use(1, "RF", document="a"),
        replace(use(2, "RF", document="b"), text="RF here again"),
        replace(use(3, "RF", document="c"), text="RF elsewhere among trees and leaves"),
    ]
    library = await UsageLibrary.of(uses, HashingEmbedder())
    assert library.documents == {"/a", "/b", "/c"}
    assert library.others(uses[0]) == {"/c"}
    found = library.lexical().find_phrase("RF", 10, as_written=True, groups=library.others(uses[0]))
    assert [passage.document_name for passage in found] == ["/c", "/c"]
    assert {passage.text for passage in found} == {uses[3].text, "a (RF)"}


def sense(expansion: str, *passages: str, examples: int = 0) -> dict[str, Any]:
    shown = [{"passage": text} for text in passages]
    return {"expansion": expansion, "n_examples": examples or len(shown), "examples": shown}


def write_ambiguous(data: Path, senses: Sequence[dict[str, Any]], undefined: Sequence[object], *terms: str) -> None:
    """Write the senses of each term; {0} in a sense stands for the term."""
    rows = [{"corpus": "aws", "acronym": term, "senses": senses, "undefined_uses": undefined} for term in terms]
    texts = [json.dumps(row).replace("{0}", row["acronym"]) for row in rows]
    write_rows(data / "jargon_ambiguous" / "ambiguous.jsonl", map(json.loads, texts))


def test_definitions_are_removed_from_documents(tmp_path: Path) -> None:
    senses = [
        sense(PHONE, "Send it by Short  Message Service ({0}) now.", examples=2),
        sense("sad mode", "The {0} (sad mode) holds."),
    ]
    write_ambiguous(tmp_path, senses, [{"passage": "The {0} text.", "doc_sense": PHONE, "doc": "guide.md"}], TERM)
    first, second, third = document_uses(tmp_path, "score")
    assert (first.document, third.document) == ("", "guide.md")
    assert (first.text, first.gold, first.subset) == (f"Send it by {TERM} now.", PHONE, "definition taken out")
    assert (second.text, second.gold) == (f"The {TERM} holds.", "sad mode")
    assert (third.subset, third.most_frequent) == ("sense spelt out elsewhere", PHONE)
    assert document_uses(tmp_path, "fit") == ()
    assert without_definition("hard-drive tests", "hard drive test", "HDT") == "HDT"


DEFINED = ["The", "pump", "voltage", "limiter", "(", "PVL", ")", "is", "off", "."]
OF_DEFINED = ["O", "B-long", "I-long", "I-long", "O", "B-short", "O", "O", "O", "O"]
UNDEFINED = ["We", "measured", "the", "QZR", "of", "each", "die", "and", "the", "Zorb", "."]
OF_UNDEFINED = ["O", "O", "O", "B-short", "O", "O", "O", "O", "O", "B-short", "O"]
FIRST, SECOND = groups_of("sdu21_ai", "score", 2)
(FITTED_SENTENCE,) = groups_of("sdu21_ai", "fit", 1)


@pytest.fixture
def spans_run(tmp_path: Path) -> Run:
    rows = [
        {"id": FIRST, "tokens": DEFINED, "labels": OF_DEFINED},
        {"id": SECOND, "tokens": UNDEFINED, "labels": OF_UNDEFINED},
        {"id": FITTED_SENTENCE, "tokens": DEFINED, "labels": OF_DEFINED},
    ]
    write_rows(tmp_path / "sdu21_ai" / "dev.jsonl.gz", rows)
    return Run(data=tmp_path, work=tmp_path)


def test_mined_forms_are_located_where_they_are_closest_together() -> None:
    text = "MEK is new. Media encryption keys (MEKs) wrap data."
    assert find_forms(mined("MEK", "Media encryption key"), text) == (Span(35, 39), Span(12, 33))
    assert find_forms(mined("LOCK", "Key block"), "L.O.C.K. is it") == (Span(0, 8), None)
    assert find_forms(mined("EC", "energy policy"), "energy policies (EC)") == (Span(17, 19), Span(0, 15))


async def test_forms_are_scored_by_exact_span(engine: Engine, spans_run: Run) -> None:
    (benchmark, _) = jargon_identification.benchmarks()
    outcomes, scores = await measure_all(benchmark, engine, spans_run)
    assert set(outcomes) == {FIRST, SECOND}
    assert outcomes[FIRST].values[SHORT] == [1, 1, 1]
    assert outcomes[FIRST].values[LONG] == [1, 1, 1]
    assert outcomes[FIRST].loss == 0.0
    # "Zorb" looks like a name, so only one of two marked short forms is found.
    assert outcomes[SECOND].values[SHORT] == [1, 1, 2]
    assert outcomes[SECOND].loss == 0.5
    assert outcomes[SECOND].trace["short forms expected"] == "QZR; Zorb"
    assert value(scores, "precision", subset=SHORT) == 1.0
    assert value(scores, "recall", subset=SHORT) == pytest.approx(2 / 3)
    assert value(scores, "F1", subset=SHORT) == pytest.approx(0.8)
    assert value(scores, "F1", subset=LONG) == 1.0
    # The shared task computes F1 from the mean precision (1) and the mean recall (5/6).
    assert value(scores, "F1", subset=BOTH) == pytest.approx(2 * (5 / 6) / (1 + 5 / 6))
    assert value(scores, "recall", system=MINER, subset=SHORT) == pytest.approx(1 / 3)


TERM, FITTED = (
    next(name for name in ("SMS", "SMT", "SMU", "SMV", "SMW") if half("jargon_ambiguous", name) == part)
    for part in ("score", "fit")
)
PHONE, SHIPS = "short message service", "ship mooring station"


def write_uses(data: Path) -> None:
    senses = [
        sense(
            PHONE,
            f"Type a short text message and send it by {PHONE} ({{0}}).",
            "Every {0} message is short and costs a cent.",
        ),
        sense(SHIPS, "A ship is tied to the {0} by ropes for mooring at the station."),
    ]
    write_ambiguous(data, senses, (), TERM, FITTED)


async def test_picked_sense_is_added_to_the_question_and_found(engine: Engine, tmp_path: Path) -> None:
    write_uses(tmp_path / "data")
    (benchmark,), run = question_augmentation.benchmarks(), Run(data=tmp_path / "data", work=tmp_path / "work")
    assert benchmark.load(run).note == "2 senses of 1 abbreviations, 3 passages"
    phone, ships = await measured(benchmark, engine, run)
    assert ships.trace[AUGMENTED] == f"What is {TERM}?\n{TERM} means {SHIPS}."
    assert ships.trace[IN_PLACE] == f"What is {SHIPS}?"
    # Only the right passage contains the words ship, mooring and station.
    assert ships.values[AUGMENTED]["MRR"] == 1
    assert ships.loss == 0
    # The unchanged questions for both senses are the same, so only one of them can find its passage first.
    assert {phone.values[AS_ASKED]["MRR"], ships.values[AS_ASKED]["MRR"]} != {1.0}
    scores = {(each.system, each.metric) for each in benchmark.score([phone, ships], 7)}
    assert (benchmark.about.metric_system, benchmark.about.metric) in scores


SUBJECTS = {
    "amazon-sqs-developer-guide": "message",
    "aws-kms-developer-guide": "encryption",
    "amazon-athena-user-guide": "partition",
    "aws-step-functions-developer-guide": "transition",
    "amazon-rds-user-guide": "replica",
    "amazon-s3-developer-guide": "bucket",
    "iam-user-guide": "password",
}


@pytest.fixture
def guides_run(tmp_path: Path) -> Run:
    pages = [
        {"guide": guide, "title": f"How {subject} number {number} works", "id": f"{guide}/{number}"}
        for guide, subject in SUBJECTS.items()
        for number in range(12)
    ]
    pages += [{"guide": guide, "title": "What is new this year"} for guide in ("aws-kms-developer-guide", "some-guide")]
    pages += [{"guide": "amazon-sqs-developer-guide", "title": "How to begin with SQS"}]
    write_rows(tmp_path / "awsdocs" / "corpus_full.jsonl.gz", pages)
    document = "documents/amazon-sqs-developer-guide/doc_source/a.md"
    write_rows(tmp_path / "awsdocs" / "qa.jsonl", [{"question": "May a message be lost?", "doc_id": document}])
    write_rows(tmp_path / "eda_corpus" / "qa.jsonl", ({"question": f"Which net is {n}?"} for n in range(20)))
    write_rows(tmp_path / "teleqna" / "teleqna.jsonl.gz", ({"question": f"Which band is {n}?"} for n in range(20)))
    return Run(data=tmp_path, work=tmp_path)


def test_cases_are_drawn_from_one_half(guides_run: Run) -> None:
    cases = draw_cases(guides_run.data, "score", drawings=3, seed=1)
    names = {described_guides()[guide].name for guide in SUBJECTS if half("awsdocs-guides", guide) == "score"}
    assert len(names) == 4
    assert {context.name for case in cases for context in case.contexts} <= names
    for case in cases:
        assert case.truth in ("", *(context.name for context in case.contexts))
        assert all(len(context.examples) == 3 and case.question not in context.examples for context in case.contexts)
        assert not any(context.examples for context in case.without_examples)
        assert "new this year" not in case.question
        assert "SQS" not in case.question
    assert {case.kind for case in cases} == {"question", "title", "title elsewhere", "EDA-Corpus", "TeleQnA"}
    assert draw_cases(guides_run.data, "score", drawings=3, seed=1) == cases
    fitted = {case.question for case in draw_cases(guides_run.data, "fit", drawings=3, seed=1)}
    assert fitted
    assert fitted.isdisjoint(case.question for case in cases)


async def test_every_system_is_measured(engine: Engine, guides_run: Run) -> None:
    (benchmark,) = context_classification.benchmarks()
    cases = draw_cases(guides_run.data, "score", drawings=2, seed=guides_run.seed)
    outcomes = await measured(benchmark, engine, guides_run, cases)
    scores = score(outcomes, guides_run.seed)
    assert {each.subset for each in scores if each.system == WITH_EXAMPLES} >= {"", "title", "TeleQnA"}
    assert value(scores, "accuracy", system=WITHOUT_EXAMPLES) >= 0.0
    assert value(scores, "accuracy", system=WITH_CORRECTIONS) >= value(scores, "accuracy", system=WITH_EXAMPLES) - 0.1
    first = outcomes[0]
    assert first.trace["question"]
    assert "none of these" in first.trace["probabilities"]
