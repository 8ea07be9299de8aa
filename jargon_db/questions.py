"""What the bot itself keeps of questions: unknown terms, and the meanings that askers chose."""

from sqlalchemy import Engine

from contracts.errors import NotFound
from contracts.jargon import Correction
from database.session import writing
from jargon_db.corrections import record_correction, redact_corrections
from jargon_db.reading import JargonReader
from jargon_db.unknown import forget_unknown, record_unknown, redact_unknown


class JargonRecorder(JargonReader):
    """Reads the dictionary and records how it is asked, under the name ``who`` (empty: the program itself).

    ``keep_questions`` says whether askers' questions are kept with what is recorded.
    """

    def __init__(self, engine: Engine, *, who: str = "", keep_questions: bool = True) -> None:
        super().__init__(engine)
        self._who = who
        self._keep_questions = keep_questions

    def record_unknown(self, term: str, question: str, context: str) -> None:
        """Count a question about a term that nobody has defined. The dictionary's version stays as it is.

        Of very many terms those go that were asked for once and longest ago.
        """
        with writing(self._engine) as connection:
            record_unknown(connection, term, question if self._keep_questions else "", context)

    def dismiss_unknown(self, term: str) -> None:
        """Take a term off the queue of unknown terms.

        Raises:
            NotFound: it is not on the queue.
        """
        with writing(self._engine) as connection:
            if not forget_unknown(connection, [term]):
                raise NotFound(f"{term!r} is not on the queue of unknown terms.")

    def record_correction(self, correction: Correction) -> None:
        """Keep the meaning that an asker chose; the same one in the same question (compared folded) is counted.

        It is the sense's from then on: it moves with it when the sense is renamed or merged, and goes when the sense is
        deleted. One of a meaning that is not in the dictionary counts for nothing. Of very many the oldest go. The
        dictionary's version stays as it is; ``corrections_version`` changes.
        """
        kept = correction if self._keep_questions else correction.model_copy(update={"question": ""})
        with writing(self._engine) as connection:
            record_correction(connection, kept, self._who)

    def redact_questions(self) -> int:
        """Forget every question that is kept on the queue or with a correction, and return how many there were.

        Terms, counts, contexts and times stay.
        """
        with writing(self._engine) as connection:
            return redact_unknown(connection) + redact_corrections(connection)
