import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine

from library.lexical_queries import MOST_LOOKED_AT
from library.lexical_search import SqlLexicalSearch, nearest_words
from library.store import LibraryStore
from library.tokenization import words_of
from tests.library.samples import Put, chunk_of, document_of, ids, unit_vectors


@pytest.fixture
def search(engine: Engine) -> SqlLexicalSearch:
    return SqlLexicalSearch(engine)


def test_search_uses_stems_and_weights_rare_words_more(search: SqlLexicalSearch, put: Put) -> None:
    filler = [f"The memory of board {number} stores pages." for number in range(8)]
    put("a.txt", "PLR repeats frames of a memory.", "Retransmissions of the memory were counted.", *filler)
    assert ids(search.find("what is a retransmission?", 5)) == ["id-a.txt-1-passage-1"]
    found = search.find("memory frame", 3)
    assert found[0][0] == "id-a.txt-1-passage-0"
    assert len(found) == 3
    assert all(score > 0 for _, score in found)
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)


def test_scores_match_the_bm25_formula(search: SqlLexicalSearch, put: Put) -> None:
    put("a.txt", "probe card", "probe probe needle wafer", "wafer sort", "burn in", "shmoo plot axis")
    lengths = [2, 4, 2, 2, 3]
    mean = sum(lengths) / len(lengths)

    def expected(times: int, length: int) -> float:
        weight = math.log((5 - 2 + 0.5) / (2 + 0.5))
        return weight * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * length / mean))

    found = dict(search.find("probe", 5))
    assert found == {
        "id-a.txt-1-passage-0": pytest.approx(expected(1, 2), rel=1e-6),
        "id-a.txt-1-passage-1": pytest.approx(expected(2, 4), rel=1e-6),
    }


def rank_at_most(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("lexical_queries", "lexical_sqlite"):
        monkeypatch.setattr(f"library.{module}.MOST_RANKED", most)


def test_common_words_only_score_chunks_selected_by_rarer_words(
    search: SqlLexicalSearch, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    filler = [f"Board {number} has a memory bus and a clock." for number in range(12)]
    put("a.txt", "The shmoo plot of a memory.", "A shmoo plot, without it all the same.", *filler)
    every = search.find("shmoo memory clock", 20)
    rank_at_most(4, monkeypatch)
    assert search.find("shmoo memory clock", 20) in (every, every[:2])
    assert len(search.find("memory clock", 20)) >= 12


def test_chunks_with_several_words_come_first_if_all_words_are_common(
    search: SqlLexicalSearch, engine: Engine, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = [f"Board {number} has a memory bus, and far behind its many other parts a clock." for number in range(6)]
    put("a.txt", *both, *["Something else is told."] * 30)
    put("b.txt", *["Memory, memory, memory, memory, memory."] * 2, *["Clock."] * 4)
    assert ids(search.find("memory clock", 1)) == ["id-b.txt-1-passage-0"]
    rank_at_most(4, monkeypatch)
    if engine.name == "sqlite":
        assert all(each.startswith("id-a") for each in ids(search.find("memory clock", 6)))
    # More results are wanted than chunks contain both words.
    assert {"id-b.txt-1-passage-0", "id-b.txt-1-passage-1"} <= set(ids(search.find("memory clock", 8)))


def test_scores_follow_what_is_stored_and_deleted(search: SqlLexicalSearch, engine: Engine, put: Put) -> None:
    put("a.txt", "The shmoo plot of a memory.", *[f"Board {number} has a clock." for number in range(6)])
    scores = [search.find("shmoo memory", 9)]
    put("b.txt", "A shmoo, and another shmoo.", *[f"Hall {number} has a lamp." for number in range(6)])
    scores.append(search.find("shmoo memory", 9))
    assert [len(each) for each in scores] == [1, 2]
    assert scores[0][0][1] != scores[1][0][1]
    # The same as a new search, which has no cached counts.
    assert scores[1] == SqlLexicalSearch(engine).find("shmoo memory", 9)


def test_only_the_most_promising_chunks_are_ranked_by_word_frequency(
    search: SqlLexicalSearch, engine: Engine, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    if engine.name != "postgresql":
        pytest.skip("SQLite ranks all chunks that match")
    others = [f"Something else is told of hall {number}." for number in range(20)]
    both = ["Shmoo, shmoo, shmoo: memory, memory, memory.", "Shmoo memory of a board."]
    put("a.txt", *both, "One shmoo alone is here.", *others)
    every = ids(search.find("shmoo memory", 2))
    assert every == ["id-a.txt-1-passage-0", "id-a.txt-1-passage-1"]
    monkeypatch.setattr("library.lexical_postgresql._LEAST_LIKELY", 1)
    assert ids(search.find("shmoo memory", 2)) == every
    monkeypatch.setattr("library.lexical_postgresql._SPARE", 1)
    # Counting each word once, the shorter chunk looks better: with room for only one, only that one is ranked.
    assert ids(search.find("shmoo memory", 1)) == every[1:]


def test_technical_names_are_words_in_any_spelling(search: SqlLexicalSearch, put: Put) -> None:
    put("a.txt", "Run place_pin first.", "Pull WE# low.", "We place a pin.", "R/B# shows NV-DDR3 is busy.", "Set 1.8 V",
        "veri\ufb01cation of the \uff30\uff2c\uff32", "inter\u00adface")  # fmt: skip
    assert ids(search.find("place_pin", 5)) == ["id-a.txt-1-passage-0"]
    assert ids(search.find("WE#", 5)) == ["id-a.txt-1-passage-1"]
    assert len(search.find("verification", 5)) == 1
    for name in ("place_pin", "place", "we#", "nv-ddr3", "1.8 v", "ddr3", "PLR", "interface"):
        assert search.document_frequency(name) == 1, name


def test_frequency_counts_passages_with_the_whole_word_or_phrase(search: SqlLexicalSearch, store: LibraryStore) -> None:
    document = document_of("a.txt")
    passages = ["PAS here and pas there", "Wear levelling", "wear of levelling", "Überlauf", "C++ or C", "only C"]
    chunks = [chunk_of(document, "passage", number, text) for number, text in enumerate(passages)]
    chunks.append(chunk_of(document, "summary", 0, "PAS in a summary"))
    chunks.append(chunk_of(document, "section", 0, "PAS in a section"))
    store.replace_document(document, chunks, unit_vectors(7), embedder="test-model")
    counts = {"Pas": 1, "PA": 0, "wear LEVELLING": 1, "überlauf": 1, "C": 2, "C++": 1, "C%": 0, "?!": 0}
    assert {words: search.document_frequency(words) for words in counts} == counts
    assert len(search.find("PAS", 5)) == 2


def test_stop_words_match_only_alone_or_as_part_of_a_name(search: SqlLexicalSearch, put: Put) -> None:
    put("a.txt", "This is what we do.", "The IT department answers.", "Queue a job with at.", "Something else")
    assert ids(search.find("what is the department?", 5)) == ["id-a.txt-1-passage-1"]
    assert ids(search.find("who runs IT here", 5)) == ["id-a.txt-1-passage-1"]
    assert ids(search.find("what do we", 5)) == ["id-a.txt-1-passage-0"]
    assert ids(search.find("what does the at command print", 5)) == ["id-a.txt-1-passage-2"]


def test_groups_limit_what_is_found(search: SqlLexicalSearch, put: Put) -> None:
    put("a.txt", "secret prototype", group="board")
    put("b.txt", "public prototype", group="everyone")
    assert len(search.find("prototype", 5)) == 2
    assert ids(search.find("prototype", 5, groups=frozenset({"everyone"}))) == ["id-b.txt-1-passage-0"]
    assert search.find("prototype", 5, groups=frozenset()) == ()
    assert search.document_frequency("prototype", groups=frozenset({"board"})) == 1
    assert search.document_frequency("prototype", groups=frozenset()) == 0
    assert search.near_spellings("secrt", groups=frozenset({"everyone"})) == []
    assert search.near_spellings("secrt", groups=frozenset({"board"})) == ["secret"]
    # Also if many chunks of other groups score higher.
    put("c.txt", *["shmoo"] * 20, group="board")
    put("d.txt", "A shmoo plot shows where a device passes.")
    assert ids(search.find("shmoo", 1, groups=frozenset({"everyone"}))) == ["id-d.txt-1-passage-0"]


def test_near_spellings_come_from_documents_nearest_first(search: SqlLexicalSearch, put: Put) -> None:
    put("a.txt", "PLR and the Shmoo plot", "PLR again, place_pin", "PRX once", "PLL twice", "PLL", "PLL", "the 123")
    assert search.near_spellings("PRL")[0] == "PLR"
    assert search.near_spellings("PLX") == ["PLL", "PLR", "PRX"]
    assert search.near_spellings("PLX", 1) == ["PLL"]
    assert search.near_spellings("shmo") == ["Shmoo"]
    assert search.near_spellings("plcae_pin") == ["place_pin"]
    assert "PLR" not in search.near_spellings("PLR")
    assert search.near_spellings("124") == search.near_spellings("") == []


def test_deleted_text_is_neither_found_nor_suggested(search: SqlLexicalSearch, store: LibraryStore, put: Put) -> None:
    document = put("a.txt", "Shmoo plot")
    put("b.txt", "another text")
    assert search.near_spellings("Shmo") == ["Shmoo"]
    store.delete_document(document.id)
    assert search.find("shmoo", 5) == ()
    assert search.document_frequency("shmoo") == 0
    assert search.near_spellings("Shmo") == []
    put("c.txt", "Shmop plot")
    assert search.near_spellings("Shmo") == ["Shmop"]


@given(query=st.text() | st.text(alphabet="\"*:()^-+NEAROT\x00\ud800 '%_\\{}", max_size=30))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_string_is_a_query(search: SqlLexicalSearch, put: Put, query: str) -> None:
    if search.document_frequency("anchor") == 0:
        put("a.txt", "anchor text with words", '"quoted" NEAR(x) * OR')
    assert all(score > 0 for _, score in search.find(query, 3))
    assert search.document_frequency(query) >= 0
    assert len(search.near_spellings(query, 2)) <= 2


@given(written=st.text(max_size=200))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_can_be_stored_and_its_words_found(search: SqlLexicalSearch, put: Put, written: str) -> None:
    put("a.txt", written)
    for word in words_of(written)[:3]:
        if word.isascii():
            assert search.document_frequency(word) == 1, word
            assert search.find(word, 1)


def test_a_very_long_text_is_indexed(search: SqlLexicalSearch, put: Put) -> None:
    put("a.txt", "x" * 100_000, " ".join(f"word{number}" for number in range(30_000)))
    assert search.document_frequency("word7") == 1
    assert search.find("y" * 100_000, 3) == ()
    assert search.find(" ".join(f"word{number}" for number in range(5_000)), 3)


def test_passages_with_a_phrase_come_from_every_document_first(search: SqlLexicalSearch, put: Put) -> None:
    put("a.txt", "The BE is sawn.", "The BE is bonded.", "It will be moulded.")
    put("b.txt", "A BE of one bit.", group="board")
    found = search.find_phrase("BE", 10, as_written=True)
    assert [chunk_id.split("-")[1] for chunk_id, *_ in found] == ["a.txt", "b.txt", "a.txt"]
    assert [document for _, document, _, _ in found] == ["id-a.txt", "id-b.txt", "id-a.txt"]
    assert found[1][2:] == ("b.txt", "A BE of one bit.")
    assert len(search.find_phrase("BE", 2, as_written=True)) == 2
    assert len(search.find_phrase("be", 10)) == 4
    assert len(search.find_phrase("BE", 10, as_written=True, groups=frozenset({"board"}))) == 1
    put("c.txt", "Delay-locked loops align the clock.", "A loop is locked with a delay.")
    assert [chunk_id for chunk_id, *_ in search.find_phrase("Delay Locked Loop", 5)] == ["id-c.txt-1-passage-0"]


def test_very_frequent_phrase_is_sampled_across_the_library(search: SqlLexicalSearch, put: Put) -> None:
    for number in range(3):
        put(f"{number}.txt", *(f"A DLL of kind {each}." for each in range(1_000)))
    found = search.find_phrase("DLL", 5_000, as_written=True)
    assert MOST_LOOKED_AT / 2 < len(found) <= MOST_LOOKED_AT
    assert {document for _, document, _, _ in found} == {f"id-{number}.txt" for number in range(3)}


def test_longer_words_allow_more_errors(subtests: pytest.Subtests) -> None:
    for asked, near, far in [
        ("abcd", "abcx", "abxx"),
        ("abcde", "abcxx", "abxxx"),
        ("abcdefghi", "abcdefxxx", "abcdexxxx"),
    ]:
        with subtests.test(asked=asked):
            assert nearest_words(asked, {near: 1, far: 1}) == [near]
    # Swapped letters come before other errors, errors in the first letter last, and frequent words before rare ones.
    assert nearest_words("prl", {"plr": 1, "prx": 5, "prs": 9, "xrl": 99}) == ["plr", "prs", "prx", "xrl"]
