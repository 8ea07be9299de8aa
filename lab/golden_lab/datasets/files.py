"""Read data set files: JSON lines, and tokens joined into ordinary text."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from contracts.text import Span
from golden_lab.json_lines import read_json_lines


def read_jsonl(path: Path) -> Iterator[dict[str, Any]]:
    """Read a file of JSON lines in the data folder, gzipped or not; blank lines are ignored.

    Raises:
        InvalidInput: the file does not exist, or a line is not a JSON object; the message names the file and line.
    """
    for _, row in read_json_lines(path, where="is --data the folder with one folder per data set?"):
        yield row


_CLOSE_UP_BEFORE = frozenset(", . ; : ! ? ) ] } % 's 're 've 'll 'd 'm n't ’s ''".split())  # noqa: SIM905
_CLOSE_UP_AFTER = frozenset("( [ { ``".split())  # noqa: SIM905
_JOINING = frozenset("- – /".split())  # noqa: SIM905


def join_tokens(tokens: Sequence[str]) -> tuple[str, tuple[Span, ...]]:
    """Join ``tokens`` into a sentence with ordinary spacing; return it with one span per token.

    Judgements should read "non-QA (question answering)", as people write, not "non - QA ( question answering )".
    """
    text = ""
    spans: list[Span] = []
    previous = ""
    for at, token in enumerate(tokens):
        following = tokens[at + 1] if at + 1 < len(tokens) else ""
        if text and not _closes_up(previous, token, following, tokens[at - 2] if at > 1 else ""):
            text += " "
        spans.append(Span(len(text), len(text) + len(token)))
        text += token
        previous = token
    return text, tuple(spans)


def _closes_up(previous: str, token: str, following: str, before_previous: str) -> bool:
    if token in _CLOSE_UP_BEFORE or previous in _CLOSE_UP_AFTER:
        return True
    if token in _JOINING:
        return _ends_in_word(previous) and _begins_with_word(following)
    return previous in _JOINING and _ends_in_word(before_previous) and _begins_with_word(token)


def _ends_in_word(token: str) -> bool:
    return token[-1:].isalnum()


def _begins_with_word(token: str) -> bool:
    return token[:1].isalnum()
