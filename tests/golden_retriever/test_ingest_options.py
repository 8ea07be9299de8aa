"""``golden ingest`` with another engine and with a loader, at the command line."""

from pathlib import Path

import pytest

from tests.golden_retriever.served import environment_for, golden, the_one_line

pytestmark = pytest.mark.slow


def test_ingests_what_a_loader_brings_and_explains_a_wrong_call(tmp_path: Path) -> None:
    pytest.importorskip("langchain_community", reason="the extra loaders is not installed")
    rooms = tmp_path / "rooms.csv"
    rooms.write_text("room,use\nA1,tools and parts\nA2,paint and brushes\n")
    environment = {**environment_for(tmp_path / "data"), "WIKI_TOKEN": "s3cr3t-t0ken"}
    call = ["ingest", "--loader", "CSVLoader", "--loader-arg", f"file_path={rooms}"]
    first = golden(*call, environment=environment, folder=tmp_path)
    assert first.returncode == 0, first.stderr
    assert "2 ingested" in first.stdout + first.stderr
    rooms.write_text("room,use\nA1,tools and parts\n")
    second = golden(*call, "--prune", environment=environment, folder=tmp_path)
    assert "1 removed, 1 unchanged" in second.stdout + second.stderr
    call = ["ingest", "--loader", "CSVLoadr", "--loader-arg", "token=env:WIKI_TOKEN"]
    wrong = golden(*call, environment=environment, folder=tmp_path)
    assert wrong.returncode != 0
    assert "no document loader" in the_one_line(wrong)
    assert "s3cr3t" not in wrong.stdout + wrong.stderr
    assert golden("ingest", environment=environment, folder=tmp_path).returncode == 2
