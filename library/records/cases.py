"""Stores test cases that reviewers make from turns, in the form of lines of a quiz file."""

import secrets
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, get_args

from sqlalchemy import Engine, delete, insert, select, update

from contracts.answer import Outcome
from contracts.case_runs import ReviewCase
from contracts.errors import InvalidInput, NotFound, PreconditionFailed
from contracts.records import Groups, StoredTurn
from database.transactions import reading, writing
from library.records.rows import decode_groups, documents_of, may_read_all
from library.records.tables import review_cases, turns
from library.tables import documents

_ID_BYTES = 6
MAX_CASES = 10_000
_MAY_BE_EMPTY = frozenset({"document", "page", "term", "sense", "context"})


class CaseStore:
    """Stores test cases. The calls block and are thread-safe; ``groups`` are the groups that the reviewer may read.

    A case belongs to the organisation, so it is kept when its conversation is deleted. It contains the question and the
    reviewer's text, but neither the asker nor the answer.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def make(
        self, turn: StoredTurn, given: Mapping[str, Any], *, history: tuple[str, ...] = (), who: str
    ) -> ReviewCase:
        """Make a case from a turn that the reviewer may see; ``given`` are the fields that the reviewer set.

        Raises:
            InvalidInput: ``given`` and the turn do not determine what is correct.
            NotFound: the turn was deleted.
        """
        case_id = f"review-{secrets.token_hex(_ID_BYTES)}"
        fields = fields_of(turn, given, case_id=case_id, history=history)
        moment = datetime.now(UTC)
        with writing(self._engine) as connection:
            of_turn = select(turns.c.asker_groups).where(turns.c.id == turn.id)
            asker_groups = connection.execute(of_turn).scalar_one_or_none()
            if asker_groups is None:
                raise NotFound(f"The turn {turn.id!r} no longer exists.")
            named = [[each.id, each.group] for each in documents_of(connection, [turn.id])[turn.id]]
            made = {"id": case_id, "turn_id": turn.id, "fields": fields, "made_by": who, "made_at": moment}
            connection.execute(insert(review_cases).values(**made, asker_groups=asker_groups, documents=named))
        return ReviewCase(
            id=case_id, turn=turn.id, case=fields, made_by=who, made_at=moment, asker_groups=decode_groups(asker_groups)
        )

    def cases(self, groups: Groups) -> tuple[ReviewCase, ...]:
        """Return the newest ``MAX_CASES`` cases that the reviewer may see, oldest first."""
        newest = select(review_cases, turns.c.id.label("there")).outerjoin(turns, turns.c.id == review_cases.c.turn_id)
        newest = newest.order_by(review_cases.c.made_at.desc(), review_cases.c.id.desc()).limit(MAX_CASES)
        with reading(self._engine) as connection:
            rows = connection.execute(newest).all()
            found = connection.execute(select(documents.c.id, documents.c.access_group)) if groups is not None else ()
            now = {row[0]: row[1] for row in found}
        return tuple(
            ReviewCase.model_validate(
                {**row._mapping, "turn": row.there, "case": row.fields, "asker_groups": decode_groups(row.asker_groups)}
            )
            for row in reversed(rows)
            if _may_see(row, groups, now)
        )

    def change(
        self, groups: Groups, case_id: str, given: Mapping[str, Any], *, version: int | None = None
    ) -> ReviewCase:
        """Change fields of a case at ``version`` (None: any); fields with the value None become empty.

        Raises:
            NotFound: the case does not exist, or the reviewer may not see it.
            InvalidInput: the case would no longer determine what is correct.
            PreconditionFailed: somebody has changed the case since.
        """
        known = self._find(groups, case_id)
        fields = _with(known.case, given)
        _check(fields["expect"], fields["answer"])
        seen = known.version if version is None else version
        with writing(self._engine) as connection:
            mine = (review_cases.c.id == case_id) & (review_cases.c.version == seen)
            if not connection.execute(
                update(review_cases).where(mine).values(fields=fields, version=seen + 1)
            ).rowcount:
                raise PreconditionFailed("The case has changed since you loaded it: load it again.")
        return known.model_copy(update={"case": fields, "version": seen + 1})

    def remove(self, groups: Groups, case_id: str) -> None:
        """Remove a case. Raises ``NotFound``."""
        self._find(groups, case_id)
        with writing(self._engine) as connection:
            connection.execute(delete(review_cases).where(review_cases.c.id == case_id))

    def _find(self, groups: Groups, case_id: str) -> ReviewCase:
        for each in self.cases(groups):
            if each.id == case_id:
                return each
        raise NotFound(f"There is no case {case_id!r}.")


def fields_of(
    turn: StoredTurn, given: Mapping[str, Any], *, case_id: str, history: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Return the line of a quiz file that asks the question of ``turn`` again.

    If the asker did not report the answer as wrong, it counts as correct: its outcome, first cited page and first
    reading are expected, unless ``given`` overrides them (None: not expected). The wording of a correct answer must
    come from the reviewer.

    Raises:
        InvalidInput: ``given`` does not determine what is correct.
    """
    expect = given.get("expect") or ("answered" if given.get("answer") else "")
    fields = suggested_fields(turn, history=history, expect=expect)
    _check(fields["expect"], given.get("answer") or "")
    return {**_with(fields, given), "id": case_id, "expect": fields["expect"]}


def suggested_fields(turn: StoredTurn, *, history: Sequence[str] = (), expect: str = "") -> dict[str, Any]:
    """Return the defaults of ``fields_of``; ``expect`` is "" if the expected outcome is unknown."""
    trusted = not turn.withheld and (turn.feedback is None or turn.feedback.verdict == "up")
    expect = expect or (turn.outcome if trusted else "")
    cited = turn.answer.citations[0] if trusted and expect == "answered" and turn.answer.citations else None
    sense = next((each.sense for each in turn.answer.readings if trusted and each.sense is not None), None)
    return {
        "id": "",
        "question": turn.question,
        "history": list(history),
        "choices": [],
        "kind": "review",
        "expect": expect,
        "answer": "",
        "accept": [],
        "document": cited.document_name if cited is not None and cited.page else None,
        "page": cited.page if cited is not None and cited.page else None,
        "term": sense.term if sense is not None else None,
        "sense": sense.extended_name if sense is not None else None,
        "context": (sense.context or None) if sense is not None else None,
        "department": turn.department,
    }


def _with(fields: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    changed = {name: value for name, value in given.items() if name in fields and name != "id"}
    kept = {name: value for name, value in changed.items() if value is not None or name in _MAY_BE_EMPTY}
    return {**fields, **kept}


def _check(expect: str, answer: str) -> None:
    if not expect:
        raise InvalidInput(
            f"Say what the bot should have done: expect is one of {', '.join(get_args(Outcome))}.", field="expect"
        )
    if expect == "answered" and not answer.strip():
        raise InvalidInput(
            "Give a few words that a correct answer contains, such as 1.5 V: an answer passes if it contains them.",
            field="answer",
        )


def _may_see(row: Any, groups: Groups, now: Mapping[str, str]) -> bool:
    if groups is None:
        return True
    named = [now.get(document_id, group) for document_id, group in row.documents]
    return may_read_all(groups, row.asker_groups) and all(group in groups for group in named)
