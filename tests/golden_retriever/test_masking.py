"""Masking: what is secret in a setting is never shown."""

import json

import pytest
from pydantic import SecretStr

from golden_retriever.settings.masking import MASK, masked


def test_a_secret_is_masked_wherever_it_stands(subtests: pytest.Subtests) -> None:
    for value in [
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
    ]:
        with subtests.test(value=value):
            shown, hidden = masked(value)
            assert hidden
            assert "hunter2" not in json.dumps(shown)
            assert MASK in json.dumps(shown)


def test_what_is_no_secret_is_shown_as_it_is(subtests: pytest.Subtests) -> None:
    for value in [
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
    ]:
        with subtests.test(value=value):
            shown, hidden = masked(value)
            assert not hidden
            assert shown == ("" if isinstance(value, SecretStr) else value)
