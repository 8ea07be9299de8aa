"""Settings: from the environment or a TOML file, with clear words for what is wrong."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from contracts.errors import ConfigurationError
from contracts.keys import ApiKey
from golden_retriever.settings import load_settings
from golden_retriever.wiring.identity import asks_everyone


@pytest.fixture(autouse=True)
def _clean_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GOLDEN_DATA_DIR", raising=False)


def test_the_environment_wins_over_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "golden.toml").write_text('port = 9000\ncontact = "Ingrid"\n', encoding="utf-8")
    monkeypatch.setenv("GOLDEN_PORT", "9001")
    settings = load_settings()
    assert (settings.port, settings.contact) == (9001, "Ingrid")


def test_what_goes_into_every_chat_request_is_json_or_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_settings().llm_extra_body == {}
    monkeypatch.setenv("GOLDEN_LLM_EXTRA_BODY", '{"chat_template_kwargs": {"enable_thinking": false}}')
    assert load_settings().llm_extra_body == {"chat_template_kwargs": {"enable_thinking": False}}
    for wrong, complaint in (
        ("{", "not JSON"),
        ("[1]", "valid dictionary"),
        ('{"stream": true}', "may not set stream"),
    ):
        monkeypatch.setenv("GOLDEN_LLM_EXTRA_BODY", wrong)
        with pytest.raises(ConfigurationError, match=f"GOLDEN_LLM_EXTRA_BODY.*{complaint}"):
            load_settings()
    monkeypatch.delenv("GOLDEN_LLM_EXTRA_BODY")
    (tmp_path / "golden.toml").write_text("[llm_extra_body]\ntop_k = 20\n", encoding="utf-8")
    assert load_settings().llm_extra_body == {"top_k": 20}


def test_what_is_wrong_with_the_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_loopback_is_served_and_asks_for_keys_where_there_are_any(subtests: pytest.Subtests) -> None:
    for host in ["127.0.0.1", "::1", "localhost"]:
        with subtests.test(host=host):
            settings = load_settings(host=host)
            assert not asks_everyone(settings, [])
            assert not asks_everyone(settings, [REVOKED])
            assert asks_everyone(settings, [OPEN])
            assert asks_everyone(settings, [REVOKED, EXPIRED]), "a key that expires opens nothing"


def test_other_addresses_are_refused_while_nobody_can_say_who_they_are(subtests: pytest.Subtests) -> None:
    for host in ["0.0.0.0", "192.168.1.4", "example.org", "::"]:
        with subtests.test(host=host):
            settings = load_settings(host=host)
            for keys, why in (([], "there is no API key"), ([EXPIRED, REVOKED], "every API key is expired or revoked")):
                with pytest.raises(
                    ConfigurationError, match=f"loopback only, and {why}. Make one with `golden keys create"
                ):
                    asks_everyone(settings, keys)
            assert asks_everyone(settings, [REVOKED, OPEN])


TOKENS = {"oidc_issuer": "https://id.example/realms/corp", "oidc_audience": "golden, second"}
PROXY = {"proxy_user_header": "X-Forwarded-User", "trusted_proxies": "10.0.0.0/24"}


def test_where_people_are_known_otherwise_no_key_is_needed_and_everyone_is_asked() -> None:
    for known in (TOKENS, PROXY, TOKENS | PROXY):
        for host in ("127.0.0.1", "0.0.0.0"):
            assert asks_everyone(load_settings(host=host, **known), []), (known, host)


def test_people_may_log_in_at_the_provider_while_nobody_brings_tokens() -> None:
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


def test_identity_that_could_let_in_anybody_is_refused(subtests: pytest.Subtests) -> None:
    for given, complaint in [
        ({"oidc_issuer": "https://id.example"}, "GOLDEN_OIDC_AUDIENCE belong together"),
        (TOKENS | {"oidc_issuer": "http://id.example"}, "GOLDEN_OIDC_ISSUER.*https://"),
        ({"oidc_client_id": "golden"}, "GOLDEN_OIDC_CLIENT_ID"),
        (TOKENS | {"oidc_client_secret": "s"}, "GOLDEN_OIDC_CLIENT_SECRET needs GOLDEN_OIDC_CLIENT_ID"),
        (TOKENS | {"oidc_login_scopes": "profile"}, "GOLDEN_OIDC_LOGIN_SCOPES.*must hold openid"),
        ({"public_url": "bot.example"}, "GOLDEN_PUBLIC_URL.*must be an address"),
        ({"session_hours": 0}, "GOLDEN_SESSION_HOURS"),
        ({"proxy_user_header": "X-User"}, "GOLDEN_TRUSTED_PROXIES belong together"),
        ({"proxy_groups_header": "X-Groups"}, "GOLDEN_PROXY_GROUPS_HEADER needs"),
        (PROXY | {"proxy_groups_header": "x-forwarded-USER"}, "two headers"),
        (PROXY | {"proxy_user_header": "Authorization"}, "no header of a proxy"),
        (PROXY | {"trusted_proxies": "0.0.0.0/0"}, "GOLDEN_TRUSTED_PROXIES.*every address"),
        (PROXY | {"trusted_proxies": "10.1.0.0/16,::/0"}, "GOLDEN_TRUSTED_PROXIES.*every address"),
        (PROXY | {"trusted_proxies": "10.0.0.1/8"}, "GOLDEN_TRUSTED_PROXIES.*valid IPv4 or IPv6 network"),
        (PROXY | {"trusted_proxies": "my-proxy"}, "GOLDEN_TRUSTED_PROXIES.*valid IPv4 or IPv6 network"),
        ({"people_scopes": "root"}, "GOLDEN_PEOPLE_SCOPES.*'ask', 'manage' or 'admin'"),
        ({"roles": "admin=boss"}, "GOLDEN_ROLES.*not JSON"),
        ({"roles": '{"boss": ["root"]}'}, "GOLDEN_ROLES.BOSS"),
    ]:
        with subtests.test(given=given), pytest.raises(ConfigurationError, match=complaint):
            load_settings(**given)
