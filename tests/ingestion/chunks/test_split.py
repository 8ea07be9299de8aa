"""Splitting: nothing is lost, nothing is too long, headings and headers stay with what they head."""

import re
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contracts.text import Block, Chunk, Document, Page, PageBox, Passage, Span, TextBox, reading_confidence
from ingestion.chunks.pieces import cut, join, piece_of
from ingestion.chunks.split import PASSAGE_TOKENS, split_pages
from tests.hashing_embedder import HashingEmbedder
from tools.reading.quotes import quoted_text, read_quotes
from tools.reading.statements import read_statements

DOCUMENT = Document(
    id="d1", name="a.txt", path="/a.txt", media_type="text/plain", content_hash="h1", title="Guide", pages=1
)
count = HashingEmbedder().count_tokens


def split(*blocks: Block, tokens: int = PASSAGE_TOKENS) -> list[Chunk]:
    last = max(block.page for block in blocks)
    pages = [
        Page(number=number, blocks=tuple(block for block in blocks if block.page == number))
        for number in range(1, last + 1)
    ]
    return split_pages(pages, DOCUMENT, count, tokens)


def passages(chunks: list[Chunk]) -> list[Chunk]:
    return [chunk for chunk in chunks if chunk.kind == "passage"]


def heading(text: str, level: int = 1, page: int = 1) -> Block:
    return Block(kind="heading", text=text, level=level, page=page)


def prose(words: int, start: int = 0, page: int = 1) -> Block:
    """Make prose of sentences of ten different words, with a box a sentence."""
    text = ""
    boxes = []
    for first in range(start, start + words, 10):
        sentence = " ".join(
            f"Word{number}" if number == first else f"word{number}" for number in range(first, first + 10)
        )
        at = len(text) + 1 if text else 0
        text += (" " if text else "") + sentence + "."
        box = PageBox(page=page, x0=10, top=float(first), x1=90, bottom=float(first + 9))
        boxes.append(TextBox(span=Span(at, len(text)), box=box))
    return Block(kind="paragraph", text=text, page=page, boxes=tuple(boxes))


WORDS = st.text(alphabet="abcdeéß 一二.,;:|-", min_size=1, max_size=400)
BLOCKS = st.builds(
    lambda kind, text, level, rows, page: Block(
        kind=kind,
        text=text,
        level=level if kind == "heading" else 0,
        header_rows=rows if kind == "table" else 0,
        page=page,
    ),
    st.sampled_from(["heading", "paragraph", "list", "table", "code", "caption", "notes"]),
    st.one_of(
        WORDS,
        st.lists(WORDS, min_size=1, max_size=8).map("\n".join),
        st.integers(1, 900).map(lambda number: " ".join(f"w{each}" for each in range(number))),
        st.integers(1, 300).map(lambda number: "\n".join(f"k{each} | v{each}" for each in range(number))),
        st.integers(2, 300).map(lambda number: "\n".join(f"k{each}" + " | v" * (each % 3) for each in range(number))),
    ),
    st.integers(1, 6),
    st.integers(0, 2),
    st.integers(1, 3),
)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.lists(BLOCKS, min_size=1, max_size=10), st.integers(60, 250))
def test_every_word_is_in_a_passage_and_no_passage_is_too_long(blocks: list[Block], limit: int) -> None:
    ordered = sorted(blocks, key=lambda block: block.page)
    found = passages(split(*ordered, tokens=limit))
    held = {word for chunk in found for word in re.findall(r"\w+", chunk.searchable_text)}
    for block in blocks:
        for word in re.findall(r"\w+", block.text):
            # A word longer than a passage is cut between letters.
            assert word in held or len(word) > 100
    for chunk in found:
        place = count(chunk.searchable_text) - count(chunk.text)
        # A list or code may be kept whole up to a larger size.
        assert count(chunk.text) <= 1.6 * max(limit - place, 48) + 2
        assert chunk.text.strip()
        for box in chunk.boxes:
            assert 0 <= box.span.start < box.span.end <= len(chunk.text)


def test_ids_are_the_same_for_the_same_content_and_new_for_a_new_version() -> None:
    first, again = split(heading("A"), prose(400)), split(heading("A"), prose(400))
    assert [chunk.id for chunk in first] == [chunk.id for chunk in again]
    page = Page(number=1, blocks=(heading("A"), prose(400)))
    other = split_pages([page], replace(DOCUMENT, content_hash="h2"), count)
    assert not {chunk.id for chunk in first} & {chunk.id for chunk in other}
    assert all(re.fullmatch(r"[0-9a-f]{24}", chunk.id) for chunk in first)


def test_passages_stay_below_their_headings() -> None:
    found = passages(
        split(heading("Mills"), prose(100), heading("Stones", 2), prose(100, 100), heading("Kilns"), prose(90))
    )
    assert [chunk.heading_path for chunk in found] == [("Mills",), ("Mills", "Stones"), ("Kilns",)]
    assert found[1].searchable_text.startswith("Guide > Mills > Stones\nWord100")
    # "Question:" and "Answer:" do not part a question from its answer.
    asked = [heading("FAQ"), heading("Question:", 3), heading("Who grinds?", 3), heading("Answer:", 3), prose(100)]
    assert [chunk.heading_path for chunk in passages(split(*asked))] == [("FAQ", "Who grinds?")]
    (letter,) = passages(split(heading("Words"), heading("A", 2), prose(100)))
    assert letter.heading_path == ("Words", "A")
    # Tiny neighbours on a page are merged with their headings.
    blocks = []
    for number in range(3):
        blocks += [heading(f"Item {number}", 2), Block(kind="paragraph", text="Not applicable.")]
    (only,) = passages(split(heading("List"), *blocks))
    assert only.text == "\n\n".join(f"Item {number}\nNot applicable." for number in range(3))
    assert [only.text[each.start : each.end] for each in only.headings] == ["Item 0", "Item 1", "Item 2"]
    assert only.heading_path == ("List",)


def test_a_long_paragraph_is_cut_at_sentences_overlaps_by_one_and_boxes_follow_their_text() -> None:
    block = prose(1_000)
    found = passages(split(heading("Mills"), block))
    sentences = [sentence.strip() for sentence in re.findall(r"[^.]+\.", block.text)]
    assert len(found) >= 4
    for before, after in pairwise(found):
        own = [sentence for sentence in sentences if sentence in after.text]
        (shared,) = (sentence for sentence in own if sentence in before.text)
        assert after.text.startswith(shared)
        assert " ".join(own) == after.text
    by_text = {block.text[each.span.start : each.span.end]: each.box for each in block.boxes}
    for chunk in found:
        assert chunk.boxes
        assert all(by_text[chunk.text[each.span.start : each.span.end]] == each.box for each in chunk.boxes)


def test_passages_do_not_overlap_between_blocks() -> None:
    blocks = []
    for number in range(24):
        blocks += [prose(30, 1_000 * number), Block(kind="code", text=f"run({number})\nstop({number})")]
    found = passages(split(*blocks))
    assert len(found) > 2
    assert "\n\n".join(chunk.text for chunk in found) == "\n\n".join(block.text for block in blocks)
    # A path with dots is not changed.
    text = " ".join(f"Step {number} copies the plan to the path ../plan of the machine." for number in range(60))
    found = passages(split(Block(kind="paragraph", text=text)))
    assert len(found) > 2
    assert not any(". ./plan" in chunk.text for chunk in found)


def test_two_column_row_without_header_may_lack_either_cell() -> None:
    (found,) = passages(split(Block(kind="table", text="Desk: | ext. 4300\nThe lab\n | from 8 on")))
    assert (found.block_kind, found.text) == ("list", "- Desk: ext. 4300\n- The lab\n- from 8 on")


def test_wide_table_without_header_is_quoted_without_its_first_row() -> None:
    rows = [f"Printer P{number} | {'next to the kitchen ' * 5}| IT desk" for number in range(12)]
    found = passages(split(Block(kind="table", text="\n".join(rows))))
    assert {chunk.block_kind for chunk in found} == {"rows"}
    made = [Passage(chunk=chunk, document_name="a", document_title="", score=0.0) for chunk in found]
    quotes = [quoted_text(each.text, quote) for each in made for quote in read_quotes(each)]
    assert len(quotes) > 2
    assert "\n".join(quotes) == "\n".join(rows)
    read = [statement.kind for each in made for statement in read_statements(each, 0)]
    assert read == ["row"] * 12


@pytest.mark.parametrize("lines", [2, 30, 900])
def test_code_that_fits_stays_whole_with_indentation_and_is_marked(lines: int) -> None:
    code = "\n".join(f"    call{number}()" if number else "def run():" for number in range(lines))
    found = passages(split(Block(kind="paragraph", text="The code."), Block(kind="code", text=code)))
    assert (len(found) == 1) == (lines < 900)
    assert "\n    call1()" in found[0].text
    marked = [chunk.text[each.start : each.end] for chunk in found for each in chunk.code]
    # Where code is cut, the indent of the first line is not marked.
    assert "\n".join(marked).replace("    ", "") == code.replace("    ", "")


def test_sections_contain_each_passage_once_within_the_size_limit() -> None:
    blocks = []
    for number in range(12):
        blocks += [heading(f"Part {number}", 1, page=number + 1), prose(1_200, 2_000 * number, page=number + 1)]
    chunks = split(*blocks)
    sections = [chunk for chunk in chunks if chunk.kind == "section"]
    assert 4 <= len(sections) <= 6
    assert all(count(section.text) <= 4_400 for section in sections)
    for chunk in passages(chunks):
        section = next(each for each in sections if each.id == chunk.section_id)
        assert section.page <= chunk.page <= chunk.last_page <= section.last_page
    for block in blocks[1::2]:
        sentence = block.text.split(".")[0]
        assert sum(section.text.count(sentence) for section in sections) == 1
    # A heading without text is kept.
    (only,) = passages(split(heading("Only a title stands here")))
    assert only.text == "Only a title stands here"


def test_cut_and_joined_pieces_keep_the_confidences_of_their_words() -> None:
    box = PageBox(page=1, x0=1, top=2, x1=3, bottom=4)
    boxes = (
        TextBox(span=Span(0, 19), box=box, confidences=(0.9, 0.8, 0.4)),
        TextBox(span=Span(20, 33), box=box, confidences=(0.7, 1.0, 0.6)),
    )
    whole = piece_of(Block(kind="paragraph", text="Grease the bearings twice a year.", boxes=boxes))
    piece = cut(whole, 7, 25)
    assert piece.text == "the bearings twice"
    assert [(box.span, box.confidences) for box in piece.boxes] == [(Span(0, 12), (0.8, 0.4)), (Span(13, 18), (0.7,))]
    assert reading_confidence(piece.boxes) == pytest.approx(1.9 / 3)
    joined = join([whole, whole], ["", "\n"])
    assert [box.confidences for box in joined.boxes] == [box.confidences for box in boxes] * 2
    # Text that was not read from a picture has no confidence.
    assert reading_confidence([TextBox(span=Span(0, 3), box=box)]) is None
    assert reading_confidence([]) is None


def test_note_of_a_table_is_in_its_section() -> None:
    rows = "\n".join(f"Motor {number} | {number} kW{'*' * (number > 197)}" for number in range(200))
    table, note = Block(kind="table", text=rows), Block(kind="paragraph", text="* when cold")
    sections = [each for each in split(table, note) if each.kind == "section"]
    assert sections[-1].text.count("* when cold") == 1
