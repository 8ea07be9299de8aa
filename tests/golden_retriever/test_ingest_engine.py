"""``golden ingest --engine`` at the command line."""

from pathlib import Path

import pytest

from tests.golden_retriever.served import environment_for, golden


@pytest.mark.slow
def test_the_command_line_decides_where_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("The winch is greased in May.")
    environment = environment_for(tmp_path / "data")
    call = ["ingest", "note.txt", "--engine", "local"]
    result = golden(*call, environment={**environment, "GOLDEN_INGEST_ENGINE": "ray"}, folder=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "1 ingested" in result.stdout + result.stderr
