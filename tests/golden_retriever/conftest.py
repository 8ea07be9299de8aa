"""The folder of tests that call commands."""

from pathlib import Path

import pytest


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a new folder as Ada, with a data folder of its own in ``data``."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GOLDEN_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("GOLDEN_USER", "Ada")
    monkeypatch.setenv("GOLDEN_WORKERS", "1")
    return tmp_path
