"""What documents said goes with them: deleted, pruned, or no longer saying it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from golden_retriever.cli.app import app
from golden_retriever.settings import load_settings
from golden_retriever.wiring import open_dictionary
from jargon_db.store import JargonStore

RETRY = "# Links\n\nThe physical layer retransmission (PLR) repeats frames that a receiver did not acknowledge.\n"
CODE = "# Memory\n\nThe error-correcting code (ECC) mends a flipped bit of a page before it leaves the controller.\n"


@pytest.fixture(autouse=True)
def documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GOLDEN_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("GOLDEN_WORKERS", "1")
    folder = tmp_path / "documents"
    folder.mkdir()
    return folder


@pytest.fixture
def store(documents: Path) -> Iterator[JargonStore]:
    with open_dictionary(load_settings()) as opened:
        yield opened


def golden(*arguments: object) -> None:
    result = CliRunner().invoke(app, [str(each) for each in arguments])
    assert result.exit_code == 0, (result.output, result.exception)


def drafts(store: JargonStore) -> dict[str, list[str]]:
    """Return the drafts' terms with the documents that speak for them."""
    return {each.sense.term: [place.document for place in each.evidence] for each in store.candidates()}


def test_drafts_go_with_the_documents_that_they_rest_on(documents: Path, store: JargonStore) -> None:
    (documents / "links.md").write_text(RETRY, encoding="utf-8")
    (documents / "memory.md").write_text(CODE, encoding="utf-8")
    (documents / "both.md").write_text(f"{RETRY}\n{CODE}", encoding="utf-8")
    golden("ingest", documents)
    assert {term: sorted(places) for term, places in drafts(store).items()} == {
        "PLR": ["both.md", "links.md"],
        "ECC": ["both.md", "memory.md"],
    }
    (documents / "both.md").write_text(f"{CODE}\nNothing else.\n", encoding="utf-8")
    golden("ingest", documents)
    assert drafts(store)["PLR"] == ["links.md"]
    golden("documents", "delete", documents / "links.md")
    assert set(drafts(store)) == {"ECC"}
    for file in documents.iterdir():
        file.unlink()
    golden("ingest", documents, "--prune")
    assert drafts(store) == {}
    assert store.senses() == ()
