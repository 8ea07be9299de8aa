"""Settings: from the environment or a TOML file, with clear words for what is wrong, and secrets masked."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from contracts.errors import ConfigurationError
from contracts.keys import ApiKey
from golden_retriever.profiles import engines_of
from golden_retriever.settings import CONFIG_VARIABLE, Settings, load_settings
from golden_retriever.settings.masking import MASK, masked
from golden_retriever.wiring.engines import EngineChooser
from golden_retriever.wiring.identity import asks_everyone
from golden_retriever.wiring.judgements import build_refiner
from intrinsics.refinement.base import AnswerRefiner
from tests.conformance.reading_cases import PASSAGES
from tests.scripted_chat import ScriptedChatModel


@pytest.fixture(autouse=True)
def _clean_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GOLDEN_DATA_DIR", raising=False)


def test_extra_chat_request_fields_are_json_or_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_settings().llm_extra_body == {}
    monkeypatch.setenv("GOLDEN_LLM_EXTRA_BODY", '{"chat_template_kwargs": {"enable_thinking": false}}')
    assert load_settings().llm_extra_body == {"chat_template_kwargs": {"enable_thinking": False}}
    monkeypatch.delenv("GOLDEN_LLM_EXTRA_BODY")
    (tmp_path / "golden.toml").write_text("[llm_extra_body]\ntop_k = 20\n", encoding="utf-8")
    assert load_settings().llm_extra_body == {"top_k": 20}


def test_errors_in_the_settings_file_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for text, named in (("prot = 9000\n", "PROT"), ("port = = 1\n", r"golden\.toml")):
        (tmp_path / "golden.toml").write_text(text, encoding="utf-8")
        with pytest.raises(ConfigurationError, match=named):
            load_settings()
    monkeypatch.setenv("GOLDEN_CONFIG", "nowhere.toml")
    with pytest.raises(ConfigurationError, match=r"nowhere\.toml"):
        load_settings()


NOW = datetime.now(UTC)
OPEN = ApiKey(id="1", name="bot", scopes=frozenset({"ask"}), groups=None, department="", created_at=NOW, created_by="")
EXPIRED = OPEN.model_copy(update={"id": "2", "expires_at": NOW})
REVOKED = OPEN.model_copy(update={"id": "3", "revoked_at": NOW})


def test_loopback_needs_no_keys_and_other_addresses_do(subtests: pytest.Subtests) -> None:
    for host in ["127.0.0.1", "::1", "localhost"]:
        with subtests.test(host=host):
            settings = load_settings(host=host)
            assert not asks_everyone(settings, [])
            assert not asks_everyone(settings, [REVOKED])
            assert asks_everyone(settings, [OPEN])
            assert asks_everyone(settings, [REVOKED, EXPIRED]), "an expired key does not allow open access"
    # Other addresses are refused as long as no key and no login identifies callers.
    for host in ["0.0.0.0", "192.168.1.4", "example.org", "::"]:
        with subtests.test(host=host):
            settings = load_settings(host=host)
            for keys, why in (([], "there is no API key"), ([EXPIRED, REVOKED], "every API key is expired or revoked")):
                with pytest.raises(
                    ConfigurationError, match=f"loopback only, and {why}. Create one with `golden keys create"
                ):
                    asks_everyone(settings, keys)
            assert asks_everyone(settings, [REVOKED, OPEN])


URL = "http://127.0.0.1:9/v1"
TOKENS = {"oidc_issuer": "https://id.example/realms/corp", "oidc_audience": "golden, second"}
PROXY = {"proxy_user_header": "X-Forwarded-User", "trusted_proxies": "10.0.0.0/24"}


def test_other_authentication_replaces_keys_and_applies_to_everybody() -> None:
    for known in (TOKENS, PROXY, TOKENS | PROXY):
        for host in ("127.0.0.1", "0.0.0.0"):
            assert asks_everyone(load_settings(host=host, **known), []), (known, host)
    # People may log in at the provider, although programs may not send tokens.
    settings = load_settings(oidc_issuer="https://id.example/realms/corp", oidc_client_id="golden", host="0.0.0.0")
    assert asks_everyone(settings, [])
    assert (settings.oidc_audience, settings.provider_name) == ((), "id.example")
    assert load_settings(public_url="https://bot.example/golden/").public_url == "https://bot.example/golden"


def test_identity_is_read_from_the_environment_and_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "golden.toml").write_text(
        'people_scopes = "-"\n[roles]\n"cn=desk,ou=it" = ["manage", "all-groups"]\n', encoding="utf-8"
    )
    for name, value in (TOKENS | PROXY).items():
        monkeypatch.setenv(f"GOLDEN_{name.upper()}", value)
    settings = load_settings()
    assert settings.oidc_audience == ("golden", "second")
    assert (settings.proxy_user_header, settings.people_scopes) == ("x-forwarded-user", frozenset())
    assert settings.roles == {"cn=desk,ou=it": frozenset({"manage", "all-groups"})}
    monkeypatch.setenv("GOLDEN_ROLES", '{"boss": ["admin"]}')
    monkeypatch.setenv("GOLDEN_PEOPLE_SCOPES", "ask, manage")
    assert load_settings().roles == {"boss": frozenset({"admin"})}
    assert load_settings().people_scopes == {"ask", "manage"}


def test_wrong_settings_are_refused_by_name(subtests: pytest.Subtests) -> None:
    for given, complaint in [
        ({"oidc_issuer": "https://id.example"}, "GOLDEN_OIDC_AUDIENCE belong together"),
        (TOKENS | {"oidc_issuer": "http://id.example"}, "GOLDEN_OIDC_ISSUER.*https://"),
        ({"oidc_client_id": "golden"}, "GOLDEN_OIDC_CLIENT_ID"),
        (TOKENS | {"oidc_client_secret": "s"}, "GOLDEN_OIDC_CLIENT_SECRET needs GOLDEN_OIDC_CLIENT_ID"),
        (TOKENS | {"oidc_login_scopes": "profile"}, "GOLDEN_OIDC_LOGIN_SCOPES.*must contain openid"),
        ({"public_url": "bot.example"}, "GOLDEN_PUBLIC_URL.*must be an address"),
        ({"session_hours": 0}, "GOLDEN_SESSION_HOURS"),
        ({"proxy_user_header": "X-User"}, "GOLDEN_TRUSTED_PROXIES belong together"),
        ({"proxy_groups_header": "X-Groups"}, "GOLDEN_PROXY_GROUPS_HEADER needs"),
        (PROXY | {"proxy_groups_header": "x-forwarded-USER"}, "two different headers"),
        (PROXY | {"proxy_user_header": "Authorization"}, "not a valid proxy header"),
        (PROXY | {"trusted_proxies": "0.0.0.0/0"}, "GOLDEN_TRUSTED_PROXIES.*all addresses"),
        (PROXY | {"trusted_proxies": "10.1.0.0/16,::/0"}, "GOLDEN_TRUSTED_PROXIES.*all addresses"),
        (PROXY | {"trusted_proxies": "10.0.0.1/8"}, "GOLDEN_TRUSTED_PROXIES.*valid IPv4 or IPv6 network"),
        (PROXY | {"trusted_proxies": "my-proxy"}, "GOLDEN_TRUSTED_PROXIES.*valid IPv4 or IPv6 network"),
        ({"people_scopes": "root"}, "GOLDEN_PEOPLE_SCOPES.*'ask', 'manage' or 'admin'"),
        ({"roles": "admin=boss"}, "GOLDEN_ROLES.*not JSON"),
        ({"roles": '{"boss": ["root"]}'}, "GOLDEN_ROLES.BOSS"),
        ({"llm_extra_body": "{"}, "GOLDEN_LLM_EXTRA_BODY.*not JSON"),
        ({"llm_extra_body": "[1]"}, "GOLDEN_LLM_EXTRA_BODY.*valid dictionary"),
        ({"llm_extra_body": '{"stream": true}'}, "GOLDEN_LLM_EXTRA_BODY.*may not set stream"),
        ({"llm": "qwen3:4b"}, "GOLDEN_LLM.*neither a kind of server nor a URL: write ollama:qwen3:4b"),
        ({"llm": "ollama:"}, "GOLDEN_LLM.*needs the name of a model, such as ollama:qwen3:4b"),
        ({"llm": "vllm://gpu-box:8000"}, "GOLDEN_LLM.*needs the name of a model, such as vllm:NAME"),
        ({"llm": "openai:http://gpu-box:8000/v1#gpt"}, "GOLDEN_LLM.*for other servers, write only the URL"),
        ({"llm": "http://"}, "GOLDEN_LLM.*is not the address of a server: write one such as"),
        ({"llm": "http://one:8000,http://two:8000"}, "GOLDEN_LLM.*put a load balancer in front"),
        ({"profile": "cheap"}, "GOLDEN_PROFILE"),
        ({"profile": "quality"}, "set GOLDEN_LLM"),
        ({"engines": "term_mining=llm"}, "set GOLDEN_LLM"),
        ({"engines": "jargon=llm"}, 'GOLDEN_ENGINES.*no intrinsic "jargon"; choose from: answer_generation'),
        ({"engines": "summarisation=gpu"}, 'GOLDEN_ENGINES.*no engine "gpu"; choose from: embedded, llm, adapter'),
        ({"engines": "question_augmentation=llm", "llm": URL},
         "GOLDEN_ENGINES.*question_augmentation does not run on the engine llm; it runs on: embedded"),
        ({"engines": "summarisation"}, 'GOLDEN_ENGINES.*"summarisation" is not of the form intrinsic=engine'),
        ({"engines": "summarisation=llm,summarisation=embedded"}, "GOLDEN_ENGINES.*is given two engines"),
    ]:  # fmt: skip
        with subtests.test(given=given), pytest.raises(ConfigurationError, match=complaint):
            load_settings(**given)


def test_profiles_decide_what_runs_on_the_language_model() -> None:
    assert set(engines_of("embedded").values()) == {"embedded"}
    balanced = engines_of("balanced")
    assert {name for name, engine in balanced.items() if engine == "llm"} == {
        "answer_generation",
        "summarisation",
        "question_writing",
    }
    quality = engines_of("quality")
    assert quality["jargon_identification"] == quality["answer_generation"] == "llm"
    assert set(quality) == set(balanced)


def test_a_chat_server_is_needed_only_for_what_runs_on_it() -> None:
    assert load_settings(llm=URL, profile="quality")
    assert load_settings(llm=URL, engines="term_mining=llm")
    assert EngineChooser(Settings(), None).engine_of("answer_generation") == "embedded"
    assert load_settings(profile="embedded", engines="term_mining=embedded")


def test_settings_file_can_contain_engines_as_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "golden.toml"
    path.write_text(f'llm = "{URL}"\n[engines]\nterm_mining = "llm"\n')
    monkeypatch.setenv(CONFIG_VARIABLE, str(path))
    settings = load_settings()
    assert engines_of(settings.profile, settings.engines)["term_mining"] == "llm"
    chosen = engines_of("balanced", " term_mining = llm, summarisation=embedded,, ")
    assert (chosen["term_mining"], chosen["summarisation"], chosen["answer_generation"]) == ("llm", "embedded", "llm")


async def test_refinement_follows_its_setting_if_a_language_model_writes(subtests: pytest.Subtests) -> None:
    for profile, engines, setting, policy, fires in [
        # None of the draft's words are in the passages: such a retrieval counts as noisy, whatever the other proxies
        # say.
        ("quality", "", "auto", "auto", True),
        ("balanced", "", "overlap", "overlap", True),
        ("balanced", "", "none", "none", False),
        ("quality", "answer_generation=embedded", "overlap", "none", False),
        ("embedded", "", "overlap", "none", False),
    ]:
        with subtests.test(profile=profile, engines=engines, setting=setting, policy=policy, fires=fires):
            verdict = await refiner(profile, engines, refinement=setting).review(
                "?", "Penguins devour krill.", PASSAGES
            )
            assert (verdict.policy, verdict.rewrite) == (policy, fires)


async def test_own_refinement_threshold_replaces_the_shipped_one() -> None:
    ours = refiner("balanced", "", refinement="overlap", refinement_threshold=0.1)
    half = await ours.review("?", "The pump flies.", PASSAGES)
    assert (half.rewrite, half.signal, half.threshold) == (False, 0.5, 0.1)
    assert (await refiner("balanced", "", refinement="overlap").review("?", "The pump flies.", PASSAGES)).rewrite


def refiner(profile: str, engines: str, **more: object) -> AnswerRefiner:
    settings = Settings(llm=URL, profile=profile, engines=engines, **more)  # type: ignore[arg-type]
    chat = ScriptedChatModel([])
    return build_refiner(settings, EngineChooser(settings, chat), chat)


def shown(name: str, value: Any) -> Any:
    return json.loads(masked(load_settings(**{name: value}).model_dump_json(indent=2)))[name]


def test_secret_is_masked_wherever_it_occurs(subtests: pytest.Subtests) -> None:
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


def test_other_values_are_shown_unmasked(subtests: pytest.Subtests) -> None:
    for name, value in [
        ("metrics_token", ""),
        ("database_url", "sqlite:////data/golden.db"),
        ("database_url", "postgresql://golden@db:5432/golden?sslmode=require"),
        ("llm_extra_body", {"chat_template_kwargs": {"enable_thinking": False}, "max_tokens_total": 5}),
        ("contact", "Mail a@b.example: it is at 10:30, the keeper of keys"),
    ]:
        with subtests.test(name=name, value=value):
            assert shown(name, value) == value
