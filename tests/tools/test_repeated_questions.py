"""Whether a question was asked before, in the same words or in others."""

from tests.hashing_embedder import HashingEmbedder
from tools.repeated_questions import AskedBefore


async def test_two_questions_of_two_codes_are_two() -> None:
    before = AskedBefore(HashingEmbedder())
    await before.add(["What is the VCCQ level of DDR3?"])
    assert await before.knows("what is the vccq level of ddr3 ?")
    assert not await before.knows("What is the VCCQ level of DDR4?")
    assert not await before.knows("Who resizes an SHR?")


async def test_many_questions_are_kept_apart_and_found_again() -> None:
    before = AskedBefore(HashingEmbedder())
    assert not await before.knows("Who resizes a ring?")
    questions = [f"How long does machine M{number} cool down?" for number in range(600)]
    for start in range(0, 600, 50):
        await before.add(questions[start : start + 50])
    assert await before.knows("how long does machine M599 cool down now?")
    assert not await before.knows("How long does machine M600 cool down?")
