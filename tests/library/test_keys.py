"""API keys and sessions in SQL, on SQLite and PostgreSQL: hashed, named, expiring, revocable, ended together."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Engine, func, select, text, update

from contracts.errors import InvalidInput
from library.keys import USE_NOTED_EVERY, KeyStore, digest_of, is_key, new_key
from library.sessions import SessionStore
from library.tables import sessions


def test_key_is_found_by_its_text_and_defaults_are_minimal(keys: KeyStore) -> None:
    key, record = keys.create(
        "  Open   WebUI ", scopes=["manage", "ask"], groups=["lab", "everyone"], department="Memory", who="Ada"
    )
    assert (record.name, record.department, record.created_by) == ("Open WebUI", "Memory", "Ada")
    assert (record.scopes, record.groups) == (frozenset({"ask", "manage"}), frozenset({"everyone", "lab"}))
    assert keys.find(key) == record == keys.expect(record.id) == keys.expect("open webui")
    assert keys.find(new_key()) is None
    assert keys.find(key[:-1] + ("0" if key[-1] != "0" else "1")) is None
    assert keys.find(f" {key}") is None
    _, record = keys.create("plain")
    assert (record.scopes, record.groups, record.expires_at) == (frozenset({"ask"}), frozenset({"everyone"}), None)
    _, every = keys.create("every", groups=None)
    assert keys.expect(every.id).groups is None


def test_check_for_existing_keys_includes_expired_but_not_revoked_ones(keys: KeyStore) -> None:
    assert not keys.any_kept()
    soon = datetime.now(UTC) + timedelta(milliseconds=20)
    _, record = keys.create("short", expires_at=soon)
    assert keys.any_kept()
    while record.state == "active":
        pass
    assert keys.any_kept(), "an expired key does not allow open access"
    keys.revoke(record.id)
    assert not keys.any_kept()


def test_a_revoked_key_stays_known_and_frees_its_name(keys: KeyStore) -> None:
    key, record = keys.create("bot")
    revoked = keys.revoke("Bot", who="Ada")
    assert keys.find(key) == revoked
    _, second = keys.create("bot")
    assert keys.expect("bot") == second
    assert [each.id for each in keys.records()] == [record.id, second.id]


def test_invalid_key_options_are_refused(keys: KeyStore, subtests: pytest.Subtests) -> None:
    for field, options in [
        ("name", {"name": " "}),
        ("name", {"name": "x" * 101}),
        ("name", {"name": "a\x07b"}),
        ("name", {"name": new_key()}),
        ("scope", {"scopes": []}),
        ("scope", {"scopes": ["ask", "root"]}),
        ("group", {"groups": []}),
        ("group", {"groups": ["lab", " "]}),
        ("expires", {"expires_at": datetime(2001, 1, 1, tzinfo=UTC)}),
        ("expires", {"expires_at": datetime(2101, 1, 1)}),
    ]:
        with subtests.test(options=options):
            with pytest.raises(InvalidInput) as caught:
                keys.create(**{"name": "bot", **options})  # type: ignore[arg-type]
            assert caught.value.field == field
            assert keys.records() == ()


def test_use_of_a_key_is_recorded_once_a_minute(keys: KeyStore, engine: Engine) -> None:
    _, record = keys.create("bot")
    assert record.last_used_at is None
    keys.note_use(record.id)
    first = keys.expect(record.id).last_used_at
    assert first is not None
    keys.note_use(record.id)
    assert keys.expect(record.id).last_used_at == first
    before = datetime.now(UTC) - timedelta(minutes=2)
    with engine.begin() as connection:
        moment = before if engine.name == "postgresql" else before.strftime("%Y-%m-%d %H:%M:%S.%f")
        connection.execute(text("UPDATE api_keys SET last_used_at = :moment"), {"moment": moment})
    keys.note_use(record.id)
    last = keys.expect(record.id).last_used_at
    assert last is not None
    assert last > before + timedelta(minutes=1)


def test_keys_have_a_recognisable_format() -> None:
    made = {new_key() for _ in range(200)}
    assert len(made) == 200
    for key in made:
        assert re.fullmatch(r"gr_[0-9A-Za-z_-]{43}", key)
        assert is_key(key)
    one = made.pop()
    assert not is_key(one + "\n")
    assert not is_key(one.replace("gr_", "GR_"))
    assert not is_key("gr_" + "0" * 42)
    # SHA-256 of "abc", as given in FIPS 180.
    assert digest_of("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


IDLE, WHOLE = timedelta(hours=1), timedelta(hours=12)


@pytest.fixture
def store(engine: Engine) -> SessionStore:
    return SessionStore(engine, idle=IDLE, whole=WHOLE)


def aged(engine: Engine, **columns: datetime) -> None:
    """Make every session look as if time had passed."""
    with engine.begin() as connection:
        connection.execute(update(sessions).values(**columns))


def kept(engine: Engine) -> int:
    with engine.connect() as connection:
        return connection.execute(select(func.count()).select_from(sessions)).scalar_one()


def ada(store: SessionStore) -> str:
    return store.begin_for_person("Ada", account="token:f3a9", scopes=["manage", "ask"], groups=["lab", "everyone"])


def test_session_of_a_key_has_the_keys_current_rights_and_ends_with_it(store: SessionStore, keys: KeyStore) -> None:
    _, record = keys.create("nand-team", scopes=["ask"], groups=["nand"])
    token = store.begin_for_key(record, account=f"key:{record.id}")
    found = store.find(token)
    assert found is not None
    assert found.key == keys.expect(record.id)
    store.note_use(found)
    assert keys.expect(record.id).last_used_at is not None
    keys.revoke(record.id)
    assert store.find(token) is None


def test_no_column_contains_a_key_or_a_session_token(keys: KeyStore, store: SessionStore, engine: Engine) -> None:
    (key, _), token = keys.create("secret"), ada(store)
    with engine.connect() as connection:
        rows = [connection.execute(text(f"SELECT * FROM {table}")).one() for table in ("api_keys", "sessions")]
    for secret, row in zip((key, token), rows, strict=True):
        stored = " ".join(map(str, row))
        assert digest_of(secret) in stored
        assert secret not in stored
        assert secret[3:20] not in stored


def test_unknown_session_token_opens_nothing(store: SessionStore, subtests: pytest.Subtests) -> None:
    for token in ["", "x", "x" * 43, "é" * 43, "a" * 100_000, "' OR 1=1 --", "\x00" * 43]:
        with subtests.test(token=token[:20]):
            ada(store)
            assert store.find(token) is None
            assert not store.end(token)


def test_idle_session_ends_and_active_one_continues(store: SessionStore, engine: Engine) -> None:
    token, now = ada(store), datetime.now(UTC)
    aged(engine, seen_at=now - IDLE + timedelta(minutes=5))
    found = store.find(token)
    assert found is not None
    store.note_use(found)
    seen = store.find(token)
    assert seen is not None
    assert seen.seen_at >= now
    store.note_use(found)
    assert store.find(token) == seen, f"at most every {USE_NOTED_EVERY}"
    aged(engine, seen_at=now - IDLE)
    assert store.find(token) is None


def test_use_does_not_extend_a_session_beyond_its_maximum(store: SessionStore, engine: Engine) -> None:
    now, token = datetime.now(UTC), ada(store)
    found = store.find(token)
    assert found is not None
    assert now + WHOLE <= found.expires_at <= datetime.now(UTC) + WHOLE
    aged(engine, expires_at=now)
    store.note_use(found)
    assert store.find(token) is None


def test_ended_sessions_are_deleted_at_the_next_login(store: SessionStore, engine: Engine) -> None:
    ada(store)
    aged(engine, seen_at=datetime.now(UTC) - IDLE)
    ada(store)
    ada(store)
    assert kept(engine) == 2
    aged(engine, expires_at=datetime.now(UTC))
    alive = ada(store)
    assert kept(engine) == 1
    assert store.find(alive) is not None
