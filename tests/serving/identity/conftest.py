"""A provider for each test."""

from collections.abc import Iterator

import pytest

from tests.serving.identity.provider import Provider, running_provider


@pytest.fixture
def provider() -> Iterator[Provider]:
    with running_provider() as running:
        yield running
