"""What refinement costs a question, over a small folder of examples."""

import json
from pathlib import Path

import pytest

from golden_lab.run import Run
from golden_lab.speed.refinement import POLICIES, measure_refinement, render_refinement
from golden_lab.wiring.measuring import build_engine
from golden_retriever.settings import Settings
from tools.embedding.hashing import HashingEmbedder


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    folder = tmp_path / "examples"
    (folder / "documents").mkdir(parents=True)
    (folder / "documents" / "plant.md").write_text(
        "# Plant guide\n\nThe hoist in the north hall lifts 400 kg. It is greased every May by the mechanics.\n\n"
        "The canteen opens at 7:30 and closes at 14:00. On Fridays it serves fish.\n"
    )
    (folder / "dictionary.csv").write_text("term,extended_name,context,description\n")
    (folder / "contexts.csv").write_text("name,description\n")
    rows = [
        {"id": "1", "question": "How much does the hoist in the north hall lift?", "answer": "400 kg"},
        {"id": "2", "question": "When does the canteen open?", "answer": "7:30"},
    ]
    common = {"kind": "open", "expect": "answered", "document": "plant.md"}
    (folder / "quiz.jsonl").write_text("\n".join(json.dumps({**common, **row}) for row in rows))
    return folder


@pytest.mark.slow
async def test_each_policy_takes_its_replies(examples: Path, tmp_path: Path) -> None:
    engine = build_engine(Settings(), embedder=HashingEmbedder())
    cost = await measure_refinement(engine, Run(data=tmp_path, work=tmp_path / "work"), examples, rounds=2)
    by_name = {each["policy"]: each for each in cost["policies"]}
    assert list(by_name) == list(POLICIES)
    assert 1 <= cost["questions"] <= 2
    replies = {name: each["replies"] for name, each in by_name.items()}
    assert (replies["none"], replies["always"], replies["generic"], replies["self_refine"]) == (1, 2, 2, 3)
    for name in ("auto", "overlap"):
        assert replies[name] == 1 + by_name[name]["fired"]
    assert by_name["none"]["fired"] == 0
    assert all(each["review_ms"] <= each["question_ms"] for each in by_name.values())
    assert all(each["kept_rewrite"] <= each["fired"] for each in by_name.values())
    assert "the writer is simulated" in render_refinement(cost)
    assert json.loads(json.dumps(cost)) == cost
