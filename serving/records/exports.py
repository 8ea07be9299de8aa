"""Exports: conversations as one Markdown text or one JSON document, piece by piece."""

import json
from collections.abc import Iterable, Iterator

from contracts.records import Conversation, Groups, StoredTurn, Withheld
from library.records.conversations import ConversationStore

# A conversation with an iterator for its turns.
ExportedConversation = tuple[Conversation, Iterable[StoredTurn]]

_AT_ONCE = 100
_WITHHELD: dict[Withheld, str] = {
    "gone": "*The answer is not stored: a document that it cited is no longer in the library.*",
    "forbidden": "*The answer is not shown: it may be based on documents that you may no longer read.*",
}


def exported_conversations(store: ConversationStore, account: str, groups: Groups) -> Iterator[ExportedConversation]:
    """Yield the conversations of an account, most recently changed first, for a reader of ``groups``. Blocking."""
    after = None
    while page := store.page(account, after=after, limit=_AT_ONCE):
        for conversation in page:
            yield conversation, turns_of(store, account, conversation.id, groups)
        after = (page[-1].changed_at, page[-1].id)


def turns_of(store: ConversationStore, account: str, conversation_id: str, groups: Groups) -> Iterator[StoredTurn]:
    """Yield the turns of a conversation, oldest first, for a reader of ``groups``. Blocking."""
    after = None
    while page := store.turns(account, conversation_id, groups, after=after, limit=_AT_ONCE):
        yield from page
        after = (page[-1].asked_at, page[-1].id)


def as_json(conversations: Iterable[ExportedConversation]) -> Iterator[str]:
    """Yield a JSON document with ``conversations``, each with its ``turns``."""
    yield '{"conversations": ['
    for number, (conversation, turns) in enumerate(conversations):
        head = conversation.model_dump_json()
        yield f'{"," if number else ""}\n{head[:-1]},"turns": ['
        for at, turn in enumerate(turns):
            yield f"{',' if at else ''}\n{turn.model_dump_json(by_alias=True)}"
        yield "]}"
    yield "\n]}\n"


def as_markdown(conversations: Iterable[ExportedConversation]) -> Iterator[str]:
    """Yield Markdown text: a heading for each conversation, then its questions, answers and sources."""
    for number, (conversation, turns) in enumerate(conversations):
        begun = f"{conversation.started_at:%Y-%m-%d %H:%M} UTC"
        between = "\n" if number else ""
        yield f"{between}# {_line(conversation.title)}\n\nBegun {begun}\n"
        for turn in turns:
            yield from _turn(turn)


def _turn(turn: StoredTurn) -> Iterator[str]:
    answer = turn.answer
    yield f"\n## {turn.asked_at:%Y-%m-%d %H:%M} UTC\n\n{_quoted(answer.question)}\n"
    if turn.withheld:
        yield f"\n{_WITHHELD[turn.withheld]}\n"
    elif answer.text.strip():
        yield f"\n{answer.text.strip()}\n"
    if answer.citations:
        lines = [
            f"- [{each.number}] {_line(each.place)}: {json.dumps(_line(each.quote), ensure_ascii=False)}"
            for each in answer.citations
        ]
        yield "\nSources:\n\n" + "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines()) or ">"


def _line(text: str) -> str:
    return " ".join(text.split())
