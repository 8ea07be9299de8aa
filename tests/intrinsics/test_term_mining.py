"""Terms mined from prose, glossaries and junk, and those that a chat model lists, looked up in the text."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.verdicts import MinedTerms
from intrinsics.term_mining.embedded import EmbeddedTermMiner
from intrinsics.term_mining.llm import PromptedTermMiner
from tests.scripted_chat import ScriptedChatModel


async def mine(text: str) -> dict[str, str]:
    return {mined.term: mined.extended_name for mined in (await EmbeddedTermMiner().mine(text)).terms}


async def test_finds_definitions_in_prose() -> None:
    cases = [
        ("Each logical unit number (LUN) has its own status.", {"LUN": "logical unit number"}),
        ("Each LUN (logical unit number) has its own status.", {"LUN": "logical unit number"}),
        ("All logical unit numbers (LUNs) share the bus.", {"LUN": "logical unit number"}),
        (
            "Two post office boxes (POBs) and three write-back caches (WBCs).",
            {"POB": "post office box", "WBC": "write-back cache"},
        ),
        ("O.P.E.N. (Our Plan for Every New supplier) is out.", {"OPEN": "Our Plan for Every New supplier"}),
        ("VPP stands for the programming voltage of the part (not V).", {}),
        ("RBER stands for raw bit error rate.", {"RBER": "raw bit error rate"}),
        ("ECN, short for engineering change notice, is a form.", {"ECN": "engineering change notice"}),
        ("The delay-locked loop, abbreviated as DLL, aligns edges.", {"DLL": "delay-locked loop"}),
        ("We use the low-density parity-check code (LDPC) here.", {"LDPC": "low-density parity-check code"}),
        ("An on-die termination (hereafter ODT) is needed.", {"ODT": "on-die termination"}),
        ("The eXtensible Markup Language (XML) is old.", {"XML": "eXtensible Markup Language"}),
        ("The term “bit error” (“BE”) is used.", {"BE": "bit error"}),
        ("AE = architect-engineer; GM = Google Maps, CI: x.", {"AE": "architect-engineer", "GM": "Google Maps"}),
        ("MT/s means million transfers per second.", {"MT/s": "million transfers per second"}),
        # A list of things is not a definition, and neither is a table of other things.
        ("We use UART, a serial bus, and SPI, which is faster.", {}),
        ("Send it by DHL, door to hatch lorries are late.", {}),
        ("Part | Speed\nNV2 | 400 MT/s\nNV3 | 800 MT/s\n", {}),
        ("The values (see Table 3) are typical (TBD).", {}),
        ("It rose (by 40 MB/s) in May (GMT).", {}),
        # Too many words contribute no letter.
        ("Run many old long power big lamp cords (RPC) today.", {}),
        ("((((((", {}),
        ("ABC (ABC)", {}),
        ("", {}),
    ]
    assert [(text, await mine(text)) for text, _ in cases] == cases


async def test_reads_tables_of_terms_and_symbols() -> None:
    text = (
        "Term | Meaning | Description\n--- | --- | ---\n"
        "ALE | Address Latch Enable | Loads the byte on the bus as an address.\n"
        "VIO | Supply of the output drivers | Often 1.2 V.\n"
        "Part | Something | else\n"
    )
    found = {mined.term: mined for mined in (await EmbeddedTermMiner().mine(text, page=7)).terms}
    assert found["ALE"].extended_name == "Address Latch Enable"
    assert found["ALE"].description.startswith("Loads the byte")
    assert found["ALE"].page == 7
    assert "ALE | Address Latch Enable" in found["ALE"].evidence
    assert found["VIO"].extended_name == "Supply of the output drivers"
    assert found["VIO"].score < found["ALE"].score
    assert set(found) == {"ALE", "VIO"}
    # Tables of symbols, and names with explanations.
    text = "Parameter | Symbol | Max | Unit\nRow open time | tOPN | 12 | ns\nWE# high to busy | tWB | 100 | ns"
    assert await mine(text) == {"tOPN": "Row open time", "tWB": "WE# high to busy"}
    text = "Name | What it measures\ntWC | Write cycle: from one edge to the next.\ntCCS | Change column setup.\n"
    assert await mine(text + "FLT | The last write failed.") == {"tWC": "Write cycle", "tCCS": "Change column setup"}
    # A name may begin with the term itself.
    text = "Abbreviation | Stands for\nORAN | ORAN Working Group of Example"
    assert await mine(text) == {"ORAN": "ORAN Working Group of Example"}


async def test_reads_glossary_lists() -> None:
    text = (
        "- DLL: Delay-Locked Loop, aligns the clock.\n* **ODT** – on-die termination\n"
        "ECC\tError Correction Code\nNote: see DLL"
    )
    found = (await EmbeddedTermMiner().mine(text)).terms
    assert {mined.term: (mined.extended_name, mined.description) for mined in found} == {
        "DLL": ("Delay-Locked Loop", "aligns the clock"),
        "ODT": ("on-die termination", ""),
        "ECC": ("Error Correction Code", ""),
    }
    # The evidence is the sentence of the definition.
    text = "Nothing here. A logical unit number (LUN) names a unit. Nothing there."
    (mined,) = (await EmbeddedTermMiner().mine(text)).terms
    assert mined.evidence == "A logical unit number (LUN) names a unit."
    # Two meanings in one text are both found.
    text = "The bit error (BE) counts. In packaging, the back end (BE) follows sawing."
    assert {mined.extended_name for mined in (await EmbeddedTermMiner().mine(text)).terms} == {"bit error", "back end"}


pieces = st.sampled_from(["(", ")", "LUN", " (", "|", "\n", "A" * 40, "stands for ", ", or ", ": ", "="])
awkward = st.lists(st.text(max_size=30) | pieces, max_size=40).map("".join)


@settings(max_examples=150, deadline=None)
@given(awkward)
async def test_any_text_gives_valid_terms(text: str) -> None:
    for mined in (await EmbeddedTermMiner().mine(text)).terms:
        assert mined.term
        assert mined.extended_name
        assert 0.0 <= mined.score <= 1.0


async def seconds(piece: str, size: int) -> float:
    text = piece * (size // len(piece))
    started = time.process_time()
    await EmbeddedTermMiner().mine(text)
    return time.process_time() - started


async def test_time_grows_with_the_length_only(subtests: pytest.Subtests) -> None:
    """Hostile text of eight times the length takes about eight times as long, not sixty-four."""
    for piece in ("(", "A (", "AB ", "AB = ", "a b c d (ABCD", "AB stands for ", "x | ", "-", "AB: a ", "AB\t"):
        with subtests.test(piece):
            await seconds(piece, 1_000)
            short, long = await seconds(piece, 6_000), await seconds(piece, 48_000)
            assert long < 24 * max(short, 0.02)


PUMPS = (
    "Each ballast pump (BLP)\nhas its own fuse. Two tank level sensors (TKLs) watch it.\n"
    "Term | Meaning\nHUGO | the assembly robot of hall 3\nThe GRX is read over I2C."
)


def listed(*terms: tuple[str, str, str]) -> str:
    named = [dict(zip(("term", "expansion", "evidence"), each, strict=True)) for each in terms]
    return json.dumps({"terms": named})


async def mine_by_model(*replies: str, text: str = PUMPS) -> MinedTerms:
    return await PromptedTermMiner(ScriptedChatModel(replies)).mine(text, page=4)


async def test_mined_terms_quote_their_evidence_literally() -> None:
    found = await mine_by_model(
        listed(
            ("HUGO", "the assembly robot of hall 3", "HUGO | the assembly robot of hall 3"),
            ("TKLs", "tank level sensors", "Two tank level sensors (TKLs) watch it."),
            ("BLP", "ballast pump", "Each ballast pump (BLP) has its own fuse."),
            ("BLP", "Ballast Pump", "Each ballast pump (BLP)"),
        )
    )
    assert [(each.term, each.extended_name, each.evidence) for each in found.terms] == [
        ("BLP", "ballast pump", "Each ballast pump (BLP) has its own fuse."),
        ("TKL", "tank level sensor", "Two tank level sensors (TKLs) watch it."),
        ("HUGO", "the assembly robot of hall 3", "HUGO | the assembly robot of hall 3"),
    ]
    assert {each.page for each in found.terms} == {4}
    assert found.terms[0].score > 0.9
    assert found.terms[2].score == 0.5
    assert found.provenance.implementation == "llm"


async def test_terms_not_stated_in_the_text_are_dropped() -> None:
    found = await mine_by_model(
        listed(
            ("GRX", "graphics register", "The GRX is read over I2C."),
            ("BLP", "ballast pump", "The ballast pump (BLP) is blue."),
            ("I2C", "Inter-Integrated Circuit", "Inter-Integrated Circuit (I2C)"),
            ("LP", "ballast pump", "Each ballast pump (BLP) has its own fuse."),
            ("BLP", "BLP", "Each ballast pump (BLP) has its own fuse."),
            ("BLP", "ballast pump", "   "),
        )
    )
    assert found.terms == ()


async def test_long_text_is_sent_in_pieces_and_text_without_abbreviations_not() -> None:
    chat = ScriptedChatModel(lambda request: listed())
    sentences = [f"Pump number {n} of the long row has a valve (PV{n}) that opens every hour." for n in range(200)]
    await PromptedTermMiner(chat).mine(" ".join(sentences))
    shown = "".join(request.messages[-1].content for request in chat.requests)
    assert len(chat.requests) == 3
    assert all(shown.count(sentence) == 1 for sentence in sentences)
    assert (await mine_by_model(text="The pump hums. Nobody minds.")).terms == ()
    assert (await mine_by_model(text="")).terms == ()
