"""Claims read by rules."""

import pytest

from golden_lab.triple_extraction.embedded import EmbeddedTripleExtractor

Claim = tuple[str, str, str]


async def read(text: str) -> list[Claim]:
    found = await EmbeddedTripleExtractor().extract(text)
    return [(each.subject, each.predicate, each.object) for each in found.triples]


async def test_reads_claims(subtests: pytest.Subtests) -> None:
    for text, claims in [
            ("The fan is driven by a timer.", [("fan", "is driven by", "timer")]),
            ("The hub supports USB, HDMI and DisplayPort.",
             [("hub", "supports", "USB"), ("hub", "supports", "HDMI"), ("hub", "supports", "DisplayPort")]),
            ("The valve opens the inlet and closes the drain.",
             [("valve", "opens", "inlet"), ("valve", "closes", "drain")]),
            ("The lamp must reach at least 800 lm and shall not flicker at 50 Hz.",
             [("lamp", "shall reach ≥", "800 lm"), ("lamp", "shall not flicker at", "50 Hz")]),
            ("The probe, which is shielded by copper, measures current.",
             [("probe", "is shielded by", "copper"), ("probe", "measures", "current")]),
            ("The KT55, a step-down converter, delivers 3.3V.",
             [("KT55", "is", "step-down converter"), ("step-down converter (KT55)", "delivers", "3.3 V")]),
            ("The board has an FPGA with 512 KB of memory.",
             [("board", "has", "FPGA"), ("FPGA", "has", "512 KB of memory")]),
            ("The pump starts at 20 °C. It stops at 15 °C.",
             [("pump", "starts at", "20 °C"), ("pump", "stops at", "15 °C")]),
            ("If the door is open, the heater shuts down.", [("heater", "shuts down", "if the door is open")]),
            ("The lid must not be opened while it is hot.", [("lid", "shall not be opened", "while it is hot")]),
            ("Logs are copied to tape and kept in a safe.",
             [("log", "is copied to", "tape"), ("log", "is kept in", "safe")]),
            ("People who work nights receive a bonus of 15%.",
             [("people", "works", "nights"), ("people", "receives", "bonus of 15%")]),
            ("The relay that drives the fan uses 24 V.", [("relay", "drives", "fan"), ("relay", "uses", "24 V")]),
            ("To reset the unit, hold the button for 5 seconds.", [("System", "shall hold", "button for 5 seconds")]),
            ("The box, designed for use at sea, withstands salt.", [("box", "withstands", "salt")]),
            ("There is a fuse on the board.", [("System", "has", "fuse on the board")]),
            ("Remove the cover.", [("System", "shall remove", "cover")]),
            ("Weight: 2.5kg", [("System", "has weight =", "2.5 kg")]),
            ("The cable connects to the charger.", [("cable", "connects to", "charger")]),
            ("The signal range and the noise floor were measured.",
             [("signal range", "was", "measured"), ("noise floor", "was", "measured")]),
        ]:  # fmt: skip
        with subtests.test(text=text):
            assert await read(text) == claims


async def test_rows_of_a_table_are_claims_under_their_headers() -> None:
    table = "Parts\n| Part | Voltage | Package |\n|---|---|---|\n| Regulator | 5V | SOT-23 |\n| Driver | 12V | QFN |"
    assert await read(table) == [
        ("regulator", "has voltage =", "5 V"),
        ("regulator", "has package", "SOT-23"),
        ("driver", "has voltage =", "12 V"),
        ("driver", "has package", "QFN"),
    ]


async def test_a_heading_gives_the_subject_that_lines_leave_out() -> None:
    assert await read("Wall clock\nInterfaces: WiFi and USB") == [
        ("wall clock", "has interface", "WiFi"),
        ("wall clock", "has interface", "USB"),
    ]


async def test_items_carry_on_the_sentence_that_leads_them_in() -> None:
    assert await read("The kit contains:\n- a soldering iron\n- two clamps\n") == [
        ("kit", "contains", "soldering iron"),
        ("kit", "contains", "two clamps"),
    ]


async def test_each_claim_names_its_sentence() -> None:
    found = await EmbeddedTripleExtractor().extract("Good morning. The gate opens the path. The relay holds it.")
    assert [each.sentence for each in found.triples] == [1, 2]
