"""Collections on files that the test writes, in the formats of the public ones."""

from pathlib import Path

from golden_lab.datasets.corpora import load_awsdocs, load_eda, load_mtrag
from golden_lab.splits import half
from lab.tests.benchmarks.measure import write_rows

TOPICS = ("wildfire smoke", "ground water", "tax refund", "passport renewal", "flood shelter", "jury duty")


def write_mtrag(data: Path, domain: str = "govt") -> None:
    """Write six conversations of two turns; the second is "Where?", made standalone by people."""
    folder = data / "mtrag" / "retrieval" / domain
    passages = [{"_id": f"doc{row}-0-9", "text": f"All about {topic}, item {row}."} for row, topic in enumerate(TOPICS)]
    passages += [{"_id": f"other{row}-0-9", "text": f"Paper number {row} on bees."} for row in range(4)]
    write_rows(folder / "corpus_pooled.jsonl.gz", passages)
    tasks, last, rewritten, judged = [], [], [], ["query-id\tcorpus-id\tscore"]
    for row, topic in enumerate(TOPICS):
        first = f"Tell me of {topic}"
        for turn, (asked, alone) in enumerate(((first, first), ("Where?", f"Where is {topic}?")), start=1):
            id_ = f"conversation{row}<::>{turn}"
            history = (
                [{"speaker": "user", "text": first}, {"speaker": "agent", "text": "It is so."}] if turn == 2 else []
            )
            turns = [*history, {"speaker": "user", "text": asked}]
            tasks.append({"task_id": id_, "input": turns, "rewrite_query": f"|user|: {alone}"})
            last.append({"_id": id_, "text": f"|user|: {asked}"})
            rewritten.append({"_id": id_, "text": f"|user|: {alone}"})
            judged.append(f"{id_}\tdoc{row}-0-9\t1")
    judged.append("unasked<::>1\tother0-0-9\t0")
    write_rows(data / "mtrag" / "tasks.jsonl.gz", tasks)
    write_rows(folder / "lastturn.jsonl", last)
    write_rows(folder / "rewrite.jsonl", rewritten)
    (folder / "qrels.tsv").write_text("\n".join(judged))


def test_turns_have_their_history_and_what_answers_them(tmp_path: Path) -> None:
    write_mtrag(tmp_path)
    govt = load_mtrag(tmp_path, "govt", others=1)
    first, second, *_ = govt.questions
    assert (first.last_turn, first.text, first.history) == ("Tell me of wildfire smoke",) * 2 + ((),)
    assert (second.last_turn, second.text) == ("Where?", "Where is wildfire smoke?")
    assert [(turn.role, turn.text) for turn in second.history] == [("user", first.text), ("assistant", "It is so.")]
    assert second.relevant == {"doc0-0-9"}
    assert first.group == second.group == "conversation0"
    # Six passages answer something, of the other four one is kept.
    assert len(govt.passages) == 7
    assert govt.note == "pooled corpus, 7 of 10 passages, seed 20260"
    assert load_mtrag(tmp_path, "govt").note == "pooled corpus, all 10 passages"


def test_the_halves_share_no_conversation_and_lose_no_question(tmp_path: Path) -> None:
    write_mtrag(tmp_path)
    govt = load_mtrag(tmp_path, "govt")
    fit, scored = govt.part("fit"), govt.part("score")
    assert len(fit.questions) + len(scored.questions) == len(govt.questions) == 12
    assert all(half("mtrag", each.group) == "score" for each in scored.questions)
    assert all(half("mtrag", each.group) == "fit" for each in fit.questions)
    assert fit.passages == scored.passages == govt.passages


def test_a_document_is_cut_into_passages_and_judged_as_one(tmp_path: Path) -> None:
    write_rows(tmp_path / "awsdocs" / "qa.jsonl", [{"id": "a1", "question": "What is S3?", "doc_id": "s3.md"}])
    documents = [{"id": name, "title": name, "text": "word\n\n" * 900} for name in ("s3.md", "ec2.md", "sqs.md")]
    write_rows(tmp_path / "awsdocs" / "corpus_core.jsonl.gz", documents)
    awsdocs = load_awsdocs(tmp_path, others=1)
    units = {passage.unit for passage in awsdocs.passages}
    assert "s3.md" in units
    assert len(units) == 2
    assert len({passage.id for passage in awsdocs.passages}) == len(awsdocs.passages) > 2
    assert awsdocs.note == "core guides, 2 of 3 documents, seed 20260"


def test_paraphrases_that_any_pair_links_are_one_group(tmp_path: Path) -> None:
    pairs = [("B?", "One."), ("A?", "One. "), ("A?", "Uno."), ("C?", "Two.")]
    write_rows(tmp_path / "eda_corpus" / "qa.jsonl", [{"question": q, "answer": a} for q, a in pairs])
    eda = load_eda(tmp_path)
    by_text = {question.text: question for question in eda.questions}
    assert [passage.text for passage in eda.passages] == ["One.", "Uno.", "Two."]
    assert by_text["A?"].relevant == {"a0", "a1"}
    assert by_text["B?"].relevant == {"a0"}
    assert by_text["A?"].group == by_text["B?"].group == "A?"
    assert by_text["C?"].group == "C?"
