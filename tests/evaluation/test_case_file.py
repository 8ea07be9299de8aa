"""The file of cases: one line changed, the others untouched; broken lines are named."""

import json
from pathlib import Path

import pytest

from contracts.errors import InvalidInput, NotFound
from evaluation.case_file import append_cases, change_case, read_cases


def _case(name: str, **more: object) -> dict[str, object]:
    return {"id": name, "question": "Why?", "kind": "open", "expect": "answered", "answer": "so", **more}


def test_a_file_that_is_not_there_holds_nothing_and_takes_cases(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    assert read_cases(path) == ()
    append_cases(path, [_case("a", accepted=False), _case("b", mine="own field")])
    first, second = read_cases(path)
    assert (first.case.id, first.number, first.waits) == ("a", 1, True)
    assert (second.case.id, second.number, second.waits) == ("b", 2, False)
    assert second.fields["mine"] == "own field"
    assert [each.name for each in tmp_path.iterdir()] == ["cases.jsonl"]


def test_what_is_there_stays_byte_for_byte(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    # No end of line at the end, Windows line ends, spaces of its own, a line separator within a string.
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


def test_no_case_is_made_unreadable(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    append_cases(path, [_case("a")])
    before = path.read_bytes()
    with pytest.raises(InvalidInput, match="expect"):
        change_case(path, "a", {"expect": "perhaps"})
    with pytest.raises(NotFound, match='no case "b"'):
        change_case(path, "b", {"accepted": True})
    assert path.read_bytes() == before


def test_a_link_stays_a_link_and_rights_stay(tmp_path: Path) -> None:
    path, link = tmp_path / "cases.jsonl", tmp_path / "link.jsonl"
    append_cases(path, [_case("a")])
    path.chmod(0o640)
    link.symlink_to(path)
    change_case(link, "a", {"accepted": False})
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert not read_cases(path)[0].case.accepted
