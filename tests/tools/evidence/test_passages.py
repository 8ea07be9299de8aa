"""What of a passage is kept, and that what is kept gives what reading anew gives."""

import numpy as np

from contracts.text import Chunk, Passage
from tools.embedding.hashing import HashingEmbedder
from tools.evidence.passages import read_passages
from tools.evidence.reading import EvidenceReader


def passage(text: str, title: str = "") -> Passage:
    chunk = Chunk(id=text, document_id="d", kind="passage", ordinal=0, text=text, page=1, last_page=1)
    return Passage(chunk=chunk, document_name="d.pdf", document_title=title, score=1.0)


PASSAGES = [
    passage("DDR3 needs 1.5 V. DDR4 needs 1.2 V.", "Voltages"),
    passage("The controller encrypts volumes. It has DDR-5."),
    passage("  "),
    passage("Nothing."),
]


def test_the_same_passage_under_another_title_is_another_one() -> None:
    first, again, other = read_passages([PASSAGES[0], PASSAGES[0], passage(PASSAGES[0].text, "Currents")])
    assert first is again
    assert first is not other
    assert first.strengths("voltag")[-1] == 1.0
    assert other.strengths("voltag")[-1] == 0.0


async def test_evidence_is_the_same_whatever_was_read_before_and_beside() -> None:
    question = "Which voltage does DDR4 need, and what of DDR-5 encryption?"
    whole = await EvidenceReader(HashingEmbedder()).read(question, PASSAGES)
    kept = HashingEmbedder()
    for each in PASSAGES:
        await EvidenceReader(kept).read("Something else about DDR3?", [each])
    again = await EvidenceReader(kept).read(question, PASSAGES)
    for name in ("literal", "soft", "headed", "cosine", "owner"):
        np.testing.assert_allclose(getattr(again, name), getattr(whole, name), atol=1e-6, err_msg=name)
    assert again.units == whole.units
    assert again.literal.max() == 1.0
