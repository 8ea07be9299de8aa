from datetime import UTC, datetime, timedelta, timezone

from sqlalchemy import Column, Engine, Integer, MetaData, Table, select

from database.columns import Key, StoredJson, StoredText, UtcTime
from database.transactions import reading, writing

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


def test_what_no_database_takes_is_replaced(engine: Engine) -> None:
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


def test_a_moment_comes_back_in_utc(engine: Engine) -> None:
    moment = datetime(2024, 5, 6, 7, 8, 9, tzinfo=timezone(timedelta(hours=2)))
    with writing(engine) as connection:
        TABLES.create_all(connection)
        connection.execute(THINGS.insert(), {"number": 1, "key": "a", **NOTHING, "time": moment})
    with reading(engine) as connection:
        stored = connection.execute(select(THINGS.c.time)).scalar_one()
    assert stored == moment
    assert stored.tzinfo == UTC
