"""Cases and claims made from benchmark texts have the right labels."""

from pathlib import Path

import numpy as np
import pytest

from golden_lab.datasets.cases import squad_cases
from golden_lab.datasets.claims import squad_claims
from golden_lab.vectors import StoredEmbedder
from lab.tests.benchmarks.annotated_sets import write_rows
from tests.hashing_embedder import HashingEmbedder

RIVERS = {
    "Danube": ("Germany", 2850, "Black Sea"),
    "Rhine": ("Switzerland", 1230, "North Sea"),
    "Volga": ("Russia", 3530, "Caspian Sea"),
    "Loire": ("France", 1006, "Atlantic Ocean"),
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    rows = []
    for article in ("Rivers", "More_rivers"):
        for number, (river, (country, length, sea)) in enumerate(RIVERS.items()):
            text = (
                f"The {river} is a river that rises in the mountains of {country}. In the valley the {river} has been "
                f"measured at {length} kilometres in all. It was later found that the {river} flows into the {sea}."
            )
            questions = [{"q": f"How long is the {river} in {country}?", "a": [str(length)]}]
            rows.append({"title": article, "para": number, "context": text, "qas": questions})
    write_rows(tmp_path / "squad2" / "train_v1.1_paragraphs.jsonl.gz", rows)
    return tmp_path


async def test_only_answerable_cases_contain_their_answer(data: Path) -> None:
    cases = await squad_cases(data, HashingEmbedder(), articles=1, questions_each=4, seed=1)
    assert {case.answerable for case in cases} == {True, False}
    for case in cases:
        held = any(answer in passage.text for answer in case.answers for passage in case.passages)
        assert held == (case.answerable or case.kind == "name_swapped")
        assert any(case.relevant) == case.answerable
        assert len(case.relevant) == len(case.passages)


def test_generated_claims_are_verbatim_or_altered(data: Path) -> None:
    claims = squad_claims(data, articles=1, paragraphs_each=4, seed=1)
    kinds = {claim.kind for claim in claims}
    assert {"verbatim", "other_number", "other_name", "negated", "elsewhere"} <= kinds
    for claim in claims:
        text = " ".join(passage.text for passage in claim.passages)
        if claim.kind == "verbatim":
            assert claim.text in text
        if not claim.supported:
            assert claim.text not in text


async def test_stored_vectors_equal_the_embedders_up_to_rounding(tmp_path: Path) -> None:
    inner = HashingEmbedder(dimensions=64)
    for _ in range(2):
        stored = StoredEmbedder(inner, tmp_path / "vectors.db")
        texts = ["one text", "another", "one text"]
        np.testing.assert_allclose(await stored.embed_documents(texts), await inner.embed_documents(texts), atol=1e-3)
        kept, fresh = await stored.embed_tokens(texts), await inner.embed_tokens(texts)
        assert [each.spans for each in kept] == [each.spans for each in fresh]
