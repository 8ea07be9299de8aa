"""The laboratory's in-memory dictionary fulfils the contract of the product's dictionaries."""

import pytest

from golden_lab.memory_dictionary import InMemoryJargonDictionary
from tests.conformance.test_jargon_dictionary import *  # noqa: F403
from tests.conformance.test_jargon_dictionary import CONTEXTS, SENSES


@pytest.fixture
def dictionary() -> InMemoryJargonDictionary:
    return InMemoryJargonDictionary(SENSES, CONTEXTS)
