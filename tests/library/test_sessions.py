"""Sessions in SQL, on SQLite and PostgreSQL: hashed, idle, expiring, ended with their keys."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Engine, func, select, text, update

from library.keys import USE_NOTED_EVERY, KeyStore
from library.sessions import SessionStore
from library.tables import sessions

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


def test_a_session_of_a_key_tells_what_the_key_is_now_and_ends_with_it(store: SessionStore, keys: KeyStore) -> None:
    _, record = keys.create("nand-team", scopes=["ask"], groups=["nand"])
    token = store.begin_for_key(record, account=f"key:{record.id}")
    found = store.find(token)
    assert found is not None
    assert found.key == keys.expect(record.id)
    store.note_use(found)
    assert keys.expect(record.id).last_used_at is not None
    keys.revoke(record.id)
    assert store.find(token) is None


def test_no_column_holds_what_the_browser_sends(store: SessionStore, engine: Engine) -> None:
    token = ada(store)
    with engine.connect() as connection:
        (row,) = connection.execute(text("SELECT * FROM sessions")).all()
    assert token not in " ".join(map(str, row))
    assert token[:20] not in " ".join(map(str, row))


def test_what_was_never_given_out_opens_nothing(store: SessionStore, subtests: pytest.Subtests) -> None:
    for token in ["", "x", "x" * 43, "é" * 43, "a" * 100_000, "' OR 1=1 --", "\x00" * 43]:
        with subtests.test(token=token[:20]):
            ada(store)
            assert store.find(token) is None
            assert not store.end(token)


def test_a_session_that_nobody_uses_ends_and_one_in_use_goes_on(store: SessionStore, engine: Engine) -> None:
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


def test_no_use_makes_a_session_longer_than_it_may_be(store: SessionStore, engine: Engine) -> None:
    now, token = datetime.now(UTC), ada(store)
    found = store.find(token)
    assert found is not None
    assert now + WHOLE <= found.expires_at <= datetime.now(UTC) + WHOLE
    aged(engine, expires_at=now)
    store.note_use(found)
    assert store.find(token) is None


def test_what_is_over_is_deleted_by_the_next_login(store: SessionStore, engine: Engine) -> None:
    ada(store)
    aged(engine, seen_at=datetime.now(UTC) - IDLE)
    ada(store)
    ada(store)
    assert kept(engine) == 2
    aged(engine, expires_at=datetime.now(UTC))
    alive = ada(store)
    assert kept(engine) == 1
    assert store.find(alive) is not None
