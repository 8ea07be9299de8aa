"""Masking: what is secret in a setting is never shown."""

import json
from typing import Any

import pytest

from golden_retriever.settings import load_settings
from golden_retriever.settings.masking import MASK, masked


def shown(name: str, value: Any) -> Any:
    return json.loads(masked(load_settings(**{name: value}).model_dump_json(indent=2)))[name]


def test_a_secret_is_masked_wherever_it_stands(subtests: pytest.Subtests) -> None:
    for name, value in [
        ("metrics_token", "hunter2"),
        ("llm_api_key", "hunter2"),
        ("database_url", "postgresql+psycopg://golden:hunter2@db/golden?sslmode=require"),
        ("database_url", "postgresql://golden:p@hunter2@db/golden"),
        ("database_url", "postgresql:///golden?host=/tmp&password=hunter2"),
        ("limits_url", "redis://:hunter2@b:6379/0"),
        ("chroma_url", "http://gpu/v1?X-Access-Key=hunter2#top"),
        ("llm_extra_body", {"client": {"api-key": "hunter2", "deep": [{"my_secret": 'a"hunter2'}]}}),
        ("contact", "Bearer hunter2"),
    ]:
        with subtests.test(name=name, value=value):
            told = json.dumps(shown(name, value))
            assert "hunter2" not in told
            assert MASK in told


def test_what_is_no_secret_is_shown_as_it_is(subtests: pytest.Subtests) -> None:
    for name, value in [
        ("metrics_token", ""),
        ("database_url", "sqlite:////data/golden.db"),
        ("database_url", "postgresql://golden@db:5432/golden?sslmode=require"),
        ("llm_extra_body", {"chat_template_kwargs": {"enable_thinking": False}, "max_tokens_total": 5}),
        ("contact", "Mail a@b.example: it is at 10:30, the keeper of keys"),
    ]:
        with subtests.test(name=name, value=value):
            assert shown(name, value) == value
