"""Precomputed vectors come back as stored, go with their passage, and may be lost without harm."""

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


def test_a_stored_passage_is_there_for_a_later_process(tmp_path: Path) -> None:
    first = vectors_in(tmp_path)
    first.add("pump-1", {A: b"one", B: b"two"})
    first.close()
    later = vectors_in(tmp_path)
    assert later.get([A, C, B]) == {A: b"one", B: b"two"}
    assert later.passages() == {"pump-1"}
    assert later.has("pump-1")
    assert not later.has("pump-2")


def test_two_processes_write_one_file(tmp_path: Path) -> None:
    ours = vectors_in(tmp_path)
    ours.add("pump-1", {A: b"ours"})
    program = (
        "import sys; from pathlib import Path; from tools.embedding.precomputed_vectors import PrecomputedVectors\n"
        "vectors = PrecomputedVectors(Path(sys.argv[1]), 'model', most_bytes=10**7)\n"
        "print(vectors.has('pump-1')); vectors.add('pump-1', {b'j': b'late'}); vectors.add('pump-2', {b'k': b'theirs'})"
    )
    told = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True, timeout=60
    )
    assert told.stdout.split() == ["True"]
    assert ours.get([A, b"j", b"k"]) == {A: b"ours", b"k": b"theirs"}
    assert ours.passages() == {"pump-1", "pump-2"}


def test_vectors_go_with_the_last_passage_that_needs_them(tmp_path: Path) -> None:
    vectors = vectors_in(tmp_path)
    vectors.add("old", {A: b"a secret of the old one", B: b"of both"})
    vectors.add("new", {C: b"of the new one", B: b"of both"})
    vectors.keep_only({"new", "never seen"})
    assert vectors.get([A, B, C]) == {B: b"of both", C: b"of the new one"}
    assert vectors.passages() == {"new"}
    assert not any(b"a secret of the old one" in file.read_bytes() for file in tmp_path.iterdir())
    vectors.keep_only(())
    assert vectors.get([B, C]) == {}


def test_vectors_of_another_model_are_dropped(tmp_path: Path) -> None:
    former = vectors_in(tmp_path, "former")
    former.add("pump-1", {A: b"one"})
    former.close()
    vectors = vectors_in(tmp_path, "model")
    assert vectors.get([A]) == {}
    assert vectors.passages() == set()
    assert len([*tmp_path.glob("*.db")]) == 1


def test_a_full_file_says_so(tmp_path: Path) -> None:
    vectors = vectors_in(tmp_path, most_bytes=200_000)
    assert not vectors.is_full()
    vectors.add("large", {A: bytes(300_000)})
    assert vectors.is_full()
    vectors.keep_only(())
    assert not vectors.is_full()


def test_a_damaged_file_is_replaced(tmp_path: Path) -> None:
    vectors = vectors_in(tmp_path)
    vectors.add("pump-1", {A: b"one"})
    vectors.close()
    (file,) = tmp_path.glob("*.db")
    file.write_bytes(b"no database at all " * 1_000)
    vectors = vectors_in(tmp_path)
    assert vectors.get([A]) == {}
    vectors.add("pump-1", {A: b"one"})
    assert vectors.get([A]) == {A: b"one"}


def test_a_folder_that_cannot_be_used_stores_nothing(tmp_path: Path) -> None:
    (tmp_path / "folder").write_text("a file stands where the folder should")
    vectors = vectors_in(tmp_path / "folder")
    vectors.add("pump-1", {A: b"one"})
    assert vectors.get([A]) == {}
    assert not vectors.has("pump-1")
    assert vectors.is_full()
