"""A house for each test, and a provider for those that ask one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.serving.identity.provider import Provider, running_provider
from tests.serving.login.served import House, new_house


@pytest.fixture
def house(tmp_path: Path) -> House:
    return new_house(tmp_path)


@pytest.fixture
def provider() -> Iterator[Provider]:
    with running_provider() as running:
        yield running
