"""Cases of public sets hold nothing that a benchmark's half scores."""

from pathlib import Path

import pytest

from contracts.errors import InvalidInput
from golden_lab.benchmarks.registry import load_benchmarks
from golden_lab.results import SplitUse
from golden_lab.splits import half, overlap
from golden_lab.training.judgements.cases import AnswerabilityCase, FaithfulnessCase
from golden_lab.training.judgements.forms import CASE_FORMS
from golden_lab.wiring.training_cases import SQUAD, cases_of_sets, refuse_scored
from lab.tests.benchmarks import annotated_sets as sets
from lab.tests.training.cross_encoder.made_data import write_sets
from tests.hashing_embedder import HashingEmbedder


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sets of the published form, with groups of every part."""
    folder = write_sets(tmp_path_factory.mktemp("sets"))
    sets.write_wice(folder)
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
    assert learnt
    assert all(half(set_name, group) == "fit" for set_name, group in learnt)


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
