"""A house for each test."""

from pathlib import Path

import pytest

from tests.serving.login.served import House, new_house


@pytest.fixture
def house(tmp_path: Path) -> House:
    return new_house(tmp_path)
