"""What only the hashing embedder promises: the same vectors everywhere, spelling counts."""

import asyncio
import subprocess
import sys

import numpy as np

from tools.embedding.hashing import HashingEmbedder


def test_vectors_are_the_same_in_another_process() -> None:
    (here,) = asyncio.run(HashingEmbedder().embed_documents(["Toggle mode interface"]))
    script = (
        "import asyncio; from tools.embedding.hashing import HashingEmbedder; "
        "print(asyncio.run(HashingEmbedder().embed_documents(['Toggle mode interface'])).tobytes().hex())"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == here.tobytes().hex()


async def test_inflections_and_misspellings_stay_near() -> None:
    vectors = await HashingEmbedder().embed_documents(["calibration", "calibrations", "calibratoin", "voltage"])
    plural, misspelt, other = vectors[1:] @ vectors[0]
    assert plural > 0.8
    assert misspelt > 0.1
    assert misspelt > other


async def test_stop_words_hardly_count() -> None:
    vectors = await HashingEmbedder().embed_documents(["the bus of the die", "bus die", "the of the in"])
    assert vectors[0] @ vectors[1] > 0.9
    assert vectors[0] @ vectors[2] < 0.5


async def test_a_text_without_words_is_near_to_nothing() -> None:
    (empty,) = await HashingEmbedder(dimensions=32).embed_documents(["?! …"])
    assert np.array_equal(empty, np.zeros(32, dtype=np.float32))
