import pytest

from contracts.documents import PageInfo
from contracts.text import PageBox
from tests.ui.hostile import PAYLOADS, assert_harmless
from ui.page_picture import link_to_file, render_sheet
from ui.words import words_in

SHEET = PageInfo(
    page=8, pages=9, width_pt=600, height_pt=800, width_px=900, height_px=1200,
    picture="/api/documents/d1/pages/8/picture", file="/api/documents/d1/file",
)  # fmt: skip
ENGLISH = words_in("en")


def test_a_mark_lies_where_its_box_stands_on_the_page_and_ends_at_its_edge() -> None:
    boxes = [
        PageBox(page=8, x0=60, top=80, x1=360, bottom=100),
        PageBox(page=9, x0=0, top=0, x1=600, bottom=800),
        PageBox(page=8, x0=-50, top=700, x1=9_000, bottom=900),
        PageBox(page=8, x0=700, top=0, x1=800, bottom=10),
    ]
    sheet = assert_harmless(render_sheet(SHEET, boxes, ENGLISH, prefix="/bot") or "")
    assert [mark["style"] for mark in sheet.select(".highlight")] == [
        "left:10.00%;top:10.00%;width:50.00%;height:2.50%",
        "left:0.00%;top:87.50%;width:100.00%;height:12.50%",
    ]
    image = sheet.select_one("img")
    assert image is not None
    assert (image["src"], image["width"], image["height"]) == ("/bot/api/documents/d1/pages/8/picture", "900", "1200")


def test_a_page_without_a_picture_shows_none_and_one_without_a_file_leads_nowhere() -> None:
    bare = PageInfo(page=1)
    assert render_sheet(bare, [], ENGLISH) is None
    assert link_to_file(bare, ENGLISH) is None
    assert 'href="/bot/api/documents/d1/file#page=8"' in str(link_to_file(SHEET, ENGLISH, prefix="/bot"))


def test_an_address_from_elsewhere_neither_loads_nor_leads_away(subtests: pytest.Subtests) -> None:
    for payload in [*PAYLOADS, "https://evil.example/x.png", "//evil.example/x.png", "javascript:x"]:
        with subtests.test(payload=payload):
            for address in (payload, f"/{payload}"):
                assert_harmless(render_sheet(SHEET.model_copy(update={"picture": address}), [], ENGLISH) or "")
                assert_harmless(link_to_file(SHEET.model_copy(update={"file": address}), ENGLISH) or "")
