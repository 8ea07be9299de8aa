"""Lists, code, questions and answers of real files as passages."""

from pathlib import Path

from tests.ingestion.reading_files import passages_of, the_one_with

FILLER = " ".join(f"Sentence {n} tells of the weather in the valley." for n in range(12))


def write_markdown(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "page.md"
    path.write_text(text)
    return path


def test_a_list_that_fits_stays_whole_with_the_sentence_that_leads_it_in(tmp_path: Path) -> None:
    items = "\n".join(f"{n}. turn the handle slowly to mark {n} and wait" for n in range(1, 31))
    found = passages_of(write_markdown(tmp_path, f"{FILLER}\n\nTo drain the tank, do these in order:\n\n{items}\n"))
    assert the_one_with(found, "mark 30").text == f"To drain the tank, do these in order:\n\n{items}"


def test_each_piece_of_a_longer_list_stands_below_the_sentence_that_leads_it_in(tmp_path: Path) -> None:
    items = "\n".join(f"{n}. turn the handle slowly to mark {n} and wait" for n in range(1, 80))
    found = passages_of(write_markdown(tmp_path, f"{FILLER} To drain the tank, do these in order:\n\n{items}\n"))
    lists = [chunk for chunk in found if "turn the handle" in chunk.text]
    assert len(lists) > 2
    assert "do these in order:\n" in lists[0].text
    assert all(chunk.heading_path == ("To drain the tank, do these in order:",) for chunk in lists[1:])
    assert "\n".join(chunk.text for chunk in lists[1:]) in items
    steps = [line for chunk in lists for line in chunk.text.split("\n") if "turn the handle" in line]
    assert steps == items.split("\n")


def test_nested_items_stand_below_the_items_above_them(tmp_path: Path) -> None:
    lines = []
    for machine in ("press", "kiln"):
        lines.append(f"- the {machine}")
        for part in range(3):
            lines.append(f"  - part {part}")
            lines += [f"    - check {n} of part {part} of the {machine} takes a minute" for n in range(12)]
    found = passages_of(write_markdown(tmp_path, "Check:\n\n" + "\n".join(lines) + "\n"), tokens=120)
    assert len(found) > 5
    for chunk in found:
        shown = [*chunk.heading_path, *chunk.text.split("\n")]
        first = next(n for n, line in enumerate(shown) if "- check" in line)
        inner, outer = shown[first].removesuffix(" takes a minute").split(" of ")[1:]
        assert "Check:" in shown[:first]
        assert any(line.strip(" -") == outer for line in shown[:first])
        assert any(line.strip(" -") == inner for line in shown[:first])
    assert [line for chunk in found for line in chunk.text.split("\n") if "- " in line] == lines


def test_the_rest_of_a_long_step_stands_below_its_opening(tmp_path: Path) -> None:
    long = " ".join(f"Look at gauge {n} until it stands still." for n in range(60))
    found = passages_of(write_markdown(tmp_path, f"Do this:\n\n1. Open the inlet.\n2. {long}\n3. Close it.\n"))
    rest = [chunk for chunk in found[1:] if "gauge" in chunk.text]
    assert rest
    for chunk in rest:
        assert chunk.heading_path[0] == "Do this:"
        assert chunk.heading_path[1].startswith("2. Look at gauge 0 until it")
    assert the_one_with(found, "Close it").heading_path == ("Do this:",)


def test_a_short_list_within_a_long_item_stays_whole_with_what_leads_it_in(tmp_path: Path) -> None:
    for sentences in range(30, 60):
        long = " ".join(f"Look at gauge {n} until it stands still." for n in range(sentences))
        inner = "\n".join(f"   - reading {n} means that the kiln has cooled down" for n in range(4))
        path = write_markdown(
            tmp_path, f"Do this:\n\n1. Open it.\n2. {long} The readings are:\n{inner}\n3. Close it.\n"
        )
        found = the_one_with(passages_of(path), "reading 0")
        assert "The readings are:" in found.text
        assert "reading 3" in found.text


def test_code_under_an_item_stays_with_it(tmp_path: Path) -> None:
    body = "".join(
        f"<dt>set-{n}</dt><dd><p>Sets register {n} of the pump to a new value. For instance:</p>"
        f"<pre>pump set-{n} 12</pre><p>The pump stops meanwhile.</p></dd>"
        for n in range(40)
    )
    path = tmp_path / "page.html"
    path.write_text(f"<p>The commands are:</p><dl>{body}</dl>")
    found = passages_of(path)
    assert len(found) > 3
    assert all(chunk.heading_path == ("The commands are:",) for chunk in found[1:])
    for n in range(40):
        item = (
            f"- set-{n}: Sets register {n} of the pump to a new value. For instance:\n\n  pump set-{n} 12\n\n"
            "  The pump stops meanwhile."
        )
        assert item in the_one_with(found, f"set-{n} 12").text


def test_code_is_cut_at_line_ends_below_its_lead_in(tmp_path: Path) -> None:
    lines = [f"    set_register(0x{n:04x}, value_of({n}))" for n in range(120)]
    found = passages_of(write_markdown(tmp_path, "Run this script:\n\n```\n" + "\n".join(lines) + "\n```\n"))
    assert len(found) > 2
    assert found[0].text.startswith("Run this script:\n")
    assert all(chunk.heading_path == ("Run this script:",) for chunk in found[1:])
    assert [line for chunk in found for line in chunk.text.split("\n") if "set_register" in line] == lines


def test_code_stays_with_the_paragraph_before_it(tmp_path: Path) -> None:
    parts = [f"{FILLER[:200]} Then start pump {n}.\n\n```\nstart({n})\nwait({n})\n```\n" for n in range(12)]
    found = passages_of(write_markdown(tmp_path, "\n".join(parts)))
    assert len(found) > 2
    for n in range(12):
        assert f"Then start pump {n}.\n\nstart({n})\nwait({n})" in the_one_with(found, f"start({n})").text


def test_a_table_stands_below_the_sentence_that_leads_it_in(tmp_path: Path) -> None:
    table = "| Mode | Pressure |\n|---|---|\n" + "".join(f"| mode{n} | {n} bar |\n" for n in range(4))
    lead = "The following table lists the modes of the pump with the pressures that each of them needs at the inlet."
    (only,) = passages_of(write_markdown(tmp_path, f"{lead}\n\n{table}"))
    assert only.heading_path == (lead,)
    first, second = passages_of(write_markdown(tmp_path, f"The pump has modes. {lead}\n\n{table}"))
    assert first.text == f"The pump has modes. {lead}"
    assert second.heading_path == (lead,)


def test_a_question_stays_with_its_answer(tmp_path: Path) -> None:
    pairs = [f"How is machine {n} started?\n\nPress key {n} for {n + 2} seconds, then wait." for n in range(40)]
    found = passages_of(write_markdown(tmp_path, "\n\n".join(pairs) + "\n"))
    assert len(found) > 2
    for n in range(40):
        pair = f"How is machine {n} started?\n\nPress key {n} for {n + 2} seconds, then wait."
        assert any(pair in chunk.text for chunk in found)
