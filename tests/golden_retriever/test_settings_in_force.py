"""The settings in force: where each comes from, and that nothing secret is in them."""

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from golden_retriever.settings import Settings, load_settings
from golden_retriever.settings.in_force import MASK, masked, settings_in_force


@pytest.mark.parametrize(
    "value",
    [
        SecretStr("hunter2"),
        "postgresql://golden:hunter2@db/golden",
        "postgresql+psycopg://golden:hunter2@db/golden?sslmode=require",
        "postgresql://golden:p@hunter2@db/golden",
        "postgresql:///golden?host=/tmp&password=hunter2",
        "postgresql:///golden?sslpassword=hunter2&host=db",
        "http://a:1/v1,https://user:hunter2@b/v1",
        "https://:hunter2@b/v1",
        "http://gpu/v1?api_key=hunter2",
        "http://gpu/v1?X-Access-Key=hunter2#top",
        '{"extra_headers": {"Authorization": "hunter2"}}',
        '{"client": {"api-key" : "hunter2", "deep": [{"my_secret": "a\\"hunter2"}]}}',
        "Bearer hunter2",
        {"proxy": {"url": "http://u:hunter2@p"}},
        ("x", "http://u:hunter2@p"),
    ],
)
def test_a_secret_is_masked_wherever_it_stands(value: Any) -> None:
    shown, hidden = masked(value)
    assert hidden
    assert "hunter2" not in json.dumps(shown)
    assert MASK in json.dumps(shown)


@pytest.mark.parametrize(
    "value",
    [
        "",
        SecretStr(""),
        "sqlite:////data/golden.db",
        "postgresql://golden@db:5432/golden?sslmode=require",
        "http://gpu:8000/v1,http://gpu2:8000/v1",
        '{"chat_template_kwargs": {"enable_thinking": false}, "max_tokens_total": 5}',
        "Mail a@b.example: it is at 10:30, the keeper of keys",
        7,
        0.5,
        None,
        False,
    ],
)
def test_what_is_no_secret_is_shown_as_it_is(value: Any) -> None:
    shown, hidden = masked(value)
    assert not hidden
    assert shown == ("" if isinstance(value, SecretStr) else value)


def test_each_setting_says_where_it_comes_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "golden.toml").write_text('contact = "Eve"\nport = 1\nhost = "127.0.0.2"\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GOLDEN_CONFIG", raising=False)
    monkeypatch.setenv("GOLDEN_PORT", "2")
    monkeypatch.setenv("GOLDEN_DATABASE_URL", "postgresql://golden:hunter2@db/golden")
    monkeypatch.setenv("GOLDEN_DEPARTMENT", "")
    found = {each.name: each for each in settings_in_force(load_settings(host="127.0.0.3"))}
    assert set(found) == set(Settings.model_fields)
    assert (found["contact"].value, found["contact"].source) == ("Eve", "file")
    assert (found["port"].value, found["port"].source, found["port"].default) == (2, "environment", 7860)
    assert (found["host"].value, found["host"].source) == ("127.0.0.3", "argument")
    assert (found["department"].value, found["department"].source) == ("", "default")
    assert found["database_url"].value == f"postgresql://golden:{MASK}@db/golden"
    assert found["database_url"].secret
    assert found["llm_api_key"].secret
    assert found["port"].variable == "GOLDEN_PORT"
    assert all(each.description for each in found.values())
    assert "hunter2" not in json.dumps([[each.value, each.default] for each in found.values()])
