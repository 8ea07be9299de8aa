"""Golden Retriever beside other libraries."""

import json
import os
from pathlib import Path

import pytest

from contracts.errors import InvalidInput
from golden_lab.manuals.questions import read_questions
from golden_lab.speed.peers import choose_files
from lab.tests.command_line import golden_lab
from tests.golden_retriever.served import environment_for

ENVIRONMENTS = Path(os.environ.get("GOLDEN_PEERS", "peers"))


def test_the_files_that_answer_are_read_with_others_in_one_order(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"{number}.html").write_text("text", encoding="utf-8")
    chosen = choose_files(tmp_path, {"3.html", "7.html"}, 5)
    assert len(chosen) == 5
    assert {"3.html", "7.html"} < {path.name for path in chosen}
    assert chosen == choose_files(tmp_path, {"3.html", "7.html"}, 5)
    with pytest.raises(InvalidInput, match=r"99\.html"):
        choose_files(tmp_path, {"99.html"}, 5)


@pytest.mark.slow
@pytest.mark.skipif(not (ENVIRONMENTS / "txtai").is_dir(), reason="GOLDEN_PEERS names no folder with txtai in it")
def test_a_small_run_compares_this_project_with_a_neighbour(tmp_path: Path) -> None:
    quotes: dict[str, list[str]] = {}
    for each in read_questions("development", ["web"]):
        if each.answerable and not each.history:
            quotes.setdefault(each.document, []).append(each.quote)
    corpus = tmp_path / "web"
    corpus.mkdir()
    for document, told in quotes.items():
        text = "".join(f"<h2>Part {number}</h2><p>{quote}</p>" for number, quote in enumerate(told))
        (corpus / document).write_text(f"<html><body><h1>Manual</h1>{text}</body></html>", encoding="utf-8")
    result = golden_lab(
        "bench", "peers", "web", corpus, "--environments", ENVIRONMENTS, "--only", "txtai", "--passages", "200",
        "--json", environment=environment_for(tmp_path / "bot"), folder=tmp_path,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    content = json.loads(result.stdout)
    assert (content["files"], content["copies"]) == (len(quotes), 200)
    assert list(content["found"]) == ["golden_retriever", "txtai"]
    for of in content["found"].values():
        assert of["passages"] >= len(quotes)
        assert 0.5 < of["recall_1"] <= of["recall_5"] <= 1
        assert min(of["peak_mb"], of["disk_mb"], of["first_s"], of["median_ms"]) > 0
    assert not (tmp_path / "bot").exists(), "the bench leaves the bot's own data alone"
