"""What an import would do: each row that is wanted beside what the dictionary holds."""

from collections.abc import Sequence

from sqlalchemy import Connection

from contracts.dictionary import PlannedRow, Verdict, differences
from contracts.jargon import Context, Sense
from jargon_db.contexts import select_contexts
from jargon_db.folding import fold
from jargon_db.writing import alike, formers, meaning_of


def plan_senses(connection: Connection, wanted: Sequence[Sense]) -> tuple[PlannedRow, ...]:
    """Say what putting each of ``wanted`` (checked) in would do; one row for each."""
    there = formers(connection, wanted)
    published: dict[tuple[str, str], list[Sense]] = {}
    for sense in there.values():
        if sense.state == "published":
            published.setdefault((fold(sense.term), fold(sense.context)), []).append(sense)
    planned = []
    for sense in wanted:
        former = there.get(meaning_of(sense))
        beside = published.get((fold(sense.term), fold(sense.context)), []) if sense.state == "published" else []
        rivals = tuple(each for each in beside if each is not former)
        if former is None:
            verdict: Verdict = "conflicting" if rivals else "added"
        else:
            verdict = "unchanged" if alike(former, sense) else "changed"
        found = () if verdict == "unchanged" else differences(former, sense)
        planned.append(PlannedRow(verdict=verdict, sense=sense, differences=found, rivals=rivals))
    return tuple(planned)


def plan_contexts(connection: Connection, wanted: Sequence[Context]) -> tuple[PlannedRow, ...]:
    """Say what describing each of ``wanted`` (checked) would do; one row for each."""
    there = {key: each.context for key, each in select_contexts(connection).items()}
    planned = []
    for context in wanted:
        former = there.get(fold(context.name))
        verdict: Verdict = "added" if former is None else "unchanged" if former == context else "changed"
        planned.append(PlannedRow(verdict=verdict, context=context, differences=differences(former, context)))
    return tuple(planned)
