"""The common beginning of prompts about the same passages, which the server's prefix cache stores once."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from contracts.text import Passage
from tools.prompt_delimiters import delimit_texts, make_code

_TEXT = Path(__file__).with_name("prompt_prefix.toml")
_MAX_PASSAGE_CHARACTERS = 4_000


def prefix_variables(passages: Sequence[Passage]) -> Mapping[str, str]:
    """Return the variables of a prompt about ``passages``: ``prefix`` (the whole system text), ``evidence``, ``code``.

    A prompt that shares its beginning with others has only "{prefix}" as its system text, no examples (they are in the
    task), and a user text that begins with "{evidence}". Both depend only on the passages, so they are identical, byte
    for byte, for all judges and writers of one question; text that differs follows them. ``code`` is the code in the
    delimiters of the passages. A question or a draft after them needs delimiters of its own.

    Source: prompts in IBM's library of LLM intrinsics for RAG (arXiv 2504.11704) also have documents first and
    instructions last, so that the keys and values of the documents are reused.
    """
    texts = [_numbered(passage, number) for number, passage in enumerate(passages, 1)]
    labels = [place_of(passage) for passage in passages]
    code = make_code(*texts, *labels)
    blocks = delimit_texts(texts, code, labels=labels) or "(there are none)"
    return {"prefix": _text(), "evidence": f"# Passages, code {code}\n\n{blocks}", "code": code}


def _numbered(passage: Passage, number: int) -> str:
    """Return the text of a passage, cut at a maximum length, with a number before each sentence."""
    lines: list[str] = []
    end = 0
    for index, span in enumerate(passage.sentences, 1):
        lines.append(passage.text[end : span.start].strip())
        lines.append(f"[{number}.{index}] {passage.text[span.start : span.end].strip()}")
        end = span.end
    lines.append(passage.text[end:].strip())
    return "\n".join(line for line in lines if line)[:_MAX_PASSAGE_CHARACTERS]


def place_of(passage: Passage) -> str:
    """Return the place of a passage: its document, headings and page."""
    parts = [passage.document_title or passage.document_name, *passage.chunk.heading_path, f"page {passage.chunk.page}"]
    return " > ".join(part for part in parts if part)


@cache
def _text() -> str:
    return str(tomllib.loads(_TEXT.read_text("utf-8"))["text"]).strip()
