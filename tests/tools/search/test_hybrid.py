"""The hybrid searcher over a real library, and the fusion of what it finds by words and by meaning."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.text import BlockKind
from tests.tools.search.libraries import Library, chunk_of, document_of
from tools.search.fusion import FoundLists, FusionWeights, fuse, jargon_share_of

FILLER = tuple(f"Section {number} speaks of packing, shipping and storing reel {number}." for number in range(40))


@pytest.fixture
async def library(tmp_path: Path) -> Library:
    library = Library(tmp_path)
    await library.put("filler", *FILLER)
    return library


async def test_search_in_chosen_documents_and_with_several_wordings(library: Library) -> None:
    for name in ("one", "two", "three"):
        await library.put(name, *FILLER, f"The wear levelling of {name} moves cold data.")
    found = await library.searcher.search(["wear levelling"], 5, documents=frozenset({"two"}))
    assert {each.chunk.document_id for each in found} == {"two"}
    assert found[0].text == "The wear levelling of two moves cold data."
    assert found[0].dense > 0
    either = await library.searcher.search(["wear levelling of one", "wear levelling of three"], 2)
    assert {each.document_name for each in either} == {"one.txt", "three.txt"}
    nobodys = await library.searcher.search(["wear"], 5, groups=frozenset({"lab"}), documents=frozenset({"two"}))
    assert nobodys == ()


async def test_results_are_sorted_limited_and_complete(library: Library) -> None:
    passages = await library.searcher.search(["storing a reel"], 7)
    assert len(passages) == 7
    assert [passage.score for passage in passages] == sorted((passage.score for passage in passages), reverse=True)
    assert all(passage.dense != 0.0 for passage in passages)
    assert await library.searcher.search(["storing a reel"], 0) == ()
    await library.put("timing", "The program time tPROG is 700 us. Erasing is slow.")
    (first, *_) = await library.searcher.search(["How long is tPROG?"], 3)
    assert (first.chunk.id, first.document_name, first.document_title) == ("timing-0", "timing.txt", "Timing")
    assert [first.sentence(at) for at in range(2)] == ["The program time tPROG is 700 us.", "Erasing is slow."]
    assert 0.0 < first.dense <= 1.0


async def test_any_string_is_a_query_and_empty_input_finds_nothing(library: Library, tmp_path: Path) -> None:
    for query in ["日本語の質問", "?!", "\x00", "reel " * 2_000]:
        assert isinstance(await library.searcher.search([query], 3), tuple), query
    for queries in [[], [""], ["  ", "\n"]]:
        assert await library.searcher.search(queries, 5) == (), queries
    (tmp_path / "empty").mkdir()
    assert await Library(tmp_path / "empty").searcher.search(["anything"], 5) == ()


async def test_groups_are_respected(library: Library) -> None:
    await library.put("secret", "The secret margin is eleven percent.", group="board")
    everyone = frozenset({"everyone"})
    asked = ["What is the secret margin?"]
    assert (await library.searcher.search(asked, 1))[0].document_name == "secret.txt"
    assert (await library.searcher.search(asked, 1, groups=frozenset({"board"})))[0].document_name == "secret.txt"
    readable = await library.searcher.search(asked, 50, groups=everyone)
    assert readable
    assert {passage.document_name for passage in readable} == {"filler.txt"}
    assert await library.searcher.search(asked, 5, groups=frozenset()) == ()


async def test_a_change_in_sql_is_seen_by_the_next_search(library: Library) -> None:
    asked = ["frobnication voltage"]
    await library.searcher.search(asked, 1)
    await library.put("new", "The frobnication voltage is 1.8 V.")
    assert (await library.searcher.search(asked, 1))[0].document_name == "new.txt"
    await library.put("new", "The frobnication voltage is 1.2 V.")
    assert "1.2 V" in (await library.searcher.search(asked, 1))[0].text
    assert "new-0" in (await library.searcher.lists(asked[0])).dense, "not only by its words"
    library.store.delete_document("new")
    assert all(passage.document_name == "filler.txt" for passage in await library.searcher.search(asked, 50))


async def test_matching_summary_returns_the_passages_of_its_section(library: Library) -> None:
    sections = [chunk_of("book", number, f"Chapter {number}", kind="section") for number in range(2)]
    passages = [
        chunk_of("book", row, f"Row {row}: value {row * 7} of kind K{row}.", section=f"book-section-{row % 2}")
        for row in range(12)
    ]
    text = "How endurance qualification under thermal cycling is done."
    summary = chunk_of("book", 0, text, kind="summary", section="book-section-1")
    plain = [*sections, *passages]
    asked = ["How is endurance qualification under thermal cycling done?"]
    await library.put_chunks("book", plain)
    before = {passage.chunk.id: rank for rank, passage in enumerate(await library.searcher.search(asked, 52))}
    await library.put_chunks("book", [*plain, summary])
    found = await library.searcher.search(asked, 52)
    after = {passage.chunk.id: rank for rank, passage in enumerate(found)}
    assert all(passage.chunk.kind == "passage" for passage in found)
    lifted = [chunk.id for chunk in passages if chunk.section_id == "book-section-1"]
    assert sum(after[id] for id in lifted) < sum(before[id] for id in lifted)
    assert found[0].chunk.section_id == "book-section-1"


async def test_similarities_are_cosines_of_existing_chunks_of_the_same_model(library: Library) -> None:
    texts = ("A delay-locked loop aligns the clock.", "The cafeteria serves soup on Fridays.")
    question = "Which loop aligns the clock?"
    await library.put("a", *texts)
    of_other_model = np.ones((1, 3), dtype=np.float32)
    library.store.replace_document(document_of("b"), [chunk_of("b", 0, texts[0])], of_other_model, embedder="other")
    found = await library.searcher.likeness(question, ["a-1", "a-0", "b-0", "gone"])
    (query,) = await library.embedder.embed_queries([question])
    near, far = await library.embedder.embed_documents(texts) @ query
    assert found == {"a-0": pytest.approx(near, abs=1e-6), "a-1": pytest.approx(far, abs=1e-6)}
    assert await library.searcher.likeness(question, []) == {}


async def test_jargon_gives_words_more_weight(library: Library) -> None:
    # Hashed spellings make "calibrate" similar to the first text; only the second contains the term itself.
    await library.put("near", "Calibrating calibrators calibrates calibrations, said the calibrated calibrator.")
    await library.put("exact", "Cal is kept in the cupboard at the end of the corridor beside the lift.")
    plain = {p.document_name: p.score for p in await library.searcher.search(["calibrating cal"], 5)}
    jargon = {p.document_name: p.score for p in await library.searcher.search(["calibrating cal"], 5, jargon=["CAL"])}
    assert jargon["exact.txt"] - jargon["near.txt"] > plain["exact.txt"] - plain["near.txt"]


async def test_duplicate_passage_is_returned_once_unless_a_number_differs(library: Library) -> None:
    row = (
        "In mode {} the strobe delay of the interface is {} ns at the nominal supply voltage and room temperature, as "
        "measured by the crew of the bench on forty parts of three lots in the first week of the last autumn."
    )
    await library.put("a", row.format("four", 25))
    await library.put("copy", row.format("four", 25))
    await library.put("rows", row.format("five", 20), row.format("five", 30), row.format("five", 20) + " See")
    found = await library.searcher.search(["strobe delay of the interface"], 10)
    texts = [passage.text for passage in found if "strobe" in passage.text]
    assert texts.count(row.format("four", 25)) == 1
    assert len(texts) == 3
    assert any("30 ns" in text for text in texts)


@pytest.mark.parametrize("kind", ["table", "rows"])
async def test_each_row_of_a_table_is_a_sentence(library: Library, kind: BlockKind) -> None:
    table = "Name | Value\ntWC | 25 ns. Min.\n\ntRC | 20 ns; e.g. fast"
    await library.put("table", table, block_kind=kind)
    (first, *_) = await library.searcher.search(["tWC tRC value"], 1)
    assert [first.sentence(index) for index in range(len(first.sentences))] == [
        "Name | Value",
        "tWC | 25 ns. Min.",
        "tRC | 20 ns; e.g. fast",
    ]


WEIGHTS = FusionWeights.stored()


def found(dense: dict[str, float], lexical: dict[str, float], depth: int = 100) -> FoundLists:
    return FoundLists(dense=dense, lexical=lexical, cosines=dense, depth=depth)


def test_rare_word_raises_a_chunk_and_cosine_decides_otherwise() -> None:
    scores = fuse(found({"a": 0.9, "b": 0.5, "c": 0.1}, {}), WEIGHTS)
    assert sorted(scores, key=lambda id: -scores[id]) == ["a", "b", "c"]
    many, few = ({f"c{row}": 0.5 - row / (10 * rows) for row in range(rows)} for rows in (100, 10))
    for dense, lexical, first in ((many, {"c40": 3.0}, "c40"), (few, dict.fromkeys(few, 2.0), "c0")):
        scores = fuse(found(dense, lexical), WEIGHTS)
        assert max(scores, key=lambda id: scores[id]) == first
    # The dense weight rises with the best cosine.
    assert WEIGHTS.dense_share(0.8, 0) > WEIGHTS.dense_share(0.6, 0) > WEIGHTS.dense_share(0.4, 0)
    assert WEIGHTS.dense_share(0.6, 1.0) < WEIGHTS.dense_share(0.6, 0.0)
    assert WEIGHTS.dense_share(-1, 1) == WEIGHTS.least
    assert WEIGHTS.dense_share(1, 0) == WEIGHTS.most


SCORES = st.dictionaries(st.sampled_from("abcdefghij"), st.floats(-1, 1), max_size=10)


@given(dense=SCORES, lexical=st.dictionaries(st.sampled_from("abcdefghij"), st.floats(0, 1e6), max_size=10))
def test_every_chunk_gets_one_bounded_score(dense: dict[str, float], lexical: dict[str, float]) -> None:
    scores = fuse(found(dense, lexical), WEIGHTS)
    assert scores.keys() == dense.keys() | lexical.keys()
    assert all(abs(score) <= WEIGHTS.limit for score in scores.values())


def test_share_of_jargon_words_in_a_query() -> None:
    for question, jargon, share in [
        ("What is tPROG?", ["tPROG"], 1.0),
        ("How long is the program time tPROG?", ["TPROG"], 0.25),
        ("What does the IT department do?", ["IT"], 0.5),
        ("What does wear levelling do?", ["wear levelling"], 1.0),
        ("the of", [], 0.0),
        ("", ["x"], 0.0),
    ]:
        assert jargon_share_of(question, jargon) == pytest.approx(share), question
