"""Passages of a document: how long, how far they overlap, where they begin, and from which pages they are."""

from itertools import pairwise

from contracts.text import Block
from golden_lab.training.writing.cutting import CHARACTERS, OVERLAP, character_passages, chunk_passages
from lab.tests.training.writing.made import chunks_of, document


def prose(number: int, sentences: int = 12) -> Block:
    text = " ".join(
        f"Pump P-{number}{at} moves {at + 3} litres of cooling water each minute." for at in range(sentences)
    )
    return Block(kind="paragraph", text=text)


def heading(text: str) -> Block:
    return Block(kind="heading", text=text, level=2)


def table(rows: int) -> Block:
    lines = [
        "Part | Torque | Material",
        *(f"Cover {at} of the pump | {at + 10} Nm | hardened steel" for at in range(rows)),
    ]
    return Block(kind="table", text="\n".join(lines), header_rows=1)


PAGES = [(heading(f"Hall {number}"), prose(number), prose(number + 50)) for number in range(1, 5)]


def test_pieces_are_short_enough_overlap_and_leave_nothing_out() -> None:
    found = character_passages(document(), "pumps.md", chunks_of(*PAGES))
    assert len(found) > 4
    for one, two in pairwise(found):
        assert len(one.passage.text) <= CHARACTERS
        assert 0 < one.source.end - two.source.start <= OVERLAP
    assert found[0].source.start == 0
    said = " ".join(each.passage.text for each in found)
    for _, *blocks in PAGES:
        for block in blocks:
            assert all(sentence in said for sentence in block.text.split(". "))


def test_pieces_begin_and_end_with_sentences_and_know_their_pages() -> None:
    found = character_passages(document(), "pumps.md", chunks_of(*PAGES))
    for each in found:
        assert each.passage.text.startswith(("Pump P-", "Hall "))
        assert each.passage.text.endswith(("minute.", *(f"Hall {number}" for number in range(1, 5))))
        numbers = {int(number) for number in range(1, 5) if f"P-{number}0 " in each.passage.text}
        assert numbers <= set(range(each.source.page, each.source.last_page + 1))
    assert (found[0].source.page, found[-1].source.last_page) == (1, 4)


def test_text_without_an_end_is_cut_at_words() -> None:
    block = Block(kind="paragraph", text=" ".join(f"word{number}" for number in range(600)))
    found = character_passages(document(), "pumps.md", chunks_of((block,)))
    for one, two in pairwise(found):
        assert len(one.passage.text) <= CHARACTERS
        assert one.source.end > two.source.start
    assert {word for each in found for word in each.passage.text.split()} == set(block.text.split())


def test_rows_behind_their_header_are_told_apart() -> None:
    found = character_passages(document(), "pumps.md", chunks_of((heading("Covers"), table(40), prose(1))))
    assert found[0].headless == 0
    assert "Part | Torque" in found[0].passage.text
    second = found[1]
    assert second.headless > 0
    rows = second.passage.text[: second.headless].splitlines()
    assert all(" | " in row for row in rows)
    assert " | " not in second.passage.text[second.headless :]


def test_our_own_chunks_keep_their_ids_and_headings() -> None:
    chunks = chunks_of(*PAGES)
    found = chunk_passages(document(), "pumps.md", chunks)
    assert [each.source.chunk for each in found] == [each.id for each in chunks if each.kind == "passage"]
    assert found[0].passage.chunk.heading_path == ("Hall 1",)


def test_what_pages_repeat_is_known() -> None:
    footer = Block(kind="paragraph", text="Halden Memory, internal use, sheet 7 of the pump book")
    pages = [(*page, Block(kind="paragraph", text=footer.text.replace("7", str(at)))) for at, page in enumerate(PAGES)]
    found = chunk_passages(document(), "pumps.md", chunks_of(*pages))
    assert any(each.repeated for each in found)
    assert {mark for each in found for mark in each.repeated} == {
        "halden memory, internal use, sheet 0 of the pump book"
    }
