"""Claims read by rules or written by a chat model, and their normal form (TRIFEX, appendix C.1)."""

import json

import pytest

from contracts.errors import MalformedReply
from golden_lab.triple_extraction.embedded import EmbeddedTripleExtractor
from golden_lab.triple_extraction.llm import PromptedTripleExtractor
from golden_lab.triple_extraction.normalisation import normalise_all, normalise_subject, normalise_triple
from golden_lab.triples.triple import Triple
from tests.scripted_chat import ScriptedChatModel

Claim = tuple[str, str, str]


async def read(text: str) -> list[Claim]:
    found = await EmbeddedTripleExtractor().extract(text)
    return [(each.subject, each.predicate, each.object) for each in found.triples]


async def test_extracts_claims_from_text(subtests: pytest.Subtests) -> None:
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
            # In normal form, in order, without duplicates.
            ("The XB200 heaters must reach at least 60°C. They are controlled by a thermostat. "
             "The XB200 heaters must reach 60°C. The XB200 heaters must reach 60 °C.",
             [("heater (XB200)", "shall reach ≥", "60 °C"), ("heater (XB200)", "is controlled by", "thermostat"),
              ("heater (XB200)", "shall reach", "60 °C")]),
            # Table rows under their headers, subjects carried over from earlier lines, and items of a sentence.
            ("Parts\n| Part | Voltage | Package |\n|---|---|---|\n| Regulator | 5V | SOT-23 |\n| Driver | 12V | QFN |",
             [("regulator", "has voltage =", "5 V"), ("regulator", "has package", "SOT-23"),
              ("driver", "has voltage =", "12 V"), ("driver", "has package", "QFN")]),
            ("Wall clock\nInterfaces: WiFi and USB",
             [("wall clock", "has interface", "WiFi"), ("wall clock", "has interface", "USB")]),
            ("The kit contains:\n- a soldering iron\n- two clamps\n",
             [("kit", "contains", "soldering iron"), ("kit", "contains", "two clamps")]),
        ]:  # fmt: skip
        with subtests.test(text=text):
            assert await read(text) == claims


async def test_each_claim_names_its_sentence() -> None:
    found = await EmbeddedTripleExtractor().extract("Good morning. The gate opens the path. The relay holds it.")
    assert [each.sentence for each in found.triples] == [1, 2]


def reply(*claims: tuple[str, str, str]) -> str:
    return json.dumps({"claims": [dict(zip(("subject", "predicate", "object"), each, strict=True)) for each in claims]})


async def test_written_claims_are_put_in_normal_form() -> None:
    chat = ScriptedChatModel([reply(("The Pumps", "must deliver", "at least 3A"), ("pump", "shall deliver ≥", "3 A"))])
    found = await PromptedTripleExtractor(chat).extract("The pumps must deliver at least 3A.")
    assert [each.text for each in found.triples] == ["pump shall deliver ≥ 3 A"]
    assert found.provenance.implementation == "llm"
    assert found.provenance.prompt_version


async def test_the_prompts_own_example_is_in_normal_form() -> None:
    chat = ScriptedChatModel([reply()])
    await PromptedTripleExtractor(chat).extract("The fan is off.")
    example = chat.requests[0].messages[2].content
    found = await PromptedTripleExtractor(ScriptedChatModel([example])).extract("The fan is off.")
    written = [" ".join(each.values()) for each in json.loads(example)["claims"]]
    assert [each.text for each in found.triples] == written


async def test_reply_in_another_format_is_sent_back_once() -> None:
    chat = ScriptedChatModel(['{"claims": [{"subject": "fan"}]}', reply(("fan", "is", "off"))])
    assert (await PromptedTripleExtractor(chat).extract("The fan is off.")).triples[0].object == "off"
    with pytest.raises(MalformedReply):
        await PromptedTripleExtractor(ScriptedChatModel(["no", "no"])).extract("The fan is off.")


async def test_long_text_is_sent_in_pieces_of_whole_sentences() -> None:
    chat = ScriptedChatModel(lambda request: reply())
    sentences = [
        f"Sensor number {n} of the long row reports its value to the hub once every minute." for n in range(200)
    ]
    await PromptedTripleExtractor(chat).extract(" ".join(sentences))
    shown = "".join(request.messages[-1].content for request in chat.requests)
    assert len(chat.requests) == 3
    assert all(shown.count(sentence) == 1 for sentence in sentences)


def test_subjects_are_lower_case_singular_without_articles(subtests: pytest.Subtests) -> None:
    for written, normal in [
        ("The Power Stage Modules", "power stage module"),
        ("IAMP175 instrumentation amplifier", "instrumentation amplifier (IAMP175)"),
        ("the reference regulator RG7444", "reference regulator (RG7444)"),
        ("IAMP175", "IAMP175"),
        ("The system", "System"),
        ("it", "System"),
        ("System (Strain Sense Pro)", "System (Strain Sense Pro)"),
        ("All Employees", "employee"),
        ("the batteries of the drone", "battery of the drone"),
        ("ADCs", "ADC"),
        ("The address bus", "address bus"),
        ("Series", "series"),
    ]:
        with subtests.test(written=written):
            assert normalise_subject(written) == normal


def test_modality_and_comparator_are_part_of_the_predicate(subtests: pytest.Subtests) -> None:
    for predicate, value, expected in [
            ("must deliver", "at least 4.72V", ("shall deliver ≥", "4.72 V")),
            ("will maintain at least", "85 %", ("shall maintain ≥", "85%")),
                ("shall maintain", ">= 85%", ("shall maintain ≥", "85%")),
            ("was measured at", "225mV", ("has measured =", "225 mV")),
            ("has been observed to be below", "3 A", ("has measured <", "3 A")),
            ("anticipates", "no more than 5 W", ("targets ≤", "5 W")),
            ("targets", "0.5 W", ("targets =", "0.5 W")),
                ("may use", "an external clock", ("may use", "external clock")),
            ("has to stop", "the motor", ("shall stop", "motor")),
            ("are", "blue", ("is", "blue")),
            ("support", "SPI", ("supports", "SPI")),
            ("must not exceed", "40 °C", ("shall be ≤", "40 °C")),
                ("does not exceed", "2 A", ("is ≤", "2 A")),
            ("accepts", "90–264 VAC", ("accepts", "90 to 264 VAC")),
            ("lasts", "12 hours or more", ("lasts ≥", "12 hours")),
            ("delivers", "peak efficiency greater than 85% across 100 to 425 VDC",
             ("delivers >", "peak efficiency 85% across 100 to 425 VDC")),
            ("cannot exceed the limits of", "the battery", ("can not exceed the limits of", "battery")),
            ("was built in", "the 1990s", ("was built in", "1990s")),
        ]:  # fmt: skip
        with subtests.test(predicate=predicate, value=value):
            normal = normalise_triple(Triple(subject="unit", predicate=predicate, object=value))
            assert normal is not None
            assert (normal.predicate, normal.object) == expected


def test_empty_and_repeated_claims_are_left_out() -> None:
    assert normalise_triple(Triple(subject="a", predicate="is", object="...")) is None
    assert normalise_triple(Triple(subject="the pump", predicate="is", object="pump")) is None
    # A repeated claim is listed once, with its first sentence.
    first = Triple(subject="The pump", predicate="must reach", object="5V", sentence=2)
    again = Triple(subject="pump", predicate="shall reach", object="5 V", sentence=7)
    assert normalise_all([first, again]) == (Triple(subject="pump", predicate="shall reach", object="5 V", sentence=2),)


def test_normal_form_is_stable() -> None:
    for subject, predicate, value in [
        ("The LX200 relay cards", "will switch", "up to 10A"),
        ("They", "observed", "3mV"),
    ]:
        once = normalise_triple(Triple(subject=subject, predicate=predicate, object=value))
        assert once is not None
        assert normalise_triple(once) == once
