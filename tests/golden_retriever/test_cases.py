"""``golden eval generate``, ``accept``, ``cases``: an organisation's own cases, over the example documents."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from agent.policy import Policy
from contracts.errors import InvalidInput
from tests.example_library import EXAMPLES
from tests.golden_retriever.chat_server import ChatServer, chatting
from tests.golden_retriever.commands import Commands

invoke, succeeds = Commands().invoke, Commands().succeeds
fails = partial(Commands().fails, InvalidInput)

pytestmark = pytest.mark.slow

DOCUMENTS = ("house-rules.md", "escalation.txt", "timing-parameters.xlsx", "software-tools.html")
# The reply for every passage: a passage that contains one of these answers gets the question.
QUESTIONS = (
    ("How long are raw test data kept?", "ten years"),
    ("Which form asks for a failure analysis?", "form F-17"),
    ("Where does the customer engineering team sit?", "building D"),
    ("How often are burn-in ovens maintained?", "every 12 weeks"),
    ("What is the extension of the failure analysis lab?", "ext. 4410"),
    ("Within how many minutes does the on-call engineer answer?", "15 minutes"),
    ("How long does an OTP stay valid?", "30 seconds"),
    ("How long does PLR take on the teaching drive?", "900 milliseconds"),
    ("In which format is a DLL file?", "Portable Executable"),
)


def generate(*arguments: object) -> None:
    """Draft cases on a chat server that knows ``QUESTIONS``."""
    questions = [{"question": question, "answer": answer} for question, answer in QUESTIONS]
    with chatting(ChatServer(questions=questions)) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("GOLDEN_LLM", f"{server.address}#house-model")
        patch.setenv("GOLDEN_ENGINES", "answerability=embedded,context_classification=embedded")
        succeeds("eval", "generate", *arguments)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A library of the example documents that need no OCR, with the examples' dictionary."""
    place = tmp_path_factory.mktemp("cases")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GOLDEN_DATA_DIR", str(place / "data"))
        patch.setenv("GOLDEN_WORKERS", "1")
        succeeds("ingest", *(EXAMPLES / "documents" / name for name in DOCUMENTS))
        succeeds("jargon", "import", EXAMPLES / "dictionary.csv", "--contexts", EXAMPLES / "contexts.csv")
        generate(place / "drafts.jsonl", "--count", "6", "--seed", "3")
        yield place


@pytest.fixture
def drafts(folder: Path, tmp_path: Path) -> Path:
    path = tmp_path / "cases.jsonl"
    path.write_bytes((folder / "drafts.jsonl").read_bytes())
    return path


def test_drafts_wait_for_acceptance_and_name_their_source(folder: Path) -> None:
    drafts = [json.loads(line) for line in (folder / "drafts.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(drafts) == 6
    assert len({each["id"] for each in drafts}) == 6
    assert len({each["document"] for each in drafts}) >= 3
    for each in drafts:
        assert each["accepted"] is False
        assert each["expect"] == "answered"
        assert each["document"] in DOCUMENTS
        assert each["page"] >= 1
        assert each["answer"] in " ".join(each["passage"].split())
        assert each["answer"].casefold() not in each["question"].casefold()
        assert each["kind"] in {"drafted", "hard"}
        assert each["answerability"] >= Policy.answerability_threshold
        assert each["drafted_by"] == "llm house-model"


def test_each_decision_changes_its_own_line_only(drafts: Path) -> None:
    # A line that a person wrote, with unusual formatting and an additional field.
    own = b'{"id":"own",  "question":"Who?", "kind":"open", "expect":"declined", "mine": 1, "accepted": false}'
    lines = drafts.read_bytes().splitlines()
    drafts.write_bytes(b"\n".join([*lines[:4], own, *lines[4:]]))
    typed = "a\nr\n?\ns\nx\n"
    shown = succeeds("eval", "accept", drafts, typed=typed)
    first = json.loads(lines[0])
    assert first["question"] in shown.stdout
    assert f"{first['document']}, page {first['page']}" in shown.stdout
    assert "1 accepted, 1 rejected, 5 wait" in shown.stdout
    after = drafts.read_bytes().split(b"\n")
    assert after[2:] == [*lines[2:4], own, *lines[4:]]
    assert json.loads(after[0]) == {**first, "accepted": True}
    assert json.loads(after[1]) == {**json.loads(lines[1]), "rejected": True}


def test_cases_that_cannot_be_measured_are_refused_with_the_reason(
    folder: Path, drafts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = drafts.with_name("missing.jsonl")
    assert "missing.jsonl. To draft one" in fails("eval", "cases", missing)
    assert "6 drafts are waiting: golden eval accept" in fails("eval", "cases", drafts)
    assert 'no document "nowhere.pdf"' in fails("eval", "generate", drafts, "--document", "nowhere.pdf")
    succeeds("eval", "accept", drafts, "--all")
    monkeypatch.setenv("GOLDEN_DATA_DIR", str(drafts.parent / "nothing"))
    assert "the library is empty" in fails("eval", "cases", drafts)


def test_gate_passes_for_the_same_library_and_fails_for_a_poorer_one(folder: Path, drafts: Path) -> None:
    succeeds("eval", "accept", drafts, "--all")
    out = drafts.parent / "results"
    measured = succeeds("eval", "cases", drafts, "--out", out)
    assert measured.stdout.splitlines()[2].split()[0] == "right"
    report = json.loads((out / "cases-cases-embedded.json").read_text())
    assert len(report["outcomes"]) == 6
    scores = {each["metric"]: each["value"] for each in report["scores"] if not each["kind"]}
    assert scores["right"] >= 0.6
    assert succeeds("eval", "quiz", drafts).stdout.splitlines()[1:] == measured.stdout.splitlines()[1:-1]

    baseline = drafts.parent / "baseline.json"
    baseline.write_text((out / "cases-cases-embedded.json").read_text())
    same = succeeds("eval", "cases", drafts, "--out", out, "--gate", baseline)
    assert "gate: open" in same.stderr

    for name in DOCUMENTS:
        succeeds("documents", "delete", EXAMPLES / "documents" / name)
    # Only one other document is left, so the bot can answer none of the questions.
    other = drafts.parent / "canteen.txt"
    other.write_text("The canteen opens at half past eleven and closes at two.\n")
    succeeds("ingest", other)
    worse = invoke("eval", "cases", drafts, "--out", out, "--gate", baseline)
    assert worse.exit_code == 1
    assert "gate: right: " in worse.stderr
    assert "gate: shut" in worse.stderr
