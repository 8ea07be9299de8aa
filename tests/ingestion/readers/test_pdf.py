"""PDFs that the tests make: text layers, scans, what is refused, and the reading order of columns and notes."""

from pathlib import Path

import pytest
from reportlab.lib.pagesizes import A4

from contracts.errors import UnreadableFile
from contracts.text import Block, Page
from ingestion.limits import IngestionLimits
from tests.ingestion.readers.reading import kinds, needs_tesseract, read
from tests.ingestion.samples import PROSE, Sheet, draw_page, write_manual
from tools.ocr.tesseract import TesseractOcr


def blocks(pages: list[Page], kind: str) -> list[Block]:
    return [block for page in pages for block in page.blocks if block.kind == kind]


@pytest.fixture(scope="module")
def manual(tmp_path_factory: pytest.TempPathFactory) -> list[Page]:
    path = tmp_path_factory.mktemp("pdf") / "manual.pdf"
    write_manual(path)
    return read(path)


def test_reads_headings_paragraphs_lists_and_tables_without_running_headers(manual: list[Page]) -> None:
    assert [page.number for page in manual] == [1, 2, 3]
    assert manual[0].height_pt == pytest.approx(A4[1], abs=1)
    assert all(page.ocr_confidence is None for page in manual)
    levels = {block.text: block.level for block in blocks(manual, "heading")}
    assert list(levels) == ["Cooling manual", "1 Circuit", "1.1 Draining", "2 Pumps", "3 Faults"]
    assert levels["1 Circuit"] == levels["2 Pumps"] == levels["3 Faults"] < levels["1.1 Draining"]
    assert blocks(manual[:1], "paragraph")[0].text == PROSE
    (steps,) = blocks(manual, "list")
    assert [line.lstrip("• ") for line in steps.text.split("\n")] == ["Close the inlet.", "Open the drain.", "Wait."]
    (table,) = blocks(manual, "table")
    assert table.text == "Pump | Flow | Pressure\nP-10 | 20 l/min | 3 bar\nP-20 | 45 l/min | 6 bar"
    assert table.header_rows == 1
    assert [block.text for block in blocks(manual, "caption")] == ["Table 1: pumps"]
    text = "\n".join(block.text for page in manual for block in page.blocks)
    assert text.count("45 l/min") == 1
    assert "internal" not in text
    assert "of 3" not in text


def test_boxes_cover_the_text_within_the_page(manual: list[Page]) -> None:
    for page in manual:
        for block in page.blocks:
            covered = "".join(block.text[each.span.start : each.span.end] for each in block.boxes)
            assert covered.replace(" ", "") == block.text.replace(" ", "").replace("\n", "")
            for each in block.boxes:
                assert each.box.page == page.number
                assert 0 <= each.box.x0 < each.box.x1 <= page.width_pt
                assert 0 <= each.box.top < each.box.bottom <= page.height_pt


def test_continued_table_gets_its_header(sheet: Sheet) -> None:
    for page in range(2):
        rows = [("Part", "Shelf")] if page == 0 else []
        rows += [(f"bolt {chr(97 + number)}{page}", f"row {chr(110 + number)}") for number in range(5)]
        for number, row in enumerate(rows):
            for x, cell in zip((60, 260), row, strict=True):
                sheet.canvas.rect(x, 780 - 20 * number, 200, 20)
                sheet.write(x + 5, A4[1] - 786 + 20 * number, [cell])
        sheet.canvas.showPage()
    first, second = blocks(sheet.read(), "table")
    assert first.header_rows == second.header_rows == 1
    assert second.text.split("\n")[:2] == ["Part | Shelf", "bolt a1 | row n"]
    assert all(each.box.page == 2 for each in second.boxes)


@needs_tesseract
def test_words_of_a_rotated_scan_are_placed_on_the_page_as_shown(tmp_path: Path) -> None:
    lines = ["The lathe stands beside the northern window of the hall."] * 6
    path = tmp_path / "turned.pdf"
    draw_page(lines).rotate(90, expand=True, fillcolor=255).save(path, "PDF", resolution=150)
    (page,) = read(path, ocr=TesseractOcr())
    assert "northern window" in page.blocks[0].text
    box = page.blocks[0].boxes[0].box
    # Rotated counter-clockwise, the first line runs up along the left side.
    assert box.x0 < 100
    assert box.bottom - box.top > 3 * (box.x1 - box.x0)
    assert box.bottom > 0.8 * page.height_pt


def test_reads_drawn_bullets_and_words_of_code_in_sentences(sheet: Sheet) -> None:
    prose = "The pump of the second circuit is set by the line that begins with the name of the circuit, as in"
    lines, other = [prose, "the file of the night shift:"], prose.replace("as in", "or by")
    for x, top, font, texts in (
        (60, 62, "Helvetica", lines),
        (60, 102, "Courier", ["pump 2 = on"]),
        (60, 130, "Helvetica", [other]),
        (60, 144, "Courier", ["pumpctl --second --on"]),
        (204, 144, "Helvetica", ["and look for:"]),
        (80, 170, "Helvetica", ["Leaks at the flange"]),
        (80, 188, "Helvetica", ["Noise of the bearing"]),
        (80, 202, "Courier", ["pumpctl --noise"]),
        (80, 220, "Helvetica", ["It takes a minute."]),
    ):
        sheet.write(x, top, texts, size=11, lead=14, font=font)
    # Two bullets, and a dot of a drawing that is not at the beginning of a line.
    for x, top in ((70, 166.5), (70, 184.5), (300, 242)):
        sheet.canvas.circle(x, A4[1] - top, 1.9, stroke=0, fill=1)
    (page,) = sheet.read()
    assert kinds(page) == [
        ("paragraph", " ".join(lines)),
        ("code", "pump 2 = on"),
        ("paragraph", f"{other} pumpctl --second --on and look for:"),
        ("list", "• Leaks at the flange\n• Noise of the bearing"),
        ("code", "  pumpctl --noise"),
        ("list", "  It takes a minute."),
    ]
    # Marks of a plot are not bullets.
    sheet.write(80, A4[1] - 672, ["Flow of the second pump"], size=11)
    for place in range(300):
        sheet.canvas.circle(70, 675.5 - 2 * place, 1.9, stroke=0, fill=1)
    (page,) = sheet.read()
    assert [block.text for block in page.blocks] == ["Flow of the second pump"]


def test_refuses_unreadable_pdfs(tmp_path: Path) -> None:
    whole, locked, cut_off = (tmp_path / f"{name}.pdf" for name in ("whole", "locked", "cut"))
    write_manual(whole)
    write_manual(locked, password="secret")
    cut_off.write_bytes(whole.read_bytes()[:300])
    for path, limits, reason in (
        (locked, IngestionLimits(), "encrypted"),
        (cut_off, IngestionLimits(), "damaged|not a readable"),
        (whole, IngestionLimits(pages=2), "3 pages, more than the 2"),
        (whole, IngestionLimits(file_bytes=100), "more than the 100 allowed"),
    ):
        with pytest.raises(UnreadableFile, match=reason) as caught:
            read(path, limits=limits)
        assert caught.value.path == str(path)


def test_one_bad_page_does_not_lose_the_others(tmp_path: Path) -> None:
    path = tmp_path / "manual.pdf"
    write_manual(path)
    pages = read(path, limits=IngestionLimits(page_characters=150))
    assert "left out" in pages[0].warnings[0]
    assert pages[0].blocks == ()
    assert any("humming" in block.text for block in pages[2].blocks)


FULL = "This line of the introduction runs over the whole width of the page, from the left to the right margin, {}."


def column(name: str, count: int, start: int = 0) -> list[str]:
    return [f"{name} line {number} tells of the hall, where all the" for number in range(start, start + count)]


def assert_order(page: Page, *expected: str) -> None:
    text = " ".join(block.text for block in page.blocks).replace("\n", " ")
    places = [text.index(line) for line in expected]
    assert places == sorted(places), text


def test_full_width_headings_separate_bands_of_columns(sheet: Sheet) -> None:
    expected: list[str] = []
    top = 60.0
    for part in range(3):
        heading = f"Chapter {part} is on the furnaces and on all that is between the halls"
        top = sheet.write(60, top, [heading], size=16, lead=24)
        left, right = column(f"left {part}", 7), column(f"right {part}", 7)
        sheet.write(60, top, left)
        top = sheet.write(320, top, right) + 20
        expected += [heading, *left, *right]
    assert_order(sheet.read()[0], *expected)
    # A short heading below two columns belongs to the next text.
    left, right = column("left", 8), column("right", 10)
    sheet.write(60, 60, left)
    below = sheet.write(320, 60, right) + 24
    below = sheet.write(60, below, ["Further reading"], size=13, lead=16)
    full = [FULL.format(number) for number in range(3)]
    sheet.write(60, below, full)
    assert_order(sheet.read()[0], *left, *right, "Further reading", *full)


def test_three_columns_and_a_footnote(sheet: Sheet) -> None:
    columns = [[f"{name} {number} has short lines" for number in range(20)] for name in ("one", "two", "three")]
    for x, lines in zip((50, 220, 390), columns, strict=True):
        sheet.write(x, 60, lines)
    note = "1 The measurements were made in the spring of last year by all who work in the three halls of the plant."
    sheet.write(50, 780, [note], size=8)
    assert_order(sheet.read()[0], *columns[0], *columns[1], *columns[2], note)
    # Columns closer than an em are separated as well.
    left = [f"alpha {number} and one more word there" for number in range(14)]
    right = [f"omega {number} and one more word here" for number in range(14)]
    sheet.write(60, 60, left, size=12, lead=15)
    width = max(sheet.canvas.stringWidth(line, "Helvetica", 12) for line in left)
    sheet.write(60 + width + 8, 60, right, size=12, lead=15)
    assert_order(sheet.read()[0], *left, *right)


def test_margin_note_does_not_break_the_sentence_next_to_it(sheet: Sheet) -> None:
    body = [f"The text beside the note goes on with its line {number} and does not stop for it" for number in range(12)]
    sheet.write(60, 60, body)
    sheet.write(450, 60 + 13 * 4, ["Mind the step", "at the door."], size=8, lead=13)
    page = sheet.read()[0]
    assert_order(page, *body)
    paragraph = next(block.text for block in page.blocks if "line 3" in block.text)
    assert "line 4 and does not stop for it The text" in paragraph
    assert any(block.text == "Mind the step at the door." for block in page.blocks)
    # Labels and values stay on their lines.
    sheet.write(60, 60, ["Ordered by", "Checked by"])
    sheet.write(200, 60, ["Karin Berg", "Olaf Dahl"])
    sheet.write(60, 110, [FULL.format(number) for number in range(8)])
    text = "\n".join(block.text for block in sheet.read()[0].blocks)
    assert text.index("Karin Berg") < text.index("Checked by") < text.index("Olaf Dahl")


def test_index_is_left_out_and_price_list_stays(sheet: Sheet) -> None:
    def text_of(*entries: object, above: list[str] | None = None, beside: list[str] | None = None) -> str:
        lines = [f"entry {number} {'. ' * 20}{entry}" for number, entry in enumerate(entries)]
        sheet.write(60, 60, [*(above or []), *lines])
        sheet.write(60, 400, beside or [])
        return " ".join(block.text for block in sheet.read()[0].blocks)

    beside = ["A", "What stands beside the entries stays where it is, on each page."]
    index = text_of("7", "12, 31", "8", "14, 15, 90", "6", "55, 81", beside=beside)
    assert "entry 0" not in index
    assert "What stands beside the entries stays" in index
    assert "entry 5" in text_of(70, 12, 31, 8, 90, 6)
    registers = text_of("0x0F", "0x4F", "0x2F", "0x3F", "0x1F", above=["Index of registers"])
    assert "entry 3" in registers


def test_terms_above_indented_descriptions_are_a_list(sheet: Sheet) -> None:
    top = sheet.write(60, 60, ["The program has these options:"])
    long = ["Checks every valve of the circuit that the file of the night shift names, one after", "the other."]
    for terms, lines in (
        (["--check", "--all"], long),
        (["--out"], ["Writes what was found to a file."]),
        (["--quiet"], ["Says nothing, as in"]),
    ):
        top = sheet.write(60, top + 6, terms, font="Courier")
        top = sheet.write(110, top, lines)
    top = sheet.write(130, top + 4, ["pumpctl --check --quiet"], font="Courier")
    top = sheet.write(110, top + 4, ["The exit status tells the rest."])
    # A short term is in the first line of its description.
    sheet.write(60, top + 6, ["-v"], font="Courier")
    top = sheet.write(110, top + 6, [long[0].replace("Checks", "Prints"), long[1]])
    (page,) = sheet.read()
    assert kinds(page) == [
        ("paragraph", "The program has these options:"),
        (
            "list",
            f"- --check, --all: {' '.join(long)}\n"
            "- --out: Writes what was found to a file.\n- --quiet: Says nothing, as in",
        ),
        ("code", "  pumpctl --check --quiet"),
        ("list", f"  The exit status tells the rest.\n- -v {' '.join(long).replace('Checks', 'Prints')}"),
    ]
    options = page.blocks[1]
    placed = [(options.text[each.span.start : each.span.end], each.box.x0) for each in options.boxes]
    assert placed[:2] == [("--check", 60.0), ("--all", 60.0)]
    assert placed[4:6] == [("--out", 60.0), ("Writes what was found to a file.", 110.0)]


def test_terms_in_the_typeface_of_the_text_are_a_list_from_two_on(sheet: Sheet) -> None:
    top = sheet.write(60, 60, ["Night shift"])
    top = sheet.write(100, top + 8, ["It begins at ten."])
    top = sheet.write(60, top + 6, ["Day shift"])
    top = sheet.write(100, top + 8, ["It begins at six."])
    sheet.write(60, top + 20, ["The plan holds for every one of the pumps."])
    sheet.write(60, top + 40, ["Alone"])
    sheet.write(100, top + 61, ["One line is no list."])
    (page,) = sheet.read()
    assert kinds(page) == [
        ("list", "- Night shift: It begins at ten.\n- Day shift: It begins at six."),
        ("paragraph", "The plan holds for every one of the pumps."),
        ("paragraph", "Alone"),
        ("paragraph", "One line is no list."),
    ]


@pytest.mark.parametrize(
    ("code", "x", "below"),
    [
        ("pr = P[1]", 290, "Page"),
        ("pr = P[1]", 100, "30"),
        ("pr = P[1]", 74, "Now"),
        ("def run() {", 100, "Here it is."),
        ("12 run(pumps)", 100, "Here it is."),
        ("The pump is off.", 100, "Here it is."),
    ],
)
def test_code_above_a_page_number_or_a_paragraph_is_no_term(sheet: Sheet, code: str, x: float, below: str) -> None:
    top = sheet.write(60, 60, [FULL.format(number) for number in range(3)])
    top = sheet.write(60, top + 4, [code], font="Courier")
    sheet.write(x, top, [below])
    assert [block.kind for block in sheet.read()[0].blocks] == ["paragraph", "code", "paragraph"]


def test_terms_above_long_descriptions_are_no_margin_notes(sheet: Sheet) -> None:
    top: float = 60
    for name in ("-a", "-b", "-c"):
        top = sheet.write(60, top + 6, [name], font="Courier")
        top = sheet.write(110, top, [f"{FULL.format(number)} {name}" for number in range(4)])
    sheet.write(60, top + 6, ["-v"], font="Courier")
    sheet.write(110, top + 6, [f"{FULL.format(number)} -v" for number in range(4)])
    text = "\n".join(block.text for block in sheet.read()[0].blocks)
    for name in ("-a", "-b", "-c"):
        assert text.index(f"{name}: ") < text.index(f"{FULL.format(0)} {name}")
    assert text.index("-a: ") < text.index("-b: ") < text.index("-c: ") < text.index("- -v ")


def test_terms_within_a_description_are_a_list_in_it(sheet: Sheet) -> None:
    top = sheet.write(60, 60, ["--warn <type>"], font="Courier")
    top = sheet.write(110, top, ["Reports warnings of the given type, one of these:"])
    for term, text in (("boxes", "Lines that are too full."), ("refs", "References that nothing defines.")):
        top = sheet.write(110, top + 8, [term], font="Courier")
        top = sheet.write(160, top, [text])
    (page,) = sheet.read()
    assert [block.text for block in page.blocks] == [
        "- --warn <type>: Reports warnings of the given type, one of these:\n"
        "  - boxes: Lines that are too full.\n  - refs: References that nothing defines."
    ]


def test_aligned_code_is_not_columns(sheet: Sheet) -> None:
    sheet.write(60, 60, [FULL.format(number) for number in range(3)])
    names, values = ["NAME=", "SOURCES=", "FIGURES=", "TARGET="], ["plan", "one.tex two.tex", "pumps", "plan.pdf"]
    sheet.write(80, 110, names, font="Courier")
    sheet.write(200, 110, values, font="Courier")
    code = sheet.read()[0].blocks[1]
    assert (code.kind, code.text) == (
        "code",
        "\n".join(f"{name} {value}" for name, value in zip(names, values, strict=True)),
    )


@pytest.mark.parametrize(
    ("font", "kind"),
    [
        ("CMSSBX10", "heading"),
        ("SFBX1095", "heading"),
        ("NimbusRomNo9L-Medi", "heading"),
        ("CMR10", "paragraph"),
        ("CMBR10", "paragraph"),
        ("Roboto-Medium", "paragraph"),
        ("CMSLTT10", "code"),
        ("SFTT1000", "code"),
    ],
)
def test_names_of_fonts_tell_headings_and_code(sheet: Sheet, font: str, kind: str) -> None:
    top = sheet.write(60, 60, [FULL.format(number) for number in range(3)])
    top = sheet.write(60, top + 12, ["10.1. Draining"], font="Vera")
    sheet.write(60, top + 6, [FULL.format(number) for number in range(3)])
    sheet.canvas.save()
    written, name = sheet.path.read_bytes(), b"BitstreamVeraSans-Roman"
    assert name in written
    sheet.path.write_bytes(written.replace(name, font.encode().ljust(len(name))))
    (page,) = read(sheet.path)
    assert next(block.kind for block in page.blocks if block.text == "10.1. Draining") == kind


def test_bold_options_are_terms_and_no_headings(sheet: Sheet) -> None:
    sheet.write(60, 60, [FULL.format(number) for number in range(3)])
    sheet.write(60, 112, ["--quiet"], font="Helvetica-Bold")
    sheet.write(100, 125, ["Says nothing."])
    sheet.write(60, 160, ["Draining"], font="Helvetica-Bold")
    sheet.write(100, 173, ["Open the drain."])
    (page,) = sheet.read()
    assert [(block.kind, block.text, block.level) for block in page.blocks[1:]] == [
        ("list", "- --quiet: Says nothing.", 0),
        ("heading", "Draining", 1),
        ("paragraph", "Open the drain.", 0),
    ]


def test_chapters_of_a_table_of_contents_are_left_out(sheet: Sheet) -> None:
    sheet.write(60, 60, ["1 Pumps"], font="Helvetica-Bold")
    sheet.canvas.drawRightString(500, A4[1] - 60, "3")
    for number, title in enumerate(("Valves", "Seals", "Drains", "Meters"), start=1):
        sheet.write(70, 60 + 13 * number, [f"1.{number} {title} {'. ' * 30}"])
        sheet.canvas.drawRightString(500, A4[1] - 60 - 13 * number, str(number + 2))
    sheet.write(60, 140, ["The plant has 12"])
    assert [block.text for block in sheet.read()[0].blocks] == ["The plant has 12"]


def test_a_sentence_in_bold_is_one_paragraph(sheet: Sheet) -> None:
    sheet.write(60, 62, ["The pumps are measured in spring."])
    lines = ["The hall in the north is open, and its", "keepers may measure the pumps", "on any other day of May."]
    sheet.write(60, 100, lines, font="Helvetica-Bold")
    sheet.write(60, 160, ["Nobody else may enter the hall without them."])
    assert kinds(sheet.read()[0])[1] == ("paragraph", " ".join(lines))


def test_items_within_items_are_indented(sheet: Sheet) -> None:
    sheet.write(60, 62, ["The pumps are measured in spring."])
    for row, (x, text) in enumerate([(60, "• North hall"), (80, "• big pumps"), (100, "• red"), (60, "• South hall")]):
        sheet.write(x, 90 + 14 * row, [text], font="Vera")
    assert kinds(sheet.read()[0])[1] == ("list", "• North hall\n  • big pumps\n    • red\n• South hall")
