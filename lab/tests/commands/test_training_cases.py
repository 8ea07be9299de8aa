"""``golden-lab train cases`` and ``intrinsic``: from a bot's own records and from a file to training lines."""

import asyncio
import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from contracts.errors import InvalidInput
from contracts.question import LOCAL_ACCOUNT, Asker
from golden_lab.cli import app as lab
from golden_lab.training.data.examples import read_examples
from golden_lab.training.judgements.from_records import NOT_OF_RECORDS
from golden_retriever.cli import app
from golden_retriever.settings import load_settings
from golden_retriever.wiring import open_library
from golden_retriever.wiring.application import open_application
from lab.tests.training.judgements.test_from_passages import PUMPS
from library.records.cases import CaseStore
from library.records.feedback import FeedbackStore
from library.records.reviewing import ReviewStore
from tests.golden_retriever.commands import Commands

TRAIN = Commands("train", lab)
done, refused = TRAIN.told, partial(TRAIN.fails, InvalidInput)

PUMP = "# Pump P-200\n\nThe P-200 pump runs at 48 V. Its bearing is greased every 500 hours.\n"
SITE = "# Site\n\nThe canteen opens at 11:30 and closes at 14:00. Visitors sign in at the gate.\n"
ME = Asker(account=LOCAL_ACCOUNT)


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def gate_case(number: int, question: str, **more: Any) -> dict[str, Any]:
    passage = {"text": "The P-200 pump runs at 48 V.", "title": "Pump"}
    return {"id": str(number), "question": question, "passages": [passage], "answerable": True, **more}


def written(path: Path, *cases: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in cases), "utf-8")
    return path


def test_a_file_of_cases_becomes_the_same_bytes_each_time(tmp_path: Path) -> None:
    cases = written(
        tmp_path / "cases.jsonl", gate_case(1, "At which voltage does the P-200 run?"), gate_case(2, "Who made it?")
    )
    first, again, other = (tmp_path / f"{name}.jsonl" for name in ("first", "again", "other"))
    done("intrinsic", "answerability", cases, first)
    done("intrinsic", "answerability", cases, again)
    done("intrinsic", "answerability", cases, other, "--seed", "1")
    assert first.read_bytes() == again.read_bytes() != other.read_bytes()
    assert [each.completion for each in read_examples(first)] == ["answerable", "answerable"]


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (gate_case(2, "Why?", answerable="maybe"), "line 2: answerable"),
        (gate_case(2, "Why?", anwser=1), "line 2: anwser: Extra"),
        (gate_case(1, "Why?"), "line 2: the id 1 is that of line 1"),
        (gate_case(2, "Which oil does the XR77 take?"), "line 2: online it is declined"),
        (gate_case(2, "Why?", passages=[]), "line 2: passages"),
    ],
)
def test_a_bad_case_is_refused_by_its_line(tmp_path: Path, bad: dict[str, Any], said: str) -> None:
    cases = written(tmp_path / "cases.jsonl", gate_case(1, "At which voltage does the P-200 run?"), bad)
    assert f"cases.jsonl, {said}" in refused("intrinsic", "answerability", cases, tmp_path / "out.jsonl")
    assert not (tmp_path / "out.jsonl").exists()


def test_refused_cases_are_left_out_where_that_is_asked_for(tmp_path: Path) -> None:
    good, bad = gate_case(1, "At which voltage does the P-200 run?"), gate_case(2, "Which oil does the XR77 take?")
    cases, out = written(tmp_path / "cases.jsonl", good, bad), tmp_path / "out.jsonl"
    assert "1 of 2 cases left out" in TRAIN.succeeds("intrinsic", "answerability", cases, out, "--leave-out").output
    assert [each.id for each in read_examples(out)] == ["1"]
    nothing = written(tmp_path / "bad.jsonl", bad)
    assert "no case of answerability" in refused("intrinsic", "answerability", nothing, out, "--leave-out")


def test_an_adapter_file_of_ones_own_is_trained_on_its_own_words(tmp_path: Path) -> None:
    adapter = tmp_path / "gate.toml"
    adapter.write_text(
        'version = "1"\ndescription = "Ours."\nmodel = "gate"\nbase_model = "ibm-granite/granite-3.3-8b-instruct"\n'
        '[weights]\npath = "/srv/gate"\nrank = 8\n'
        '[prompt]\nconvention = "granite-3.3"\nrole = "gate"\ninstruction = "Answer yes or no."\ndocuments = "before"\n'
        '[reply]\nmax_tokens = 4\nlabels = { answerable = "yes", unanswerable = "no" }\n',
        "utf-8",
    )
    cases = written(tmp_path / "cases.jsonl", gate_case(1, "At which voltage does the P-200 run?"))
    out = tmp_path / "out.jsonl"
    done("intrinsic", "answerability", cases, out, "--adapter", adapter)
    (example,) = read_examples(out)
    assert example.completion == "yes"
    assert example.prompt.endswith("<|start_of_role|>gate: Answer yes or no.<|end_of_role|>")
    done("intrinsic", "answerability", cases, out, "--messages")
    assert read_examples(out)[0].messages
    assert "not both" in refused("intrinsic", "answerability", cases, out, "--messages", "--adapter", adapter)


def test_what_no_source_says_is_refused_with_the_reason(tmp_path: Path) -> None:
    for name, reason in NOT_OF_RECORDS.items():
        assert reason in refused("cases", name, tmp_path / "out.jsonl")
    assert "no adapter is trained for 'refinement'" in refused("cases", "refinement", tmp_path / "out.jsonl")


@pytest.mark.slow
def test_what_people_praised_and_reviewers_expect_becomes_training_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOLDEN_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("GOLDEN_WORKERS", "1")
    (tmp_path / "pump.md").write_text(PUMP, "utf-8")
    (tmp_path / "site.md").write_text(SITE, "utf-8")
    ingested = CliRunner().invoke(app, ["ingest", str(tmp_path / "pump.md"), str(tmp_path / "site.md")])
    assert ingested.exit_code == 0, ingested.output
    first, follow_up = asyncio.run(_ask())
    settings = load_settings()
    with open_library(settings) as library:
        review = ReviewStore(library.engine)
        for turn in (first, follow_up):
            FeedbackStore(library.engine).give(LOCAL_ACCOUNT, turn, "up")
        kept = review.find(None, first)
        CaseStore(library.engine).make(kept, {"question": "Who built the gate?", "expect": "declined"}, who="Eve")
    for name in ("answerability", "citation", "answer_generation", "question_rewriting"):
        cases, out = tmp_path / f"{name}.jsonl", tmp_path / f"{name}.examples.jsonl"
        done("cases", name, cases)
        done("intrinsic", name, cases, out)
        assert read_examples(out)
    made = {each["id"]: each["answerable"] for each in rows(tmp_path / "answerability.jsonl")}
    assert made[first] is True
    assert sorted(made.values()) == [False, True, True]
    (rewritten,) = rows(tmp_path / "question_rewriting.jsonl")
    assert (rewritten["id"], rewritten["history"][0]["text"]) == (
        follow_up,
        "At which voltage does the P-200 pump run?",
    )
    # A document that not everybody may read is not learnt from without being asked for.
    moved = CliRunner().invoke(app, ["ingest", str(tmp_path / "site.md"), "--group", "board"])
    assert moved.exit_code == 0, moved.output
    assert "board only" in refused("cases", "citation", tmp_path / "none.jsonl")
    done("cases", "citation", tmp_path / "all.jsonl", "--all-groups")


async def _ask() -> tuple[str, str]:
    async with open_application(load_settings(), one_shot=True) as application:
        bot = application.chatbot
        first = await bot.ask("At which voltage does the P-200 pump run?", conversation_id="one", asker=ME)
        second = await bot.ask("And how often is its bearing greased?", conversation_id="one", asker=ME)
        assert (first.outcome, second.outcome) == ("answered", "answered")
        return first.turn_id, second.turn_id


@pytest.mark.slow
def test_passages_with_questions_become_training_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDEN_DATA_DIR", str(tmp_path / "data"))
    passages = tmp_path / "passages.jsonl"
    passages.write_text("".join(f"{each.model_dump_json()}\n" for each in PUMPS), "utf-8")
    for name in ("answerability", "context_relevance", "passage_reranking", "citation"):
        cases, out = tmp_path / f"{name}.jsonl", tmp_path / f"{name}.examples.jsonl"
        done("cases", name, cases, "--passages", passages)
        done("intrinsic", name, cases, out)
        assert len(read_examples(out)) == len(rows(cases)) >= len(PUMPS)
    gate = rows(tmp_path / "answerability.jsonl")
    assert {each["answerable"] for each in gate} == {True, False}
    assert "every answer is faithful" in refused("cases", "faithfulness", cases, "--passages", passages)
    assert "not both" in refused("cases", "citation", cases, "--passages", passages, "--data", tmp_path)
