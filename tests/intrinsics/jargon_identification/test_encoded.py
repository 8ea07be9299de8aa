"""Jargon identification with the trained encoder: unknown words are weighed, the dictionary's are not."""

from collections.abc import Sequence

import numpy as np
import pytest

from contracts.jargon import Sense
from contracts.text import Span
from intrinsics.jargon_identification.embedded import EmbeddedJargonIdentifier
from intrinsics.jargon_identification.encoded import EncodedJargonIdentifier
from tests.intrinsics.joined import joined
from tests.tools.encoder.constant import ConstantPairEncoder
from tools.encoder import TokenTags
from tools.jargon.memory import InMemoryJargonDictionary

QUESTION = "does the flurbo of VCCQ at 40 MHz need 12 steps, see https://example.org/ABC"


class TaggingEncoder(ConstantPairEncoder):
    """Tags every letter run as a term, by so much."""

    async def tag(self, texts: Sequence[str]) -> tuple[TokenTags, ...]:
        found = []
        for text in texts:
            spans = tuple(Span(at, at + 1) for at in range(len(text)))
            logits = np.tile(np.array([0.0, self._logit, self._logit], dtype=np.float32), (len(spans), 1))
            found.append(TokenTags(logits=logits, spans=spans))
        return tuple(found)


def _dictionary(*terms: str) -> InMemoryJargonDictionary:
    return InMemoryJargonDictionary(
        [Sense(id=number, term=each, extended_name=f"{each} long") for number, each in enumerate(terms, start=1)]
    )


@pytest.mark.parametrize("logit", [12.0, -12.0])
async def test_what_the_dictionary_knows_stays(logit: float) -> None:
    dictionary = _dictionary("VCCQ")
    before = (await EmbeddedJargonIdentifier(dictionary).identify(QUESTION)).mentions
    judge = EncodedJargonIdentifier(dictionary, TaggingEncoder(logit), joined())
    found = (await judge.identify(QUESTION)).mentions
    assert [each for each in found if each.term == "VCCQ"] == [each for each in before if each.term == "VCCQ"]


async def test_unknown_words_are_weighed() -> None:
    more = await EncodedJargonIdentifier(_dictionary(), TaggingEncoder(12.0), joined()).identify(QUESTION)
    less = await EncodedJargonIdentifier(_dictionary(), TaggingEncoder(-12.0), joined()).identify(QUESTION)
    assert {"flurbo", "VCCQ"} <= {each.text for each in more.mentions if each.probability > 0.9}
    assert all(each.probability < 0.5 for each in less.mentions)
    assert more.provenance.implementation == "encoded"


async def test_addresses_numbers_and_quantities_are_no_jargon_whatever_the_encoder_says() -> None:
    found = await EncodedJargonIdentifier(_dictionary(), TaggingEncoder(12.0), joined()).identify(QUESTION)
    assert not {each.text for each in found.mentions} & {"https", "ABC", "40", "12", "MHz"}
