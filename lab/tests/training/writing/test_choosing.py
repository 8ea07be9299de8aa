"""Which documents are asked about, and in which order."""

import pytest

from contracts.errors import InvalidInput
from contracts.text import Document
from golden_lab.training.writing.choosing import choose_documents, draw_passages
from golden_lab.training.writing.cutting import SourcePassage
from lab.tests.training.writing.made import document, source_passage

LIBRARY = (
    document("a.pdf"),
    document("b.md"),
    document("b.md", folder="/other"),
    document("pay.md", group="hr"),
)


def test_patterns_fit_names_paths_and_letters_of_any_case() -> None:
    assert set(choose_documents(LIBRARY)) == {"a.pdf", "/documents/b.md", "/other/b.md"}
    assert set(choose_documents(LIBRARY, ["*.PDF"])) == {"a.pdf"}
    assert set(choose_documents(LIBRARY, ["/other/*", "a.pdf"])) == {"a.pdf", "/other/b.md"}
    with pytest.raises(InvalidInput, match=r"fits .\*.docx"):
        choose_documents(LIBRARY, ["*.md", "*.docx"])
    with pytest.raises(InvalidInput, match="golden ingest"):
        choose_documents(())


def test_documents_take_turns_and_a_seed_draws_the_same() -> None:
    def passages(_: Document, name: str) -> list[SourcePassage]:
        return [source_passage(f"text {number}", name=name, number=number) for number in range(4)]

    documents = choose_documents(LIBRARY)
    drawn = list(draw_passages(documents, passages, seed=3))
    assert [each.key for each in drawn] == [each.key for each in draw_passages(documents, passages, seed=3)]
    assert [each.key for each in drawn] != [each.key for each in draw_passages(documents, passages, seed=4)]
    assert len({each.key for each in drawn}) == 12
    for turn in range(0, 12, 3):
        assert {each.source.document for each in drawn[turn : turn + 3]} == set(documents)
