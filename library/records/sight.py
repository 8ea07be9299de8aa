"""Sight: what of a kept answer its reader may see now. A record never tells more of a document than the document does.

An answer is withheld where it could rest on what the reader may not read: where whoever asked could read more groups
than the reader can now, or a document that it names lies in a group which is not the reader's. It is withheld from
everybody where a document that it quotes is gone: its sentences are the document's.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from contracts.answer import Answer
from contracts.records import Groups, NamedDocument, Withheld


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupedDocument:
    """A document that an answer named. ``group`` is that where it is now, else where it was; None: it was gone then."""

    document: NamedDocument
    group: str | None


def reach_of(groups: Groups) -> str:
    """Return the groups that an asker may read as one word for the database; "" for all."""
    return "" if groups is None else json.dumps(sorted(groups), ensure_ascii=False)


def groups_of(reach: str) -> Groups:
    """Return the groups that ``reach_of`` wrote down."""
    return frozenset(json.loads(reach)) if reach else None


def is_within(reach: str, groups: Groups) -> bool:
    """Say whether everything that could go into an answer of this reach may be read by who reads ``groups``."""
    if groups is None:
        return True
    named = groups_of(reach)
    return named is not None and named <= groups


def sight_of(reach: str, documents: Sequence[GroupedDocument], groups: Groups, *, withdrawn: bool) -> Withheld:
    """Return why an answer is not shown to who reads ``groups``, "" where it is."""
    foreign = groups is not None and any(each.group not in groups for each in documents)
    if foreign or not is_within(reach, groups):
        return "forbidden"
    gone = withdrawn or any(each.document.cited and not each.document.there for each in documents)
    return "gone" if gone else ""


def veiled(answer: Answer) -> Answer:
    """Return the answer without anything that came from documents."""
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
