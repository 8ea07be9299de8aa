"""Lists, code, questions and answers of real files as passages."""

from pathlib import Path

from tests.ingestion.reading_files import passages_of

FILLER = " ".join(f"Sentence {n} tells of the weather in the valley." for n in range(12))


def write_markdown(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "page.md"
    path.write_text(text)
    return path


def test_each_piece_of_a_list_keeps_the_sentence_that_leads_it_in(tmp_path: Path) -> None:
    items = "\n".join(f"{n}. turn the handle slowly to mark {n} and wait" for n in range(1, 80))
    found = passages_of(write_markdown(tmp_path, f"{FILLER} To drain the tank, do these in order:\n\n{items}\n"))
    lists = [chunk for chunk in found if "turn the handle" in chunk.text]
    assert len(lists) > 2
    assert all("do these in order:\n" in chunk.text for chunk in lists)
    assert all(chunk.text.startswith("To drain the tank, do these in order:\n") for chunk in lists[1:])
    steps = [line for chunk in lists for line in chunk.text.split("\n") if "turn the handle" in line]
    assert steps == items.split("\n")


def test_nested_items_keep_the_items_above_them(tmp_path: Path) -> None:
    lines = []
    for machine in ("press", "kiln"):
        lines.append(f"- the {machine}")
        for part in range(3):
            lines.append(f"  - part {part}")
            lines += [f"    - check {n} of the {machine} takes a minute" for n in range(12)]
    found = passages_of(write_markdown(tmp_path, "Check:\n\n" + "\n".join(lines) + "\n"), tokens=120)
    assert len(found) > 5
    for chunk in found:
        shown = chunk.text.split("\n")
        first = next(line for line in shown if "check" in line)
        machine = first.split(" of the ")[1].split()[0]
        above = shown[: shown.index(first)]
        assert above[0] == "Check:"
        assert above[-1].startswith("  - part")
        assert [line for line in above if line.startswith("- ")][-1] == f"- the {machine}"
    assert [line for chunk in found for line in chunk.text.split("\n") if "check" in line] == [
        line for line in lines if "check" in line
    ]


def test_the_rest_of_a_long_step_keeps_its_number(tmp_path: Path) -> None:
    long = " ".join(f"Look at gauge {n} until it stands still." for n in range(60))
    found = passages_of(write_markdown(tmp_path, f"Do this:\n\n1. Open the inlet.\n2. {long}\n3. Close it.\n"))
    pieces = [chunk for chunk in found if "gauge" in chunk.text]
    assert len(pieces) > 1
    assert all(chunk.text.startswith("Do this:\n") for chunk in found)
    assert all("\n2. Look at gauge 0" in chunk.text for chunk in pieces)


def test_code_is_cut_at_line_ends_and_keeps_its_lead_in(tmp_path: Path) -> None:
    lines = [f"    set_register(0x{n:04x}, value_of({n}))" for n in range(120)]
    found = passages_of(write_markdown(tmp_path, "Run this script:\n\n```\n" + "\n".join(lines) + "\n```\n"))
    assert len(found) > 2
    assert all(chunk.text.startswith("Run this script:\n") for chunk in found)
    assert [line for chunk in found for line in chunk.text.split("\n") if "set_register" in line] == lines


def test_a_question_stays_with_its_answer(tmp_path: Path) -> None:
    pairs = [f"How is machine {n} started?\n\nPress key {n} for {n + 2} seconds, then wait." for n in range(40)]
    found = passages_of(write_markdown(tmp_path, "\n\n".join(pairs) + "\n"))
    assert len(found) > 2
    for n in range(40):
        pair = f"How is machine {n} started?\n\nPress key {n} for {n + 2} seconds, then wait."
        assert any(pair in chunk.text for chunk in found)
