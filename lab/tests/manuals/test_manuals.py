"""Questions about manuals: the question file, the corpora, and the scores of answers."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import golden_lab.manuals
from contracts.answer import Answer
from contracts.errors import InvalidInput
from contracts.text import Passage
from golden_lab.cli import app
from golden_lab.manuals.corpora import CorpusFiles, copy_files, read_corpora
from golden_lab.manuals.questions import ManualQuestion, read_questions
from golden_lab.training.data.questions import read_passage_questions
from lab.tests.benchmarks.annotated_sets import write_rows
from tests.conformance.reading_cases import make_passage
from tests.golden_retriever.commands import Commands

MANUALS = Commands("manuals", app)
QUESTION = ManualQuestion(
    id="q", corpus="mail", half="development", kind="fact", question="How long is the guard time?", answer="2 s",
    says=(r"\b2 ?s\b",), document="rate.html", quote="The guard time defaults to 2 s",
)  # fmt: skip


def answer(text: str, outcome: str = "answered") -> Answer:
    return Answer.model_validate({"text": text, "outcome": outcome, "question": "?", "standalone_question": "?"})


def passage(text: str, document: str) -> Passage:
    return replace(make_passage(text), document_name=document)


def test_both_halves_contain_every_kind_of_question_for_every_corpus() -> None:
    development, final = read_questions("development"), read_questions("final")
    assert len({each.id for each in (*development, *final)}) == len(development) + len(final) >= 340
    unseen = {each.corpus for each in read_questions("unseen")} - {"unseen-organisations"}
    assert {each.corpus for each in development} == {*read_corpora(), "examples"} - {"training"} - unseen
    assert {each.kind for each in development} == {each.kind for each in final}
    for each in (*development, *final):
        assert bool(each.says) == bool(each.document) == each.answerable, each.id
        assert all(re.compile(pattern) for pattern in each.says)
    examples = Path(__file__).parents[3] / "examples" / "documents"
    asked = {each.document for each in (*development, *final) if each.corpus == "examples" and each.answerable}
    assert asked == {path.name for path in examples.iterdir()}
    assert read_questions("final", ["web"]) == tuple(each for each in final if each.corpus == "web")


def test_training_questions_name_a_passage_of_the_corpus() -> None:
    training = read_questions("training", ["training"])
    assert len(training) >= 4_000
    prefixes = tuple(each.prefix for each in read_corpora()["training"])
    for each in training:
        assert each.passage
        assert each.document.startswith(prefixes)
        assert bool(each.quote) == each.answerable
    learnt = {each.document for each in training if each.is_learnt_from}
    held = {each.document for each in training if not each.is_learnt_from}
    assert learnt
    assert held
    assert not learnt & held


def test_questions_on_organisations_refer_to_their_documents() -> None:
    folder = Path(golden_lab.manuals.__path__[0])
    learnt, unseen = read_questions("training", ["organisations"]), read_questions("unseen", ["unseen-organisations"])
    for questions, name in ((learnt, "organisations"), (unseen, "unseen_organisations")):
        assert {each.document for each in questions} == {path.name for path in (folder / name).iterdir()}
    assert not any(each.is_learnt_from for each in unseen)
    for each in (*learnt, *unseen):
        assert bool(each.quote) == each.answerable, each.id
        assert all(re.compile(pattern) for pattern in each.says)


WITHOUT_PATTERNS = QUESTION.model_copy(update={"says": ()})
UNANSWERABLE = QUESTION.model_copy(update={"kind": "unanswerable"})
SMALL_TALK = QUESTION.model_copy(update={"kind": "small-talk"})


def test_patterns_or_the_words_of_the_quote_decide_what_is_right(subtests: pytest.Subtests) -> None:
    for question, reply, right in [
        (QUESTION, answer("The guard time is **2 s** [1]."), True),
        (QUESTION, answer("The guard time\nis `2\ns`."), True),
        (QUESTION, answer("It is 12 s."), False),
        (QUESTION, answer("2 s", outcome="declined"), False),
        (WITHOUT_PATTERNS, answer("By default the guard time is `2 s`."), True),
        (WITHOUT_PATTERNS, answer("The guard time may be changed."), False),
        (UNANSWERABLE, answer("", outcome="closest_passages"), True),
        (UNANSWERABLE, answer("2 s"), False),
        (SMALL_TALK, answer("", outcome="closest_passages"), False),
    ]:
        with subtests.test(kind=question.kind, text=reply.text, outcome=reply.outcome):
            assert question.is_right(reply) is right


def test_passage_contains_the_answer_if_document_and_words_match() -> None:
    assert QUESTION.is_told_by(passage("By default the guard time is 2 s.", "manuals/rate.html"))
    assert not QUESTION.is_told_by(passage("By default the guard time is 2 s.", "clock.html"))
    assert not QUESTION.is_told_by(passage("Poll intervals double.", "rate.html"))


def test_files_of_a_package_become_a_corpus(tmp_path: Path) -> None:
    manual = tmp_path / "unpacked/usr/share/doc/web/manual/en"
    (manual / "mod").mkdir(parents=True)
    (manual / "mod/core.html").write_text("core", encoding="utf-8")
    (manual / "index.html").write_text("index", encoding="utf-8")
    (manual / "sample.html").write_text("sample", encoding="utf-8")
    (tmp_path / "web").mkdir()
    part = CorpusFiles(
        package="web-doc", files="usr/share/doc/web/manual/en/**/*.html", prefix="web-", leave_out="sample"
    )
    copy_files(part, tmp_path / "unpacked", tmp_path / "web", only={"web-index.html"})
    assert [each.name for each in (tmp_path / "web").iterdir()] == ["web-index.html"]
    copy_files(part, tmp_path / "unpacked", tmp_path / "web")
    assert sorted(each.name for each in (tmp_path / "web").iterdir()) == ["web-index.html", "web-mod-core.html"]


Ingest = Callable[[str, str], None]


@pytest.fixture
def ingest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ingest:
    """Return a function that adds a text under a name to a library for this test."""
    monkeypatch.setenv("GOLDEN_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("GOLDEN_WORKERS", "1")

    def put(name: str, text: str) -> None:
        (tmp_path / name).write_text(f"{text}\n")
        Commands().succeeds("ingest", tmp_path / name)

    return put


def test_training_questions_are_paired_with_passages_of_a_library(tmp_path: Path, ingest: Ingest) -> None:
    # Questions whose passage can be a single sentence: its known beginning has no spaces at the ends.
    asked = [
        each
        for each in read_questions("training")
        if each.answerable
        and each.quote.startswith(each.passage)
        and len(each.passage) == 60
        and "\n" not in each.quote
    ]
    learnt, held = (next(each for each in asked if each.is_learnt_from == wanted) for wanted in (True, False))
    for name, question in (("one.txt", learnt), ("two.txt", held)):
        ingest(name, question.quote)
    for options, question in (((), learnt), (("--held-out",), held)):
        out = tmp_path / "passages.jsonl"
        MANUALS.succeeds("passages", out, *options)
        rows = read_passage_questions(out)
        assert question.id in {row.id for row in rows}
        assert {row.source.document for row in rows} == {question.document}
        assert all(row.answer in row.passage for row in rows)


def test_own_question_file_is_asked_and_a_wrong_line_is_named(tmp_path: Path, ingest: Ingest) -> None:
    ingest("pump.txt", "The guard time of the pump defaults to 2 seconds.")
    questions = tmp_path / "mine.jsonl"

    right = {"id": "a", "kind": "fact", "question": "What is the guard time of the pump?", "says": ["2 s"]}
    write_rows(questions, [right, {**right, "id": "b", "kind": "why", "says": ["3 s"]}])
    assert "| fact | 1 | 1 |\n| why | 0 | 1 |" in MANUALS.output("ask", questions)
    for wrong in ({"says": []}, {"says": ["("]}, {"says": "2 s"}, {"question": None}):
        write_rows(questions, [right, {**right, **wrong}])
        assert "mine.jsonl, line 2" in MANUALS.fails(InvalidInput, "ask", questions)
