"""Training cases from passages, public sets, records and files: they are hard, and no benchmark scores them."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from contracts.errors import InvalidInput
from contracts.text import Passage
from golden_lab.benchmarks.registry import load_benchmarks
from golden_lab.cli import app as lab
from golden_lab.datasets.files import read_jsonl
from golden_lab.results import SplitUse
from golden_lab.splits import half, overlap
from golden_lab.training.data.examples import read_examples
from golden_lab.training.data.questions import PassageQuestion, PassageSource
from golden_lab.training.judgements.cases import AnswerabilityCase, CasePassage, FaithfulnessCase, RelevanceCase
from golden_lab.training.judgements.forms import CASE_FORMS
from golden_lab.training.judgements.from_passages import cases_of_passages
from golden_lab.wiring.training_cases import SQUAD, cases_of_sets, refuse_scored
from lab.tests.benchmarks import annotated_sets as sets
from lab.tests.benchmarks.annotated_sets import write_rows
from lab.tests.training.cross_encoder.samples import write_sets
from tests.golden_retriever.commands import Commands
from tests.hashing_embedder import HashingEmbedder

PUMPS = tuple(
    PassageQuestion(
        id=f"p{number}",
        passage=f"The P-{number}00 pump is blue. It runs at {12 * number} V.",
        question=f"At which voltage does the P-{number}00 pump run?",
        answer=f"It runs at {12 * number} V.",
        source=PassageSource(document=f"pump-{number}.md", page=1, last_page=1),
        model="house-model",
        answerability=0.9,
    )
    for number in range(1, 7)
)


async def search(question: str, number: int) -> Sequence[CasePassage]:
    return [CasePassage(text=row.passage, page=1) for n, row in enumerate(PUMPS) if n != number]


async def gate(question: str, passages: Sequence[Passage]) -> float:
    """Judge that the question about a pump is answered only by its own passage; be unsure about the sixth pump."""
    name = question.split()[5]
    return 0.9 if any(name in each.text for each in passages) else 0.5 if name == "P-600" else 0.1


async def test_answerability_cases_have_equal_sizes_and_varying_positions() -> None:
    cases = list(await cases_of_passages("answerability", PUMPS, search, gate))
    assert all(isinstance(each, AnswerabilityCase) for each in cases)
    right = [each for each in cases if isinstance(each, AnswerabilityCase) and each.answerable]
    wrong = [each for each in cases if isinstance(each, AnswerabilityCase) and not each.answerable]
    # There is no negative case if the judge is not sure that nothing answers the question.
    assert (len(right), len(wrong)) == (6, 5)
    assert {len(each.passages) for each in (*right, *wrong)} == {4}
    own = {row.question: row.passage for row in PUMPS}
    assert len({[p.text for p in each.passages].index(own[each.question]) for each in right}) == 4
    assert not any(own[each.question] in [p.text for p in each.passages] for each in wrong)
    assert {each.group for each in cases} == {row.source.document for row in PUMPS}


async def test_passage_with_the_answer_is_never_a_negative_case() -> None:
    async def sure(question: str, passages: Sequence[Passage]) -> float:
        return 0.0

    doubled = (*PUMPS, PUMPS[0].model_copy(update={"id": "again", "passage": PUMPS[0].passage + " Always."}))

    async def near(question: str, number: int) -> Sequence[CasePassage]:
        return [CasePassage(text=row.passage, page=1) for n, row in enumerate(doubled) if n != number][::-1]

    cases = await cases_of_passages("context_relevance", doubled[:1], near, sure)
    wrong = [each.passage.text for each in cases if isinstance(each, RelevanceCase) and each.label == "irrelevant"]
    assert wrong
    assert not any("12 V" in text for text in wrong)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data sets in the published formats, with groups in every part."""
    folder = write_sets(tmp_path_factory.mktemp("sets"))
    sets.write_wice(folder)
    return folder


@pytest.mark.parametrize(
    "name",
    ["question_rewriting", "context_relevance", "answerability", "faithfulness", "citation"],
)
async def test_cases_contain_no_group_of_the_scored_half(name: str, data: Path) -> None:
    cases = await cases_of_sets(name, data, HashingEmbedder(), seed=1)
    assert cases
    assert cases == await cases_of_sets(name, data, HashingEmbedder(), seed=1)
    assert all(isinstance(each, CASE_FORMS[name].case) for each in cases)
    assert len({each.id for each in cases}) == len(cases)
    parts = [each.group.partition("/") for each in cases if each.source != SQUAD]
    learnt = {(set_name, group) for set_name, _, group in parts}
    assert learnt
    assert all(half(set_name, group) == "fit" for set_name, group in learnt)


async def test_reason_of_a_claim_does_not_reveal_its_label(data: Path) -> None:
    cases = await cases_of_sets("faithfulness", data, HashingEmbedder(), seed=1, articles=2)
    judged = [each.judged[0] for each in cases if isinstance(each, FaithfulnessCase)]
    assert {each.label for each in judged} == {"faithful", "unfaithful"}
    assert all(each.reason.startswith("The passages say: “") for each in judged)
    assert len({each.group for each in cases if each.source == SQUAD}) == 2


def test_no_benchmark_uses_a_data_set_used_entirely_for_training() -> None:
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


TRAIN = Commands("train", lab)
done, refused = TRAIN.output, partial(TRAIN.fails, InvalidInput)


def gate_case(number: int, question: str, **more: Any) -> dict[str, Any]:
    passage = {"text": "The P-200 pump runs at 48 V.", "title": "Pump"}
    return {"id": str(number), "question": question, "passages": [passage], "answerable": True, **more}


def test_cases_whose_reply_is_parsed_differently_are_left_out_and_named(tmp_path: Path) -> None:
    good, bad = gate_case(1, "At which voltage does the P-200 run?"), gate_case(2, "Which oil does the XR77 take?")
    cases, out = write_rows(tmp_path / "cases.jsonl", [good, bad]), tmp_path / "out.jsonl"
    output = TRAIN.succeeds("intrinsic", "answerability", cases, out).output
    assert "cases.jsonl, line 2: online, the reply is read as unanswerable, not as answerable" in output
    assert "1 of 2 cases left out" in output
    assert [each.id for each in read_examples(out)] == ["1"]
    nothing = write_rows(tmp_path / "bad.jsonl", [bad])
    assert "no case of answerability" in refused("intrinsic", "answerability", nothing, out)


def test_own_adapter_file_is_trained_with_its_own_prompt(tmp_path: Path) -> None:
    adapter = tmp_path / "gate.toml"
    adapter.write_text(
        'version = "1"\ndescription = "Ours."\nmodel = "gate"\nbase_model = "ibm-granite/granite-3.3-8b-instruct"\n'
        '[weights]\npath = "/srv/gate"\nrank = 8\n'
        '[prompt]\nconvention = "granite-3.3"\nrole = "gate"\ninstruction = "Answer yes or no."\ndocuments = "before"\n'
        '[reply]\nmax_tokens = 4\nlabels = { answerable = "yes", unanswerable = "no" }\n',
        "utf-8",
    )
    cases = write_rows(tmp_path / "cases.jsonl", [gate_case(1, "At which voltage does the P-200 run?")])
    out = tmp_path / "out.jsonl"
    done("intrinsic", "answerability", cases, out, "--adapter", adapter)
    (example,) = read_examples(out)
    assert example.completion == "yes"
    assert example.prompt.endswith("<|start_of_role|>gate: Answer yes or no.<|end_of_role|>")
    assert "in the same call as other intrinsics" in refused("intrinsic", "answerability", cases, out, "--messages")
    assert "not both" in refused("intrinsic", "answerability", cases, out, "--messages", "--adapter", adapter)


def test_passages_with_questions_become_training_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDEN_DATA_DIR", str(tmp_path / "data"))
    passages = write_rows(tmp_path / "passages.jsonl", (each.model_dump(mode="json") for each in PUMPS))
    for name in ("answerability", "context_relevance", "citation", "answer_generation"):
        cases, out = tmp_path / f"{name}.jsonl", tmp_path / f"{name}.examples.jsonl"
        done("cases", name, cases, "--passages", passages)
        done("intrinsic", name, cases, out)
        assert len(read_examples(out)) == len(list(read_jsonl(cases))) >= len(PUMPS)
    gate_cases = read_jsonl(tmp_path / "answerability.jsonl")
    assert {each["answerable"] for each in gate_cases} == {True, False}
    assert "either" in refused("cases", "citation", cases, "--passages", passages, "--data", tmp_path)
