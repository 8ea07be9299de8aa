"""Slides: notes, tables, groups, charts, hidden ones, pictures."""

import io
from pathlib import Path

import pptx
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from tests.ingestion.readers.reading import FixedOcr, kinds, picture, read


def test_reads_groups_charts_merged_cells_and_pictures_and_leaves_hidden_slides_out(tmp_path: Path) -> None:
    path = tmp_path / "deck.pptx"
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Output"
    group = slide.shapes.add_group_shape()
    inner = group.shapes.add_group_shape()
    inner.shapes.add_textbox(Inches(1), Inches(1.5), Inches(3), Inches(0.5)).text_frame.text = "In a group of a group."
    data = CategoryChartData()
    data.categories = ["Spring", "Autumn"]
    data.add_series("Plan", (10, 12.5))
    data.add_series("Real", (9, None))
    chart = slide.shapes.add_chart(
        XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(2), Inches(4), Inches(2), data
    ).chart
    chart.has_title = True
    chart.chart_title.text_frame.text = "Tonnes by season"
    grid = slide.shapes.add_table(3, 3, Inches(1), Inches(4.5), Inches(6), Inches(1)).table
    for row, texts in enumerate((("Line", "Load", ""), ("A", "1", "2"), ("", "3", "4"))):
        for column, text in enumerate(texts):
            grid.cell(row, column).text = text
    grid.cell(0, 1).merge(grid.cell(0, 2))
    grid.cell(1, 0).merge(grid.cell(2, 0))
    slide.shapes.add_picture(io.BytesIO(picture("Valve seven opens left")), Inches(1), Inches(6))
    slide.notes_slide.notes_text_frame.text = "Say why."
    for text in ("Shown", "Not shown"):
        deck.slides.add_slide(deck.slide_layouts[1]).shapes.title.text = text
    deck.slides[1].placeholders[1].text = "Early\nLate"
    deck.slides[2].element.set("show", "0")
    deck.save(str(path))
    page, listed, hidden = read(path, FixedOcr())
    assert kinds(page) == [
        ("heading", "Output"),
        ("paragraph", "In a group of a group."),
        ("caption", "Tonnes by season"),
        ("table", " | Plan | Real\nSpring | 10 | 9\nAutumn | 12.5 | "),
        ("table", "Line | Load | Load\nA | 1 | 2\nA | 3 | 4"),
        ("paragraph", "Valve seven opens left"),
        ("notes", "Say why."),
    ]
    assert page.ocr_confidence is not None
    assert kinds(listed) == [("heading", "Shown"), ("list", "Early\nLate")]
    assert (hidden.blocks, hidden.warnings) == ((), ("slide 3 is hidden and was left out",))
