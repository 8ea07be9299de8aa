"""Every implementation of TripleExtractor keeps the contract."""

import json

import pytest

from golden_lab.triple_extraction import TripleExtractor
from golden_lab.triple_extraction.embedded import EmbeddedTripleExtractor
from golden_lab.triple_extraction.llm import PromptedTripleExtractor
from tools.chat.base import ChatRequest
from tools.chat.scripted import ScriptedChatModel

TEXT = (
    "The XB200 heaters must reach at least 60°C. They are controlled by a thermostat. "
    "The XB200 heaters must reach 60°C."
)


def _reply(request: ChatRequest) -> str:
    claims = [
        ("XB200 heaters", "must reach at least", "60°C"),
        ("the XB200 heater", "is controlled by", "a thermostat"),
        ("heater (XB200)", "shall reach", "60 °C"),
        ("heater (XB200)", "shall reach ≥", "60 °C"),
    ]
    return json.dumps({"claims": [dict(zip(("subject", "predicate", "object"), each, strict=True)) for each in claims]})


@pytest.fixture(params=[EmbeddedTripleExtractor, lambda: PromptedTripleExtractor(ScriptedChatModel(_reply))])
def extractor(request: pytest.FixtureRequest) -> TripleExtractor:
    built: TripleExtractor = request.param()
    return built


async def test_claims_come_in_normal_form_in_order_none_twice(extractor: TripleExtractor) -> None:
    found = await extractor.extract(TEXT)
    assert [(each.subject, each.predicate, each.object) for each in found.triples] == [
        ("heater (XB200)", "shall reach ≥", "60 °C"),
        ("heater (XB200)", "is controlled by", "thermostat"),
        ("heater (XB200)", "shall reach", "60 °C"),
    ]


async def test_says_who_read(extractor: TripleExtractor) -> None:
    provenance = (await extractor.extract(TEXT)).provenance
    assert provenance.implementation in {"embedded", "llm"}
    assert provenance.model
    assert provenance.milliseconds >= 0
