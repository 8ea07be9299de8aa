"""Reading order on born-digital pages that the tests draw: columns, bands, side notes, footnotes, narrow gutters."""

from pathlib import Path

from contracts.text import Page
from tests.ingestion.samples import Sheet

FULL = "This line of the introduction runs over the whole width of the page, from the left to the right margin, {}."


def column(name: str, count: int, start: int = 0) -> list[str]:
    return [f"{name} line {number} tells of the hall, where all the" for number in range(start, start + count)]


def assert_order(page: Page, *expected: str) -> None:
    text = " ".join(block.text for block in page.blocks).replace("\n", " ")
    places = [text.index(line) for line in expected]
    assert places == sorted(places), text


def test_headings_over_the_whole_width_part_bands(tmp_path: Path) -> None:
    sheet = Sheet(tmp_path / "headings.pdf")
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


def test_a_short_heading_below_two_columns_belongs_to_what_follows(tmp_path: Path) -> None:
    sheet = Sheet(tmp_path / "below.pdf")
    left, right = column("left", 8), column("right", 10)
    sheet.write(60, 60, left)
    below = sheet.write(320, 60, right) + 24
    below = sheet.write(60, below, ["Further reading"], size=13, lead=16)
    full = [FULL.format(number) for number in range(3)]
    sheet.write(60, below, full)
    assert_order(sheet.read()[0], *left, *right, "Further reading", *full)


def test_three_columns_and_a_footnote(tmp_path: Path) -> None:
    sheet = Sheet(tmp_path / "three.pdf")
    columns = [[f"{name} {number} has short lines" for number in range(20)] for name in ("one", "two", "three")]
    for x, lines in zip((50, 220, 390), columns, strict=True):
        sheet.write(x, 60, lines)
    note = "1 The measurements were made in the spring of last year by all who work in the three halls of the plant."
    sheet.write(50, 780, [note], size=8)
    assert_order(sheet.read()[0], *columns[0], *columns[1], *columns[2], note)


def test_a_note_in_the_margin_does_not_break_the_sentence_beside_it(tmp_path: Path) -> None:
    sheet = Sheet(tmp_path / "note.pdf")
    body = [f"The text beside the note goes on with its line {number} and does not stop for it" for number in range(12)]
    sheet.write(60, 60, body)
    sheet.write(450, 60 + 13 * 4, ["Mind the step", "at the door."], size=8, lead=13)
    page = sheet.read()[0]
    assert_order(page, *body)
    paragraph = next(block.text for block in page.blocks if "line 3" in block.text)
    assert "line 4 and does not stop for it The text" in paragraph
    assert any(block.text == "Mind the step at the door." for block in page.blocks)


def test_labels_and_values_stay_on_their_lines(tmp_path: Path) -> None:
    sheet = Sheet(tmp_path / "labels.pdf")
    sheet.write(60, 60, ["Ordered by", "Checked by"])
    sheet.write(200, 60, ["Karin Berg", "Olaf Dahl"])
    sheet.write(60, 110, [FULL.format(number) for number in range(8)])
    text = "\n".join(block.text for block in sheet.read()[0].blocks)
    assert text.index("Karin Berg") < text.index("Checked by") < text.index("Olaf Dahl")


def test_columns_that_stand_closer_than_an_em(tmp_path: Path) -> None:
    sheet = Sheet(tmp_path / "narrow.pdf")
    left = [f"alpha {number} and one more word there" for number in range(14)]
    right = [f"omega {number} and one more word here" for number in range(14)]
    sheet.write(60, 60, left, size=12, lead=15)
    width = max(sheet.canvas.stringWidth(line, "Helvetica", 12) for line in left)
    sheet.write(60 + width + 8, 60, right, size=12, lead=15)
    assert_order(sheet.read()[0], *left, *right)


def test_an_index_is_left_out_and_prices_stay(tmp_path: Path) -> None:
    sheet = Sheet(tmp_path / "index.pdf")
    pages = ["7", "12, 31", "8", "14, 15, 90", "6", "55, 81"]
    sheet.write(60, 60, [f"entry {n} {'. ' * 20}{each}" for n, each in enumerate(pages)])
    sheet.write(60, 400, ["A", "What stands beside the entries stays where it is, on each page."])
    prices = Sheet(tmp_path / "prices.pdf")
    prices.write(60, 60, [f"entry {n} {'. ' * 20}{each}" for n, each in enumerate((70, 12, 31, 8, 90, 6))])
    registers = Sheet(tmp_path / "registers.pdf")
    registers.write(60, 60, ["Index of registers", *(f"entry {n} {'. ' * 20}0x{n}F" for n in (4, 2, 6, 1, 3))])
    text = " ".join(block.text for block in sheet.read()[0].blocks)
    assert "entry 0" not in text
    assert "What stands beside the entries stays" in text
    assert "entry 5" in " ".join(block.text for block in prices.read()[0].blocks)
    assert "entry 3" in " ".join(block.text for block in registers.read()[0].blocks)
