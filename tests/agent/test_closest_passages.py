"""What is quoted of the passages that come closest to a question, with the built-in embedder's vectors."""

from dataclasses import replace

import pytest

from agent.closest_passages import quotable_parts, quote_closest
from contracts.text import BlockKind, Passage
from tests.agent.scripted import passage
from tools.embedding.hashing import HashingEmbedder

PUMP = "The pump runs at 2.5 V.\n\nThe cafeteria opens at eight.\n\nThe fan is quiet."
LONG = " ".join(f"Rule {number} of the house says that nobody may smoke." for number in range(20))


def of_kind(kind: BlockKind, text: str) -> Passage:
    made = passage("parts.pdf", 2, text)
    return replace(made, chunk=replace(made.chunk, block_kind=kind))


@pytest.mark.parametrize(
    ("text", "kind", "parts"),
    [
        (PUMP, "paragraph", [["The pump runs at 2.5 V."], ["The cafeteria opens at eight."], ["The fan is quiet."]]),
        ("To start:\n\n1. Open it.\n2. Press on.", "list", [["To start:\n\n1. Open it.\n2. Press on."]]),
        (
            "Part | Life\nA | 2 years\n\nLife is counted from delivery.",
            "table",
            [["Part | Life\nA | 2 years"], ["Life is counted from delivery."]],
        ),
    ],
)
def test_a_part_is_a_block_with_what_leads_into_it(text: str, kind: BlockKind, parts: list[list[str]]) -> None:
    made = of_kind(kind, text)
    assert [[text[span.start : span.end] for span in part] for part in quotable_parts(made)] == parts


def test_rows_come_with_the_header_of_their_table() -> None:
    table = of_kind("table", "\n".join(["Part | Life", *(f"Part {number} | {number} years" for number in range(40))]))
    _, second, *_ = quotable_parts(table)
    first_lines = [table.text[span.start : span.end].split("\n")[0] for span in second]
    assert first_lines == ["Part | Life", "Part 11 | 11 years"]


def test_a_long_block_is_quoted_in_whole_sentences() -> None:
    texts = [LONG[span.start : span.end] for (span,) in quotable_parts(passage("rules.pdf", 1, LONG))]
    assert " ".join(texts) == LONG
    assert all(len(text.split()) <= 60 and text.endswith(".") for text in texts)


async def test_the_part_that_fits_the_question_is_quoted_and_placed() -> None:
    (quoted,) = await quote_closest(
        "When does the cafeteria open?", [passage("a.pdf", 7, PUMP)], HashingEmbedder(), limit=3
    )
    assert (quoted.number, quoted.document_name, quoted.page) == (1, "a.pdf", 7)
    assert quoted.quote == "The cafeteria opens at eight."
    assert [PUMP[span.start : span.end] for span in quoted.quote_spans] == [quoted.quote]
    assert [box.top for box in quoted.boxes] == [120]


async def test_copies_are_quoted_once_and_other_documents_come_first_where_they_are_as_close() -> None:
    shelf = [
        passage("a.pdf", 1, "The pump needs oil every week."),
        passage("b.pdf", 1, "The pump needs oil every week."),
        passage("a.pdf", 2, "The pump needs oil every month."),
        passage("c.pdf", 1, "The pump needs oil twice a day."),
        passage("d.pdf", 1, "Soup is served at noon."),
    ]
    quoted = await quote_closest("How often does the pump need oil?", shelf, HashingEmbedder(), limit=3)
    assert quoted[0].document_name == "a.pdf"
    assert "b.pdf" not in [each.document_name for each in quoted]
    assert [each.number for each in quoted] == [1, 2, 3]


async def test_nothing_is_quoted_where_nothing_was_found() -> None:
    assert await quote_closest("Why?", [], HashingEmbedder(), limit=3) == ()
