"""``golden ingest --engine`` at the command line."""

from pathlib import Path

import pytest

from tests.golden_retriever.served import environment_for, golden


@pytest.mark.slow
def test_an_address_of_a_cluster_is_not_for_this_machine(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("The winch is greased in May.")
    environment = environment_for(tmp_path / "data")
    call = ["ingest", "note.txt", "--engine", "local"]
    wrong = golden(*call, "--ray-address", "auto", environment=environment, folder=tmp_path)
    assert wrong.returncode == 2
    assert "--ray-address is for --engine ray" in wrong.stderr
    right = golden(*call, environment={**environment, "GOLDEN_INGEST_ENGINE": "ray"}, folder=tmp_path)
    assert right.returncode == 0, right.stderr
    assert "1 ingested" in right.stdout + right.stderr
