"""Test cases: their file, how an answer is scored, by cases worked out by hand, and the report with its gate."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from contracts.answer import Answer, Citation
from contracts.errors import InvalidInput, NotFound
from contracts.jargon import Mention, Reading, Sense
from contracts.text import Span
from evaluation.case_file import append_cases, change_case, read_cases
from evaluation.case_report import CaseOutcome, CaseReport, find_falls, read_report, wilson
from evaluation.quiz import QuizQuestion, score


def _case(name: str, **more: object) -> dict[str, object]:
    return {"id": name, "question": "Why?", "kind": "open", "expect": "answered", "answer": "so", **more}


def test_missing_file_is_empty_and_accepts_cases(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    assert read_cases(path) == ()
    append_cases(path, [_case("a", accepted=False), _case("b", mine="own field")])
    first, second = read_cases(path)
    assert (first.case.id, first.number, first.waits) == ("a", 1, True)
    assert (second.case.id, second.number, second.waits) == ("b", 2, False)
    assert second.fields["mine"] == "own field"
    assert [each.name for each in tmp_path.iterdir()] == ["cases.jsonl"]


def test_existing_lines_stay_byte_for_byte(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    # No line break at the end, Windows line endings, unusual spacing, a line separator within a string.
    odd = json.dumps(_case("c", answer="one\u2028two"), ensure_ascii=False).encode()
    own = b'{ "id":"a", "question":"W\\u0068y?","kind":"k","expect":"declined" }\r\n\r\n' + odd
    path.write_bytes(own)
    append_cases(path, [_case("d")])
    assert path.read_bytes().startswith(own + b"\n")
    change_case(path, "d", {"accepted": False})
    change_case(path, "c", {"answer": "zwölf"})
    lines = path.read_bytes().split(b"\n")
    assert lines[:2] == own.split(b"\n")[:2]
    assert [each.case.answer for each in read_cases(path)] == ["", "zwölf", "so"]
    change_case(path, "a", {"accepted": False})
    assert path.read_bytes().split(b"\n")[0].endswith(b"}\r")


def test_a_broken_line_is_named(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for line, why in [
        (b"{", "line 3 is not JSON"),
        (b"[]", "line 3, line"),
        (b"\xff\xfe", "line 3 is not JSON"),
        (b'{"id": "x"}', "line 3, question"),
        (json.dumps(_case("a")).encode(), 'line 3, id: "a" is also the id of line 1'),
        (json.dumps(_case("x", choices=["p", "q"])).encode(), "not among the choices"),
    ]:
        with subtests.test(line=line):
            path = tmp_path / "cases.jsonl"
            path.write_bytes(json.dumps(_case("a")).encode() + b"\n\n" + line + b"\n")
            with pytest.raises(InvalidInput, match=r"cases\.jsonl") as caught:
                read_cases(path)
            assert why in str(caught.value)


def test_invalid_change_leaves_the_file_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    append_cases(path, [_case("a")])
    before = path.read_bytes()
    with pytest.raises(InvalidInput, match="expect"):
        change_case(path, "a", {"expect": "perhaps"})
    with pytest.raises(NotFound, match='no case "b"'):
        change_case(path, "b", {"accepted": True})
    assert path.read_bytes() == before


def test_symbolic_link_and_permissions_are_kept(tmp_path: Path) -> None:
    path, link = tmp_path / "cases.jsonl", tmp_path / "link.jsonl"
    append_cases(path, [_case("a")])
    path.chmod(0o640)
    link.symlink_to(path)
    change_case(link, "a", {"accepted": False})
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert not read_cases(path)[0].case.accepted


OPEN = QuizQuestion(
    id="1", question="What is VPP?", kind="open", expect="answered", answer="2.5 V", accept=["2.5 volt"],
    document="bus.pdf", page=3, term="VPP", sense="Pump Voltage",
)  # fmt: skip
CHOICE = QuizQuestion(
    id="2", question="Which?", kind="multiple_choice", expect="answered", choices=["48 V", "5 V"], answer="5 V",
    document="bus.pdf", page=3,
)  # fmt: skip
REFUSED = QuizQuestion(id="3", question="Why?", kind="unanswerable", expect="declined")


def answer(text: str, *, outcome: str = "answered", page: int = 3, sense: str = "Pump Voltage") -> Answer:
    cited = Citation(
        number=1, document_id="d", document_name="bus.pdf", document_title="Bus", page=page, chunk_id="c", quote="q",
        passage_text="q",
    )  # fmt: skip
    reading = Reading(
        mention=Mention(text="VPP", span=Span(8, 11), term="VPP"),
        status="chosen",
        sense=Sense(id=1, term="VPP", extended_name=sense),
    )
    return Answer(outcome=outcome, text=text, question="", citations=(cited,), readings=(reading,))  # type: ignore[arg-type]


DAYS = OPEN.model_copy(update={"answer": "40", "accept": []})


def test_wording_option_and_outcome_decide_what_is_right(subtests: pytest.Subtests) -> None:
    for question, replied, right in [
        (OPEN, answer("VPP is 2.5 V [1]."), True),
        (OPEN, answer("It is **2.5 Volt** [1]."), True),
        (OPEN, answer("VPP is 12.5 V [1]."), False),
        (OPEN, answer("VPP is 1.8 V [25]."), False),
        (OPEN, answer(""), False),
        (OPEN, answer("2.5 V", outcome="declined"), False),
        (DAYS, answer("40 days."), True),
        (DAYS, answer("400 days."), False),
        (DAYS, answer("140 days."), False),
        (CHOICE, answer("b) 5 V [1]"), True),
        (CHOICE, answer("5 V."), True),
        (CHOICE, answer("a) 48 V, not 5 V"), False),
        (CHOICE, answer("It is 5 V or 48 V"), False),
        (REFUSED, answer("", outcome="declined"), True),
        (REFUSED, answer("", outcome="closest_passages"), True),
        (REFUSED, answer("", outcome="unknown_term"), False),
    ]:
        with subtests.test(question=question.question, text=replied.text, outcome=replied.outcome):
            assert (not {"outcome", "wording"} & set(score(question, replied, 1.0).differs)) is right


def test_citation_and_reading_are_scored_separately() -> None:
    result = score(OPEN, answer("2.5 V", page=4, sense="Program Pulse"), 1.0)
    assert result.differs == ("citation", "reading")


def report(*right: bool, recall: bool = True) -> CaseReport:
    outcomes = [
        CaseOutcome(
            case_id=f"c{number}", question="?", expected="answered", outcome="answered", differs=(), milliseconds=1.0,
            kind="open" if number % 2 else "table", hits={"right": hit, "recall": recall},
        )
        for number, hit in enumerate(right)
    ]  # fmt: skip
    return CaseReport(
        source="ours.jsonl", engine="embedded", model="m", revision="r", machine="2 cores", begun="", seconds=1.0,
        waiting=0, outcomes=tuple(outcomes),
    )  # fmt: skip


@settings(deadline=None)
@given(st.integers(1, 300), st.integers(0, 300))
def test_wilson_interval_matches_scipy(n: int, successes: int) -> None:
    successes = min(successes, n)
    theirs = binomtest(successes, n).proportion_ci(method="wilson")
    assert wilson(successes, n) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_right_answers_are_also_scored_by_kind() -> None:
    scores = {(each.metric, each.kind): each.value for each in report(True, True, False, True).scores}
    assert scores == {("right", ""): 0.75, ("recall", ""): 1.0, ("right", "open"): 1.0, ("right", "table"): 0.5}


def test_gate_fails_only_for_a_significant_drop() -> None:
    all_right = report(*[True] * 20)
    assert find_falls(all_right, all_right) == ()
    assert find_falls(report(*[False] * 3, *[True] * 17), all_right) == ()
    assert find_falls(report(*[False] * 4, *[True] * 16), all_right) == (
        "right: 20 → 16 of 20, worse (4 lost, 0 gained)",
    )
    mixed = report(*[False] * 4, *[True] * 16)
    assert find_falls(report(*[True] * 4, *[False] * 4, *[True] * 12), mixed) == ()
    assert find_falls(report(*[True] * 20, recall=False), all_right)[0].startswith("recall: 20 → 0 of 20")
    (reason,) = find_falls(report(*[True] * 19), all_right)
    assert "different cases were measured (19 cases, 20 in the baseline)" in reason


def test_report_round_trip_keeps_all_fields(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    made = report(True, False)
    path.write_text(made.model_dump_json())
    assert read_report(path) == made
    path.write_text('{"benchmarks": []}')
    for wrong in (path, tmp_path / "none.json"):
        with pytest.raises(InvalidInput, match=wrong.name):
            read_report(wrong)
