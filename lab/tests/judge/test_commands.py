"""``golden-lab judge`` from its files to its words, over a scripted chat model and the embedded engine."""

import json
from collections.abc import Sequence
from pathlib import Path

from click.testing import Result
from typer.testing import CliRunner

from golden_lab.cli.judging import app
from golden_lab.judge.grades import GoldItem
from golden_lab.judge.judges import judge_agreement
from lab.tests.experiments.samples import engine_with
from tests.scripted_chat import ScriptedChatModel
from tools.chat.base import ChatRequest


def write(path: Path, items: Sequence[GoldItem]) -> None:
    path.write_text("".join(item.model_dump_json() + "\n" for item in items), encoding="utf-8")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def gold(at: int, score: int) -> GoldItem:
    return GoldItem(
        id=f"g{at}", question=f"Question {at}?", passage="P.", answer=f"Answer {at} worth {score}.", relevance=score,
        faithfulness=score, completeness=score, explanation=f"It is worth {score}.",
    )  # fmt: skip


def learns(request: ChatRequest) -> str:
    """Without examples, give everything 4; with them, the grade that the answer says it is worth."""
    worth = int(request.messages[-1].content.split(" worth ")[1][0])
    return json.dumps({"explanation": "e", "score": worth if len(request.messages) > 2 else 4})


async def test_a_judge_is_calibrated_and_what_it_was_shown_does_not_count() -> None:
    items = [gold(at, score) for at, score in enumerate((1, 2, 3, 4, 5, 1, 2, 3, 4, 5))]
    plain, calibrated = await judge_agreement(engine_with(ScriptedChatModel(learns)), items, 2, seed=1)
    # Off most were the two answers worth 1: they are examples under each criterion.
    assert plain.examples == calibrated.examples == ("g0", "g1") or calibrated.examples == ("g0", "g5")
    assert [row.n for row in calibrated.rows] == [8] * 4
    assert all(row.exact.value == 1 and row.strong for row in calibrated.rows)
    assert all(row.spearman is None for row in plain.rows)
    assert "no examples" in plain.judge
    assert "2 examples" in calibrated.judge


def test_agreement_grade_and_compare_with_the_embedded_engine(tmp_path: Path) -> None:
    good, bad = "The pump needs 12 V.", "Fishermen painted the harbour green."
    question, passage = "Which voltage does the pump need?", "The pump needs 12 V. It is red."
    scored = [
        GoldItem(id=str(at), question=question, passage=passage, answer=answer, relevance=score, faithfulness=score,
                 completeness=score)
        for at, (answer, score) in enumerate(((good, 5), (bad, 1), ("It needs 12 V.", 5)))
    ]  # fmt: skip
    gold_file, ours, theirs = (tmp_path / name for name in ("gold.jsonl", "ours.jsonl", "theirs.jsonl"))
    write(gold_file, scored)
    write(ours, [GoldItem(id="1", question=question, passage=passage, answer=good)])
    write(theirs, [GoldItem(id="1", question=question, passage=passage, answer=bad)])
    agreement = run("agreement", str(gold_file), "--json")
    assert agreement.exit_code == 0, agreement.output
    (report,) = json.loads(agreement.stdout)
    assert [row["criterion"] for row in report["rows"]] == ["relevance", "faithfulness", "completeness", "weighted"]
    assert report["rows"][3]["spearman"]["value"] > 0.5
    graded = run("grade", str(ours), "--json")
    assert json.loads(graded.stdout)[0]["weighted"] > 4
    compared = run("compare", str(ours), str(theirs))
    assert "ours against theirs: 1 won, 0 tied, 0 lost of 1 questions" in compared.stdout
