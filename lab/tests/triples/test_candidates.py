"""Candidate search: exactly the nearest two, two and three."""

from collections.abc import Sequence

import numpy as np

from golden_lab.triples.pipeline import find_candidates
from golden_lab.triples.triple import Triple, TripleSource
from tests.hashing_embedder import HashingEmbedder
from tools.embedding.base import Matrix


class PlacedEmbedder(HashingEmbedder):
    """Places a text at the angle that its object names in degrees, and keeps count of calls and texts."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[list[str]] = []

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        self.calls.append(list(texts))
        angles = np.radians([float(text.split()[-1]) for text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def at(angle: float, name: str = "x") -> Triple:
    return Triple(subject=name, predicate="at", object=str(angle))


async def test_the_nearest_two_user_two_context_three_reference() -> None:
    sources: dict[TripleSource, list[Triple]] = {
        "reference": [at(80), at(5), at(40), at(10)],
        "user": [at(30), at(1), at(-20)],
        "context": [at(90)],
    }
    embedder = PlacedEmbedder()
    (found,) = await find_candidates([at(0, "claim")], sources, embedder)
    assert [(each.source, each.rank, each.triple.object) for each in found.candidates] == [
        ("user", 0, "1"),
        ("user", 1, "-20"),
        ("context", 0, "90"),
        ("reference", 0, "5"),
        ("reference", 1, "10"),
        ("reference", 2, "40"),
    ]
