"""The whole way with the embedded engine: real judgements, a real dictionary and real search, by the Python API."""

from collections.abc import Iterator

import pytest

from golden_retriever import GoldenRetriever, Turn

PAGES = {
    "welcome": "A new colleague gets a locker key from the front desk on the first day. Lost keys cost 40 euros.",
    "dryer": "The EBR dries vaccine at minus 50 degrees Celsius. One EBR cycle takes 36 hours.",
    "records": "An EBR is signed by two operators before a batch is released. It is kept for 11 years.",
}


@pytest.fixture(scope="module")
def bot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GoldenRetriever]:
    """The bot over four documents of a plant."""
    folder = tmp_path_factory.mktemp("plant")
    for name, text in PAGES.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    with GoldenRetriever(folder / "bot", workers=1) as bot:
        bot.ingest(*folder.glob("*.txt"))
        bot.jargon.add_context(
            "Quality",
            description="Release of batches, records, signatures, audits",
            examples=("Who signs the batch record?", "How long are records kept?"),
        )
        bot.jargon.add_context(
            "Process",
            description="Drying, mixing and filling of vaccines; reactors, temperatures, times",
            examples=("At what temperature is the vaccine dried?", "How long does one cycle take?"),
        )
        bot.jargon.add("EBR", "Electronic Batch Record", context="Quality", description="Log of a batch.")
        bot.jargon.add("EBR", "Evaporation Bed Reactor", context="Process", description="Dries a product.")
        yield bot


def test_one_abbreviation_is_answered_in_two_contexts(bot: GoldenRetriever) -> None:
    for question, sense, words, document in [
        ("At how many degrees does the EBR dry vaccine?", "Evaporation Bed Reactor", "minus 50", "dryer.txt"),
        ("How many operators sign the EBR of a batch?", "Electronic Batch Record", "two operators", "records.txt"),
    ]:
        answer = bot.ask(question)
        assert answer.outcome == "answered", answer.text
        assert [reading.sense.extended_name for reading in answer.readings if reading.sense] == [sense]
        assert words in answer.text
        assert answer.citations[0].document_name == document
        assert answer.certainty > 0.5


def test_bare_abbreviation_leads_to_a_clarifying_question_and_its_reply_is_used(bot: GoldenRetriever) -> None:
    question = "What is an EBR?"
    back = bot.ask(question)
    assert back.outcome == "clarify"
    history = (Turn(role="user", text=question), Turn(role="assistant", text=back.text))
    answer = bot.ask("the batch record", history=history)
    assert answer.outcome == "answered"
    assert "Electronic Batch Record" in answer.text
