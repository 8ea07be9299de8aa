"""Cases of public sets hold nothing that a benchmark's half scores."""

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from contracts.errors import InvalidInput
from golden_lab.benchmarks.registry import load_benchmarks
from golden_lab.results import SplitUse
from golden_lab.splits import half, overlap
from golden_lab.training.judgements.cases import AnswerabilityCase, FaithfulnessCase
from golden_lab.training.judgements.forms import CASE_FORMS
from golden_lab.wiring.training_cases import SQUAD, cases_of_sets, refuse_scored
from tests.hashing_embedder import HashingEmbedder


def write(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sets of the published form: forty conversations, forty claims, four articles."""
    folder = tmp_path_factory.mktemp("sets")
    asked = [("user", "What does the pump need?"), ("agent", "It needs 48 V."), ("user", "And when is it greased?")]
    write(
        folder / "mtrag/tasks.jsonl.gz",
        (
            {
                "task_id": f"c{n}<::>2",
                "answerability": "ANSWERABLE" if n % 3 else "UNANSWERABLE",
                "input": [{"speaker": speaker, "text": text} for speaker, text in asked],
                "rewrite_query": "|user|: When is the pump greased?",
                "contexts": [
                    {"text": f"The pump is greased every {n} hours.", "title": "Pump", "relevant": "yes"},
                    {"text": "The canteen opens at noon.", "title": "Site", "relevant": "no"},
                ],
            }
            for n in range(40)
        ),
    )
    lines = ["The hall was built in 1990.", "It holds 400 seats.", "It was painted blue in 2004."]
    for name in ("oracle_chunks_claim_dev", "entailment_retrieval_claim_dev"):
        write(
            folder / f"wice/{name}.jsonl.gz",
            (
                {
                    "claim": "The hall holds 400 seats.",
                    "label": "supported" if n % 2 else "not_supported",
                    "evidence": lines if n % 2 else lines[::2],
                    "supporting_sentences": [[0, 1], [1]] if n % 2 else [],
                    "meta": {"id": f"w{n}", "claim_title": "Hall"},
                }
                for n in range(40)
            ),
        )
    write(
        folder / "squad2/train_v1.1_paragraphs.jsonl.gz",
        (
            {
                "title": f"Town_{n}",
                "para": para,
                "context": f"The town {n} has {100 * n + para} houses in part {para}. "
                f"Its oldest house was built in {1700 + 10 * n + para} and is open to visitors.",
                "qas": [{"q": f"How many houses has part {para} of town {n}?", "a": [str(100 * n + para)]}],
            }
            for n in range(1, 5)
            for para in range(3)
        ),
    )
    write(
        folder / "squad2/dev_v2.0_half.jsonl.gz",
        (
            {
                "id": f"q{n}",
                "title": f"River_{n}",
                "para": 0,
                "context": f"The river {n} is {n} km long.",
                "question": f"How {'long' if n % 2 else 'deep'} is the river {n}?",
                "answers": [f"{n} km"] if n % 2 else [],
                "is_impossible": n % 2 == 0,
            }
            for n in range(40)
        ),
    )
    return folder


@pytest.mark.parametrize(
    "name",
    ["question_rewriting", "context_relevance", "answerability", "faithfulness", "citation"],
)
async def test_no_group_of_a_scored_half_gets_in(name: str, data: Path) -> None:
    cases = await cases_of_sets(name, data, HashingEmbedder(), seed=1)
    assert cases
    assert cases == await cases_of_sets(name, data, HashingEmbedder(), seed=1)
    assert all(isinstance(each, CASE_FORMS[name].case) for each in cases)
    assert len({each.id for each in cases}) == len(cases)
    parts = [each.group.partition("/") for each in cases if each.source != SQUAD]
    learnt = {(set_name, group) for set_name, _, group in parts}
    signs = {"mtrag": "c", "wice": "w", "squad2": "River_"}
    held = {name: [f"{sign}{n}" for n in range(40)] for name, sign in signs.items()}
    of_sets = {set_name for set_name, _ in learnt}
    assert of_sets
    scored = {(each, group) for each in of_sets for group in held[each] if half(each, group) == "score"}
    assert scored
    assert not learnt & scored


async def test_the_reason_of_a_claim_does_not_tell_its_label(data: Path) -> None:
    cases = await cases_of_sets("faithfulness", data, HashingEmbedder(), seed=1, articles=2)
    judged = [each.judged[0] for each in cases if isinstance(each, FaithfulnessCase)]
    assert {each.label for each in judged} == {"faithful", "unfaithful"}
    assert all(each.reason.startswith("The passages say: “") for each in judged)
    assert len({each.group for each in cases if each.source == SQUAD}) == 2


def test_no_benchmark_scores_what_is_learnt_from_whole() -> None:
    uses = [use for each in load_benchmarks() for use in each.about.uses]
    assert not any(overlap(use, SplitUse(file=SQUAD)) for use in uses)
    assert not any(use.part == "fit" for use in uses)


def test_a_scored_group_is_refused_by_name() -> None:
    scored = next(f"c{n}" for n in range(100) if half("mtrag", f"c{n}") == "score")
    case = AnswerabilityCase.model_validate(
        {"id": "x", "group": f"mtrag/{scored}", "question": "Why?", "passages": [{"text": "So."}], "answerable": True}
    )
    with pytest.raises(InvalidInput, match=f"mtrag/{scored}, which is scored"):
        refuse_scored([case])
