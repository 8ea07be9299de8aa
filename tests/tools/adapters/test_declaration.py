"""Adapter files: what they may hold, and how their mistakes are named."""

import re
from pathlib import Path

import pytest

from contracts.errors import ConfigurationError
from tools.adapters.declaration import find_adapter, load_adapter

PUBLISHED = Path(__file__).resolve().parents[3] / "intrinsics"
OWN = """
version = "3"
description = "Ours"
model = "house-gate"
base_model = "house/base-7b"
[weights]
path = "/srv/gate"
rank = 8
[prompt]
convention = "granite-3.3"
role = "gate"
[reply]
labels = { answerable = "yes" }
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "answerability.toml"
    path.write_text(OWN)
    return path


def test_the_published_adapters_are_of_one_repository_and_base_model() -> None:
    found = [load_adapter(path) for path in PUBLISHED.glob("*/adapter.toml")]
    assert len(found) == 6
    assert {each.weights.repository for each in found} == {"ibm-granite/granite-3.3-8b-rag-agent-lib"}
    assert {each.base_model for each in found} == {"ibm-granite/granite-3.3-8b-instruct"}
    assert all(each.weights.folder == f"{each.model}_lora" for each in found)


def test_ones_own_file_wins_and_is_asked_by_its_own_words(path: Path) -> None:
    published = PUBLISHED / "answerability" / "adapter.toml"
    own = find_adapter("answerability", published, path.parent)
    assert own is not None
    assert (own.model, own.path, own.labels("answerable")) == ("house-gate", path, ("yes",))
    theirs = find_adapter("certainty", PUBLISHED / "certainty" / "adapter.toml", path.parent)
    assert theirs is not None
    assert theirs.model == "certainty"
    assert find_adapter("term_mining", PUBLISHED / "term_mining" / "adapter.toml") is None


def test_what_a_file_does_not_say_is_named_when_it_is_needed(path: Path) -> None:
    adapter = load_adapter(path)
    with pytest.raises(ConfigurationError, match=r"answerability\.toml lacks reply\.labels\.unanswerable"):
        adapter.labels("answerable", "unanswerable")
    with pytest.raises(ConfigurationError, match=r"answerability\.toml lacks reply\.fields\.label"):
        adapter.field("label")


def test_a_wrong_file_is_refused_by_file_and_key(subtests: pytest.Subtests, path: Path) -> None:
    for old, new, complaint in [
        ('version = "3"', "", "version: Field required"),
        ('version = "3"', 'version = "3"\nrnak = 8', "rnak: Extra inputs"),
        ("rank = 8", "rank = 0", r"weights\.rank"),
        ("rank = 8", 'rank = 8\nrepository = "a/b"', "weights: .*either path, or repository"),
        ('path = "/srv/gate"', "", "weights: .*either path, or repository"),
        ('path = "/srv/gate"', 'path = "/srv/gate"\nfolder = "x"', "weights: .*folder is one of a repository"),
        ('model = "house-gate"', 'model = "a=b c"', "model: String should match"),
        ('role = "gate"', "", "prompt: .*role: the invocation role needs it"),
        ('role = "gate"', 'role = "a<|end_of_role|>"', r"prompt\.role"),
        ('role = "gate"', 'role = "gate"\ninvocation = "system"', "prompt: .*instruction"),
        ('role = "gate"', 'role = "gate"\npassage_mark = "cc"', r"prompt\.passage_mark"),
        ('convention = "granite-3.3"', 'convention = "chat"', "prompt: .*role: not for the convention chat"),
        ("[reply]", "[reply]\nmax_tokens = -1", r"reply\.max_tokens"),
        ("[reply]", "[reply", "not valid TOML"),
    ]:
        with subtests.test(new=new):
            path.write_text(OWN.replace(old, new, 1))
            with pytest.raises(ConfigurationError, match=f"(?s)answerability.toml.*{complaint}"):
                load_adapter(path)


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"none\.toml cannot be read"):
        load_adapter(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b'version = "\xe9"')
    with pytest.raises(ConfigurationError, match=r"latin\.toml cannot be read"):
        load_adapter(tmp_path / "latin.toml")
    with pytest.raises(ConfigurationError, match="GOLDEN_ADAPTERS_DIR"):
        find_adapter("certainty", tmp_path / "x", tmp_path / "nowhere")


def test_the_examples_of_the_documentation_are_adapters(tmp_path: Path) -> None:
    text = (PUBLISHED.parent / "docs" / "guides" / "adapters.md").read_text("utf-8")
    whole, prompt = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    path = tmp_path / "answerability.toml"
    path.write_text(whole)
    assert load_adapter(path).prompt_path == tmp_path / "answerability-prompt.toml"
    path.write_text(whole.partition("[prompt]")[0] + prompt)
    assert load_adapter(path).labels("answerable", "unanswerable") == ("yes", "no")
