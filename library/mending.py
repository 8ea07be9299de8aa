"""The lexical index, made again from the chunks."""

from sqlalchemy import Engine, delete, insert, select, text, update

from database.session import writing
from library.lexical_postgresql import lexemes_of
from library.models import chunk_lexemes, chunks, library_state
from library.rows import chunk_of
from library.words import words_of

_ROWS_A_BATCH = 500


def rebuild_lexical_index(engine: Engine) -> None:
    """Make the words of every searched chunk and the lexical index again from its text, in one transaction. Blocking.

    Raises:
        Unavailable: the database cannot be written just now.
    """
    with writing(engine) as connection:
        connection.execute(update(library_state).values(version=library_state.c.version + 1))
        last = -1
        ordered = select(chunks).where(chunks.c.kind != "section").order_by(chunks.c.number).limit(_ROWS_A_BATCH)
        while rows := connection.execute(ordered.where(chunks.c.number > last)).all():
            last = rows[-1].number
            for row in rows:
                words = " ".join(words_of(chunk_of(row).searchable_text))
                if words != row.words:
                    connection.execute(update(chunks).where(chunks.c.number == row.number).values(words=words))
        if engine.name == "postgresql":
            connection.execute(delete(chunk_lexemes))
            query = select(chunks.c.number, chunks.c.words).where(chunks.c.words.is_not(None))
            for some in connection.execute(query).partitions(_ROWS_A_BATCH):
                connection.execute(insert(chunk_lexemes), [lexemes_of(row.number, row.words.split()) for row in some])
            return
        for table in ("chunk_stems", "chunk_terms"):
            connection.execute(text(f"INSERT INTO {table}({table}) VALUES ('delete-all')"))
            held = "SELECT number, words FROM chunks WHERE words IS NOT NULL"
            connection.execute(text(f"INSERT INTO {table}(rowid, words) {held}"))
