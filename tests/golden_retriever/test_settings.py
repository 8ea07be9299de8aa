"""Settings: from the environment or a TOML file, with clear words for what is wrong."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from contracts.errors import ConfigurationError
from golden_retriever.server import asks_for_keys
from golden_retriever.settings import load_settings
from library.key_values import ApiKey


@pytest.fixture(autouse=True)
def _clean_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GOLDEN_DATA_DIR", raising=False)


def test_defaults_need_nothing() -> None:
    settings = load_settings()
    assert settings.data_dir == Path(".golden")
    assert settings.llm_base_url == ""
    assert settings.effective_database_url.startswith("sqlite:///")


def test_the_environment_wins_over_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "golden.toml").write_text('port = 9000\ncontact = "Ingrid"\n', encoding="utf-8")
    monkeypatch.setenv("GOLDEN_PORT", "9001")
    settings = load_settings()
    assert (settings.port, settings.contact) == (9001, "Ingrid")


@pytest.mark.parametrize(
    ("name", "value"),
    [("GOLDEN_PORT", "many"), ("GOLDEN_LLM_BASE_URL", "gpu-box:8000"), ("GOLDEN_ANSWERABILITY_THRESHOLD", "1.5")],
)
def test_a_wrong_value_is_named(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigurationError, match=name):
        load_settings()


def test_several_chat_servers_are_separated_by_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_settings().llm_base_urls == ()
    monkeypatch.setenv("GOLDEN_LLM_BASE_URL", "http://one:8000/v1/, https://two/v1 ,http://one:8000/v1,")
    assert load_settings().llm_base_urls == ("http://one:8000/v1", "https://two/v1")
    monkeypatch.setenv("GOLDEN_LLM_BASE_URL", "http://one:8000/v1,two:8000")
    with pytest.raises(ConfigurationError, match="GOLDEN_LLM_BASE_URL"):
        load_settings()


def test_what_goes_into_every_chat_request_is_json_or_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_settings().llm_extra == {}
    monkeypatch.setenv("GOLDEN_LLM_EXTRA_BODY", '{"chat_template_kwargs": {"enable_thinking": false}}')
    assert load_settings().llm_extra == {"chat_template_kwargs": {"enable_thinking": False}}
    for wrong, complaint in (("{", "not JSON"), ("[1]", "JSON object"), ('{"stream": true}', "may not set stream")):
        monkeypatch.setenv("GOLDEN_LLM_EXTRA_BODY", wrong)
        with pytest.raises(ConfigurationError, match=f"GOLDEN_LLM_EXTRA_BODY.*{complaint}"):
            load_settings()
    monkeypatch.delenv("GOLDEN_LLM_EXTRA_BODY")
    (tmp_path / "golden.toml").write_text("[llm_extra_body]\ntop_k = 20\n", encoding="utf-8")
    assert load_settings().llm_extra == {"top_k": 20}


def test_an_unknown_name_in_the_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "golden.toml").write_text("prot = 9000\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="PROT"):
        load_settings()


def test_broken_toml_is_named(tmp_path: Path) -> None:
    (tmp_path / "golden.toml").write_text("port = = 1\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"golden\.toml"):
        load_settings()


def test_a_missing_file_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDEN_CONFIG", "nowhere.toml")
    with pytest.raises(ConfigurationError, match=r"nowhere\.toml"):
        load_settings()


def test_secrets_are_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDEN_LLM_API_KEY", "sk-very-secret")
    assert "sk-very-secret" not in load_settings().model_dump_json()


NOW = datetime.now(UTC)
OPEN = ApiKey(id="1", name="bot", scopes=frozenset({"ask"}), groups=None, department="", created_at=NOW, created_by="")
EXPIRED = replace(OPEN, id="2", expires_at=NOW)
REVOKED = replace(OPEN, id="3", revoked_at=NOW)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
def test_loopback_is_served_and_asks_for_keys_where_there_are_any(host: str) -> None:
    assert not asks_for_keys(host, [])
    assert not asks_for_keys(host, [REVOKED])
    assert asks_for_keys(host, [OPEN])
    assert asks_for_keys(host, [REVOKED, EXPIRED]), "a key that expires opens nothing"


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.4", "example.org", "::"])
def test_other_addresses_are_refused_without_keys(host: str) -> None:
    for keys, why in (([], "there is no API key"), ([EXPIRED, REVOKED], "every API key is expired or revoked")):
        with pytest.raises(ConfigurationError, match=f"loopback only, and {why}. Make one with `golden keys create"):
            asks_for_keys(host, keys)
    assert asks_for_keys(host, [REVOKED, OPEN])
