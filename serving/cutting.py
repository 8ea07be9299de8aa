"""Cutting: where an answer ends that a client bounds, and what of its citations is left."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from contracts.answer import Answer
from serving.footer import footer_of
from tools.language import split_sentences

FinishReason = Literal["stop", "length"]

# The bot's judgements have no one tokenizer. Source: OpenAI's rule of thumb for English.
CHARACTERS_A_TOKEN = 4

_MARKER = re.compile(r"\[(\d{1,4})\]")
_HALF_MARKER = re.compile(r"[ ]?\[\d{0,4}$")
_END_MARKS = " .!?…。！？"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What bounds an answer: texts that it ends before, the most tokens (None: any), whether a footer follows it."""

    stops: tuple[str, ...] = ()
    most_tokens: int | None = None
    footer: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class CutAnswer:
    """What a client gets: the answer, of which ``text``, citations and sentences are those left; and its footer."""

    answer: Answer
    footer: str
    finish_reason: FinishReason

    @property
    def content(self) -> str:
        """The content of the message."""
        return self.answer.text + self.footer

    def pieces(self) -> list[str]:
        """Cut the content into its sentences, each with the white space before it, and the footer."""
        text = self.answer.text
        pieces: list[str] = []
        position = 0
        for span in split_sentences(text):
            pieces.append(text[position : span.end])
            position = span.end
        return [piece for piece in (*pieces, text[position:], self.footer) if piece]


def cut_answer(answer: Answer, bounds: Bounds) -> CutAnswer:
    """Cut ``answer`` as its client wants it: before the first stop, then to the most tokens.

    The footer is no part of what the client bounds: it comes whole, or not at all.
    """
    footer = footer_of(answer) if bounds.footer else ""
    text = answer.text
    stops = [place for place in ((text + footer).find(stop) for stop in bounds.stops) if place >= 0]
    if stops:
        text, footer = text[: min(stops)], ""
    reason: FinishReason = "stop"
    most = None if bounds.most_tokens is None else bounds.most_tokens * CHARACTERS_A_TOKEN
    if most is not None and len(text) > most:
        text, footer, reason = _HALF_MARKER.sub("", text[:most]), "", "length"
    elif most is not None and len(text) + len(footer) > most:
        footer = ""
    if len(text) < len(answer.text):
        answer = _left_of(answer, text)
    return CutAnswer(answer=answer, footer=footer, finish_reason=reason)


def tokens_of(text: str) -> int:
    """Estimate tokens at four characters each."""
    return -(-len(text) // CHARACTERS_A_TOKEN)


def markers_in(text: str, numbers: Sequence[int]) -> list[tuple[int, int, int]]:
    """Return each marker ``[n]`` of one of ``numbers`` in ``text``: its number, where it starts and where it ends."""
    known = set(numbers)
    return [
        (int(match.group(1)), match.start(), match.end())
        for match in _MARKER.finditer(text)
        if int(match.group(1)) in known
    ]


def _left_of(answer: Answer, text: str) -> Answer:
    left = {number for number, _, _ in markers_in(text, [each.number for each in answer.citations])}
    return answer.model_copy(
        update={
            "text": text,
            "citations": tuple(each for each in answer.citations if each.number in left),
            "sentences": tuple(
                each for each in answer.sentences if left.issuperset(each.citations) and _stem(each.text) in text
            ),
        }
    )


def _stem(sentence: str) -> str:
    # A marker stands before the mark that ends its sentence.
    return sentence.rstrip(_END_MARKS)
