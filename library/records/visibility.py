"""Which stored answers a reader may see now. A record never reveals more of a document than the document itself would.

An answer is withheld as "forbidden" where it may rest on text that the reader may not read: the asker could read more
groups than the reader, or the answer names a document in a group that the reader may not read. It is withheld from
everybody as "gone" where a document that it quotes has been deleted: its sentences are the document's.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from contracts.answer import Answer
from contracts.records import Groups, NamedDocument, Withheld


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupedDocument:
    """A document that an answer names.

    ``group`` is its group now or, if it has been deleted, its last one; None if it did not exist when the answer was
    stored.
    """

    document: NamedDocument
    group: str | None


def encode_groups(groups: Groups) -> str:
    """Return ``groups`` as text for the database: sorted JSON, or "" for all groups."""
    return "" if groups is None else json.dumps(sorted(groups), ensure_ascii=False)


def decode_groups(encoded: str) -> Groups:
    """Return the groups that ``encode_groups`` encoded."""
    return frozenset(json.loads(encoded)) if encoded else None


def may_read_all(groups: Groups, encoded: str) -> bool:
    """Return whether a reader of ``groups`` may read all the groups that ``encoded`` holds."""
    if groups is None:
        return True
    wanted = decode_groups(encoded)
    return wanted is not None and wanted <= groups


def reason_withheld(
    asker_groups: str, documents: Sequence[GroupedDocument], groups: Groups, *, withdrawn: bool
) -> Withheld:
    """Return why a reader of ``groups`` may not see an answer, or "" if they may; ``asker_groups`` are encoded."""
    foreign = groups is not None and any(each.group not in groups for each in documents)
    if foreign or not may_read_all(groups, asker_groups):
        return "forbidden"
    gone = withdrawn or any(each.document.cited and not each.document.there for each in documents)
    return "gone" if gone else ""


def without_content(answer: Answer) -> Answer:
    """Return ``answer`` without anything that came from documents."""
    return Answer(
        outcome=answer.outcome,
        text="",
        question=answer.question,
        answerability=answer.answerability,
        certainty=answer.certainty,
        steps=tuple(step.model_copy(update={"finding": ""}) for step in answer.steps),
        degraded=answer.degraded,
        conversation_id=answer.conversation_id,
        turn_id=answer.turn_id,
    )
