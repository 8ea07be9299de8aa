"""A PDF to write on."""

from pathlib import Path

import pytest

from tests.ingestion.samples import Sheet


@pytest.fixture
def sheet(tmp_path: Path) -> Sheet:
    return Sheet(tmp_path / "sheet.pdf")
