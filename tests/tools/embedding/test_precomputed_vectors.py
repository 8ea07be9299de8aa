"""Precomputed vectors: what is put there comes back, is shared, goes with its owner, and may break without harm."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from contracts.text import Span
from tools.embedding.base import TokenEmbeddings
from tools.embedding.precomputed_vectors import (
    PrecomputedVectors,
    pack,
    rounded,
    text_key,
    unpack_tokens,
    unpack_vector,
)

ROOMY = 10 * 2**20
A, B, C = (text_key("document", text) for text in "abc")


def vectors_in(folder: Path, model: str = "model", most_bytes: int = ROOMY) -> PrecomputedVectors:
    return PrecomputedVectors(folder, model, most_bytes=most_bytes)


def test_vectors_come_back_as_they_were_and_tokens_rounded() -> None:
    vector = np.random.default_rng(1).normal(size=5).astype(np.float32)
    found = unpack_vector(pack(vector), 5)
    assert found is not None
    np.testing.assert_array_equal(found, vector)
    tokens = TokenEmbeddings(
        vectors=np.random.default_rng(2).normal(size=(2, 5)).astype(np.float32), spans=(Span(0, 3), Span(4, 9))
    )
    again = unpack_tokens(pack(tokens), 5)
    assert again is not None
    assert again.spans == tokens.spans
    assert again.vectors.dtype == np.float32
    np.testing.assert_array_equal(again.vectors, rounded(tokens).vectors)
    np.testing.assert_allclose(again.vectors, tokens.vectors, rtol=1e-3)
    nothing = unpack_tokens(pack(TokenEmbeddings(vectors=np.zeros((0, 5), dtype=np.float32), spans=())), 5)
    assert nothing is not None
    assert nothing.vectors.shape == (0, 5)


@pytest.mark.parametrize("content", [b"", b"\x01", b"\x02\0\0\0" + b"\0" * 7, b"\xff\xff\xff\xff", b"\0" * 21])
def test_what_is_of_another_length_is_nothing(content: bytes) -> None:
    assert unpack_tokens(content, 5) is None
    assert unpack_vector(content + b"\0" * (-len(content) % 4), 5) is None


def test_a_kept_passage_is_there_for_a_later_process(tmp_path: Path) -> None:
    first = vectors_in(tmp_path)
    assert first.claim("pump-1")
    first.keep("pump-1", {A: b"one", B: b"two"})
    first.close()
    later = vectors_in(tmp_path)
    assert later.recall([A, C, B]) == {A: b"one", B: b"two"}
    assert later.owners() == {"pump-1"}
    assert not later.claim("pump-1")


def test_only_one_process_takes_a_passage_on(tmp_path: Path) -> None:
    ours = vectors_in(tmp_path)
    assert ours.claim("pump-1")
    program = (
        "import sys; from pathlib import Path; from tools.embedding.precomputed_vectors import PrecomputedVectors\n"
        "precomputed = PrecomputedVectors(Path(sys.argv[1]), 'model', most_bytes=10**7)\n"
        "print(precomputed.claim('pump-1'), precomputed.claim('pump-2')); precomputed.keep('pump-2', {b'k': b'theirs'})"
    )
    told = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True, timeout=60
    )
    assert told.stdout.split() == ["False", "True"]
    assert ours.recall([b"k"]) == {b"k": b"theirs"}
    assert ours.owners() == {"pump-2"}, "what is only claimed is not there yet"


def test_vectors_go_with_the_last_passage_that_needs_them(tmp_path: Path) -> None:
    precomputed = vectors_in(tmp_path)
    precomputed.keep("old", {A: b"a secret of the old one", B: b"of both"})
    precomputed.keep("new", {C: b"of the new one"}, also=[B])
    assert precomputed.retain({"new", "never seen"}) == 1
    assert precomputed.recall([A, B, C]) == {B: b"of both", C: b"of the new one"}
    assert precomputed.owners() == {"new"}
    assert not any(b"a secret of the old one" in file.read_bytes() for file in tmp_path.iterdir())
    assert precomputed.retain({"new"}) == 0
    precomputed.retain(())
    assert precomputed.recall([B, C]) == {}


def test_a_passage_whose_shared_vector_went_meanwhile_is_not_whole(tmp_path: Path) -> None:
    precomputed = vectors_in(tmp_path)
    precomputed.keep("old", {A: b"of both"})
    precomputed.retain(())
    precomputed.keep("new", {B: b"own"}, also=[A])
    assert precomputed.owners() == set()
    assert precomputed.claim("new")


def test_vectors_of_another_model_are_dropped(tmp_path: Path) -> None:
    former = vectors_in(tmp_path, "former")
    former.keep("pump-1", {A: b"one"})
    former.close()
    precomputed = vectors_in(tmp_path, "model")
    assert precomputed.recall([A]) == {}
    assert precomputed.owners() == set()
    assert len([*tmp_path.glob("*.db")]) == 1


def test_a_full_file_says_so(tmp_path: Path) -> None:
    precomputed = vectors_in(tmp_path, most_bytes=200_000)
    assert not precomputed.is_full()
    precomputed.keep("large", {A: bytes(300_000)})
    assert precomputed.is_full()
    precomputed.retain(())
    assert not precomputed.is_full()


def test_a_torn_file_is_made_anew(tmp_path: Path) -> None:
    precomputed = vectors_in(tmp_path)
    precomputed.keep("pump-1", {A: b"one"})
    precomputed.close()
    (file,) = tmp_path.glob("*.db")
    file.write_bytes(b"no database at all " * 1_000)
    precomputed = vectors_in(tmp_path)
    assert precomputed.recall([A]) == {}
    precomputed.keep("pump-1", {A: b"one"})
    assert precomputed.recall([A]) == {A: b"one"}


def test_a_place_that_cannot_be_used_costs_nothing_but_time(tmp_path: Path) -> None:
    (tmp_path / "folder").write_text("a file stands where the folder should")
    precomputed = vectors_in(tmp_path / "folder")
    precomputed.keep("pump-1", {A: b"one"})
    assert precomputed.recall([A]) == {}
    assert not precomputed.claim("pump-1")
    assert precomputed.is_full()
