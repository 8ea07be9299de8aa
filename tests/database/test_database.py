from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from sqlalchemy import Column, Connection, Engine, Integer, MetaData, Table, select, text

from contracts.errors import ConfigurationError, Unavailable
from database.columns import Key, StoredJson, StoredText, UtcTime
from database.connection import open_database
from database.transactions import reading, writing


def read_one(engine: Engine) -> int:
    with reading(engine) as connection:
        return int(connection.execute(text("SELECT 1")).scalar_one())


def test_file_that_is_not_a_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "golden.db"
    path.write_bytes(b"This is a text, and a long one. " * 100)
    with pytest.raises(ConfigurationError, match="not a"):
        read_one(open_database(f"sqlite:///{path}"))


@pytest.mark.parametrize("url", ["", "nonsense", "sqlite://", "sqlite:///:memory:", "mysql://host/name"])
def test_invalid_address_is_refused(url: str) -> None:
    with pytest.raises(ConfigurationError):
        open_database(url)


def test_folder_that_cannot_be_created_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ConfigurationError, match="file"):
        open_database(f"sqlite:///{tmp_path}/file/golden.db")


@pytest.mark.postgres
def test_unreachable_server_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="Try again"):
        read_one(open_database(f"postgresql://golden@/absent?host={tmp_path}"))


def test_errors_contain_no_password(tmp_path: Path) -> None:
    with pytest.raises(Unavailable) as raised:
        read_one(open_database("postgresql://golden:s3cret@127.0.0.1:1/absent"))
    assert "s3cret" not in str(raised.value)


def test_failed_write_is_rolled_back(engine: Engine) -> None:
    with writing(engine) as connection:
        connection.execute(text("CREATE TABLE counted (number INTEGER)"))

    def insert_and_fail(connection: Connection) -> None:
        connection.execute(text("INSERT INTO counted VALUES (1)"))
        raise RuntimeError("half-way")

    with pytest.raises(RuntimeError, match="half-way"), writing(engine) as connection:
        insert_and_fail(connection)
    with reading(engine) as connection:
        assert connection.execute(text("SELECT count(*) FROM counted")).scalar_one() == 0


def test_a_read_transaction_sees_one_state(engine: Engine) -> None:
    with writing(engine) as connection:
        connection.execute(text("CREATE TABLE counted (number INTEGER)"))
    with reading(engine) as before:
        assert before.execute(text("SELECT count(*) FROM counted")).scalar_one() == 0
        with writing(engine) as connection:
            connection.execute(text("INSERT INTO counted VALUES (1)"))
        assert before.execute(text("SELECT count(*) FROM counted")).scalar_one() == 0
    with reading(engine) as after:
        assert after.execute(text("SELECT count(*) FROM counted")).scalar_one() == 1


def test_a_missing_table_says_what_to_do(engine: Engine) -> None:
    with pytest.raises(ConfigurationError, match="Run the migrations"), reading(engine) as connection:
        connection.execute(text("SELECT * FROM absent"))


TABLES = MetaData()
THINGS = Table(
    "things",
    TABLES,
    Column("number", Integer, primary_key=True),
    Column("key", Key),
    Column("text", StoredText),
    Column("json", StoredJson),
    Column("time", UtcTime),
)
NOTHING = {"text": None, "json": None, "time": None}


def test_characters_that_databases_refuse_are_replaced(engine: Engine) -> None:
    with writing(engine) as connection:
        TABLES.create_all(connection)
        row = {"number": 1, "key": "a\x00", "text": "b\ud800c", "json": ["d\x00", ["e\udfff", 1]], "time": None}
        connection.execute(THINGS.insert(), row)
    with reading(engine) as connection:
        stored = connection.execute(select(THINGS)).one()
    assert (stored.key, stored.text, stored.json) == ("a\ufffd", "b\ufffdc", ["d\ufffd", ["e\ufffd", 1]])


def test_keys_are_ordered_by_code_point(engine: Engine) -> None:
    keys = ["b", "B", "a", "_", "é", "Z"]
    with writing(engine) as connection:
        TABLES.create_all(connection)
        connection.execute(THINGS.insert(), [{"number": n, "key": key, **NOTHING} for n, key in enumerate(keys)])
    with reading(engine) as connection:
        assert list(connection.execute(select(THINGS.c.key).order_by(THINGS.c.key)).scalars()) == sorted(keys)


def test_times_are_returned_in_utc(engine: Engine) -> None:
    moment = datetime(2024, 5, 6, 7, 8, 9, tzinfo=timezone(timedelta(hours=2)))
    with writing(engine) as connection:
        TABLES.create_all(connection)
        connection.execute(THINGS.insert(), {"number": 1, "key": "a", **NOTHING, "time": moment})
    with reading(engine) as connection:
        stored = connection.execute(select(THINGS.c.time)).scalar_one()
    assert stored == moment
    assert stored.tzinfo == UTC
