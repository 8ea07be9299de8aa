"""What is read from the public sets: which rows, which half, which truth, and where sentences stand."""

from pathlib import Path

import pytest

from contracts.errors import InvalidInput
from golden_lab.datasets.annotated import (
    begin_claims,
    excerpt,
    expertqa_claims,
    first_passage,
    mtrag_questions,
    plain_passages,
    ragtruth_answers,
    sentence_passages,
    squad2_questions,
    wice_attributions,
    wice_claims,
)
from lab.tests.benchmarks import annotated_sets as sets


def test_questions_keep_the_names_that_their_sets_give_them(tmp_path: Path) -> None:
    sets.write_squad2(tmp_path)
    sets.write_mtrag(tmp_path)
    assert [(each.id, each.kind) for each in squad2_questions(tmp_path)] == [
        ("q0", "present"), ("q1", "present"), ("q2", "adversarial"), ("q3", "adversarial"),
    ]  # fmt: skip
    tasks = mtrag_questions(tmp_path)
    assert [each.id.split("<::>")[0] for each in tasks] == [each.group for each in tasks]
    assert [(each.kind, each.answerable, each.relevant) for each in tasks] == [
        ("answerable", True, (False, True)), ("unanswerable", False, (False,)), ("partial", True, (False, True)),
    ]  # fmt: skip


def test_only_the_scored_half_of_wice_is_read(tmp_path: Path) -> None:
    sets.write_wice(tmp_path)
    scored = sets.groups_of("wice", "score", 2)
    claims, attributions = wice_claims(tmp_path), wice_attributions(tmp_path)
    assert [(each.group, each.supported) for each in claims] == [(scored[0], True), (scored[1], False)]
    assert [each.id for each in attributions] == scored
    # Line 11 is the second sentence of the second passage of ten.
    assert attributions[0].annotations == (frozenset({(1, 1)}), frozenset({(0, 3), (1, 1)}))
    assert attributions[0].passages[1].sentence(1) == sets.FACT
    assert attributions[1].annotations == ()


def test_claims_without_a_text_as_evidence_are_left_out(tmp_path: Path) -> None:
    sets.write_expertqa(tmp_path)
    claims = expertqa_claims(tmp_path)
    assert [(each.id, each.label, each.supported) for each in claims] == [
        ("0", "Complete", True), ("1", "Incomplete", False),
    ]  # fmt: skip
    assert [[passage.text for passage in each.passages] for each in claims] == [[sets.FACT], [sets.FACT, sets.OTHER]]


def test_replies_in_conversation_and_answers_of_models(tmp_path: Path) -> None:
    sets.write_begin(tmp_path)
    sets.write_ragtruth(tmp_path)
    assert [(each.subset, each.supported) for each in begin_claims(tmp_path)] == [
        ("Wizard of Wikipedia", True), ("CMU-DoG", False), ("TopicalChat", False),
    ]  # fmt: skip
    true, invented = ragtruth_answers(tmp_path)
    assert (true.id, true.hallucinated, len(true.passages)) == ("true", (), 2)
    (span,) = invented.hallucinated
    assert invented.answer[span.start : span.end] == "It was dug by 47 giants in 1203."


def test_sentences_stand_where_their_passages_say() -> None:
    passages = sentence_passages("Rivers", [f"Sentence\n number {at}." for at in range(11)])
    assert [len(each.sentences) for each in passages] == [10, 1]
    assert passages[0].sentence(9) == "Sentence number 9."
    assert passages[1].sentence(0) == "Sentence number 10."
    assert passages[0].document_title == "Rivers"


def test_excerpts_are_short_and_whole_words() -> None:
    assert excerpt("one\n two") == "one two"
    assert excerpt("alpha beta gamma", 12) == "alpha beta …"
    assert first_passage(plain_passages(["first", " ", "second"]), (False, True)) == "second"
    assert first_passage(plain_passages(["first", "second"])) == "first"
    assert first_passage(()) == ""


def test_a_missing_set_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"ragtruth_qa/train\.jsonl\.gz is not there"):
        ragtruth_answers(tmp_path)
