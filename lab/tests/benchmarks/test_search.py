"""The benchmarks of search and question rewriting on a collection that the tests write, and reading of collections."""

import gzip
from pathlib import Path

import pytest
from sqlalchemy import select

from database.connection import open_database
from golden_lab.benchmarks import document_augmentation, query_expansion, reranking, retrieval
from golden_lab.benchmarks.document_augmentation import WITH, WITHOUT
from golden_lab.benchmarks.question_rewriting import benchmarks, canard_questions, mtrag_questions
from golden_lab.benchmarks.retrieval import NOT_STANDALONE, STANDALONE
from golden_lab.datasets.corpora import load_awsdocs, load_eda, load_mtrag
from golden_lab.engine import Engine
from golden_lab.run import Run
from golden_lab.splits import half
from lab.tests.benchmarks.annotated_sets import measured, write_rows
from library.tables import chunks

TOPICS = ("wildfire smoke", "ground water", "tax refund", "passport renewal", "flood shelter", "jury duty")


def write_mtrag(data: Path, domain: str = "govt") -> None:
    """Write six conversations of two turns; the second is "Where?", which people made standalone."""
    folder = data / "mtrag" / "retrieval" / domain
    passages = [{"_id": f"doc{row}-0-9", "text": f"All about {topic}, item {row}."} for row, topic in enumerate(TOPICS)]
    passages += [{"_id": f"other{row}-0-9", "text": f"Paper number {row} on bees."} for row in range(4)]
    write_rows(folder / "corpus_pooled.jsonl.gz", passages)
    tasks, last, rewritten, judged = [], [], [], ["query-id\tcorpus-id\tscore"]
    for row, topic in enumerate(TOPICS):
        first = f"Tell me of {topic}"
        for turn, (asked, alone) in enumerate(((first, first), ("Where?", f"Where is {topic}?")), start=1):
            id_ = f"conversation{row}<::>{turn}"
            said = [("user", asked)] if turn == 1 else [("user", first), ("agent", "It is so."), ("user", asked)]
            turns = [{"speaker": speaker, "text": text} for speaker, text in said]
            tasks.append({"task_id": id_, "input": turns, "rewrite_query": f"|user|: {alone}"})
            last.append({"_id": id_, "text": f"|user|: {asked}"})
            rewritten.append({"_id": id_, "text": f"|user|: {alone}"})
            judged.append(f"{id_}\tdoc{row}-0-9\t1")
    judged.append("unasked<::>1\tother0-0-9\t0")
    write_rows(data / "mtrag" / "tasks.jsonl.gz", tasks)
    write_rows(folder / "lastturn.jsonl", last)
    write_rows(folder / "rewrite.jsonl", rewritten)
    (folder / "qrels.tsv").write_text("\n".join(judged))


def test_turns_have_a_history_and_relevant_passages(tmp_path: Path) -> None:
    write_mtrag(tmp_path)
    govt = load_mtrag(tmp_path, "govt", others=1)
    first, second, *_ = govt.questions
    assert (first.last_turn, first.text, first.history) == ("Tell me of wildfire smoke",) * 2 + ((),)
    assert (second.last_turn, second.text) == ("Where?", "Where is wildfire smoke?")
    assert [(turn.role, turn.text) for turn in second.history] == [("user", first.text), ("assistant", "It is so.")]
    assert second.relevant == {"doc0-0-9"}
    assert first.group == second.group == "conversation0"
    # Six passages answer a question; of the other four, one is kept.
    assert len(govt.passages) == 7
    assert govt.note == "pooled corpus, 7 of 10 passages, seed 20260"
    assert load_mtrag(tmp_path, "govt").note == "pooled corpus, all 10 passages"
    # The halves have no conversation in common and together contain every question.
    govt = load_mtrag(tmp_path, "govt")
    fit, scored = govt.part("fit"), govt.part("score")
    assert len(fit.questions) + len(scored.questions) == len(govt.questions) == 12
    assert all(half("mtrag", each.group) == "score" for each in scored.questions)
    assert all(half("mtrag", each.group) == "fit" for each in fit.questions)
    assert fit.passages == scored.passages == govt.passages


def test_document_is_split_into_passages_and_scored_as_one(tmp_path: Path) -> None:
    write_rows(tmp_path / "awsdocs" / "qa.jsonl", [{"id": "a1", "question": "What is S3?", "doc_id": "s3.md"}])
    documents = [{"id": name, "title": name, "text": "word\n\n" * 900} for name in ("s3.md", "ec2.md", "sqs.md")]
    write_rows(tmp_path / "awsdocs" / "corpus_core.jsonl.gz", documents)
    awsdocs = load_awsdocs(tmp_path, others=1)
    units = {passage.unit for passage in awsdocs.passages}
    assert "s3.md" in units
    assert len(units) == 2
    assert len({passage.id for passage in awsdocs.passages}) == len(awsdocs.passages) > 2
    assert awsdocs.note == "core guides, 2 of 3 documents, seed 20260"


def test_paraphrases_linked_by_any_pair_form_one_group(tmp_path: Path) -> None:
    pairs = [("B?", "One."), ("A?", "One. "), ("A?", "Uno."), ("C?", "Two.")]
    write_rows(tmp_path / "eda_corpus" / "qa.jsonl", [{"question": q, "answer": a} for q, a in pairs])
    eda = load_eda(tmp_path)
    by_text = {question.text: question for question in eda.questions}
    assert [passage.text for passage in eda.passages] == ["One.", "Uno.", "Two."]
    assert by_text["A?"].relevant == {"a0", "a1"}
    assert by_text["B?"].relevant == {"a0"}
    assert by_text["A?"].group == by_text["B?"].group == "A?"
    assert by_text["C?"].group == "C?"


async def test_every_system_and_form_is_scored_and_stored_vectors_score_equally(engine: Engine, tmp_path: Path) -> None:
    write_mtrag(tmp_path / "data")
    govt = next(each for each in retrieval.benchmarks() if each.about.name == "mtrag-retrieval-govt")
    run = Run(data=tmp_path / "data", work=tmp_path / "work")
    first, again = [await measured(govt, engine, run) for _ in range(2)]
    assert first == again
    scores = {(each.system, each.metric, each.subset): each for each in govt.score(first, 7)}
    # A standalone question names its topic, which only one passage contains.
    assert scores["BM25, gold rewrite", "nDCG@5", ""].value == 1.0
    assert scores["hybrid, gold rewrite", "Recall@5", ""].value == 1.0
    # "Where?" names no topic, so half of the last turns find nothing by their words.
    assert scores["BM25, last turn", "Recall@20", ""].value == 0.5
    assert scores["hybrid, last turn", "Recall@5", STANDALONE].n == len(first) / 2
    assert scores["hybrid, our rewrite", "Recall@5", NOT_STANDALONE].n == len(first) / 2
    assert ("hybrid+reranking, our rewrite", "MRR@20", "") in scores
    assert (govt.about.metric_system, govt.about.metric, govt.about.metric_subset) in scores


async def test_augmentation_is_scored_on_the_same_passages_with_and_without(engine: Engine, tmp_path: Path) -> None:
    write_mtrag(tmp_path / "data")
    (augmentation,) = document_augmentation.benchmarks()
    run = Run(data=tmp_path / "data", work=tmp_path / "work")
    outcomes = await measured(augmentation, engine, run)
    kinds = []
    for file in sorted((tmp_path / "work" / "libraries").iterdir()):
        database = open_database(f"sqlite:///{file}")
        with database.connect() as connection:
            kinds.append(set(connection.execute(select(chunks.c.kind)).scalars()))
        database.dispose()
    assert sorted(kinds, key=len) == [{"passage"}, {"passage", "section", "summary"}]
    scores = {(each.system, each.metric): each for each in augmentation.score(outcomes, 7)}
    assert scores[WITHOUT, "Recall@5"].value == 1.0
    gained = scores["", "Recall@5 gained"].value
    assert gained == pytest.approx(scores[WITH, "Recall@5"].value - scores[WITHOUT, "Recall@5"].value)


async def test_question_is_searched_alone_and_with_other_wordings_in_its_domain(engine: Engine, tmp_path: Path) -> None:
    write_mtrag(tmp_path, "govt")
    write_mtrag(tmp_path, "cloud")
    (expansion,) = query_expansion.benchmarks()
    run = Run(data=tmp_path, work=tmp_path / "work")
    assert {case.domain for case in expansion.load(run).cases} == {"govt", "cloud"}
    outcomes = await measured(expansion, engine, run)
    scores = {(each.system, each.metric, each.subset): each for each in expansion.score(outcomes, 7)}
    # There are only ten passages, so dense search returns all of them in its top hundred.
    assert scores["gold rewrite", "Recall@100", ""].value == 1.0
    assert scores["gold rewrite and other wordings", "Recall@100", "govt"].value == 1.0
    assert scores["our rewrite and other wordings", "Recall@50", ""].n == len(outcomes)
    assert {subset for _, _, subset in scores} == {"", "govt", "cloud"}
    assert any(outcome.trace["our rewrite and other wordings"] for outcome in outcomes)


def write_runs(data: Path) -> None:
    """Write ranked lists of three passages, with the right passage last."""
    (data / "mtrag" / "runs").mkdir(parents=True)
    for name in reranking.RUNS:
        lines = []
        for row in range(len(TOPICS)):
            found = ("other0-0-9", "other1-0-9", f"doc{row}-0-9")
            for turn in (1, 2):
                # Written worst first: the rank determines the order, not the line.
                for rank in (3, 2, 1):
                    lines.append(f"conversation{row}<::>{turn}\t{found[rank - 1]}\t{rank}\t{1 / rank}")
        path = data / "mtrag" / "runs" / f"{name}.rewrite.cloud.tsv.gz"
        path.write_bytes(gzip.compress("\n".join(lines).encode()))


async def test_published_rankings_are_scored_before_and_after_reranking(engine: Engine, tmp_path: Path) -> None:
    write_mtrag(tmp_path, "cloud")
    write_runs(tmp_path)
    (benchmark,) = reranking.benchmarks()
    run = Run(data=tmp_path, work=tmp_path / "work")
    outcomes = await measured(benchmark, engine, run)
    scores = {(each.system, each.metric): each.value for each in benchmark.score(outcomes, 7)}
    # The right passage is third of three: its gain is 1 / log2(4) of the best possible gain.
    assert scores["ELSER", "nDCG@5"] == pytest.approx(0.5)
    assert scores["ELSER", "Recall@1"] == 0.0
    assert scores["ELSER", "MRR"] == pytest.approx(1 / 3)
    # Only the right passage contains the words of its question; reranking keeps the same passages.
    assert scores["ELSER, reranked", "Recall@1"] == 1.0
    assert scores["ELSER, reranked", "Recall@5"] == scores["ELSER", "Recall@5"] == 1.0


ROWS = [
    {
        "QuAC_dialog_id": "d1",
        "Question_no": number,
        "History": ["Rhine", "Length", "How long is the Rhine?", "The Rhine is 1230 km long."][: 2 * number],
        "Question": asked,
        "Rewrite": alone,
    }
    for number, (asked, alone) in enumerate(
        [("How long is the Rhine?", "How long is the Rhine?"), ("Where does it rise?", "Where does the Rhine rise?")], 1
    )
]


async def test_unchanged_question_is_scored_next_to_our_rewrite(engine: Engine, tmp_path: Path) -> None:
    write_rows(tmp_path / "query_rewrite" / "canard_dev.jsonl.gz", ROWS)
    canard, _ = benchmarks()
    run = Run(data=tmp_path, work=tmp_path / "work")
    outcomes = await measured(canard, engine, run)
    scores = {(each.system, each.metric, each.subset): each for each in canard.score(outcomes, 7)}
    # "Where does it rise" has three of the five words of "Where does the Rhine rise".
    assert scores["as asked", "ROUGE-1 recall", "people changed it"].value == pytest.approx(3 / 5)
    assert scores["as asked", "exact match", ""].value == 0.5
    assert scores["our rewrite", "exact match", "people left it as it was"].value == 1.0
    assert (canard.about.metric_system, canard.about.metric, "") in scores
    assert outcomes[1].trace["ours"]


def test_history_is_split_into_turns(tmp_path: Path) -> None:
    write_rows(tmp_path / "query_rewrite" / "canard_dev.jsonl.gz", ROWS)
    _, second = canard_questions(tmp_path)
    assert [turn.role for turn in second.history] == ["user", "assistant", "user", "assistant"]
    assert second.history[2].text == "How long is the Rhine?"
    write_mtrag(tmp_path)
    tasks = mtrag_questions(tmp_path)
    # First turns have no history to rewrite from.
    scored = [row for row in range(len(TOPICS)) if half("mtrag", f"conversation{row}") == "score"]
    assert 0 < len(scored) < len(TOPICS)
    assert [(each.group, each.question, each.rewrite) for each in tasks] == [
        (f"conversation{row}", "Where?", f"Where is {TOPICS[row]}?") for row in scored
    ]
