"""Foreseeing: a draft's sentences are checked as they end, while the writer goes on with the next."""

from collections.abc import Sequence
from typing import Protocol

from agent.composing import sentences_of
from agent.questions import remove_markers
from contracts.text import Passage

_END_MARKS = (".", "!", "?", "…", "。", "！", "？")


class SentenceForeseer(Protocol):
    """Begins to judge a sentence of which the verdict will be asked for."""

    def foresee(self, question: str, sentence: str, passages: Sequence[Passage]) -> None:
        """Begin to judge ``sentence`` against ``passages``; must be called on the event loop and returns at once."""
        ...


class DraftFollower:
    """Hands each sentence of a draft to ``foreseers`` when it has ended.

    What is foreseen in vain (a full stop was none, the draft begins anew) costs its computing and nothing else: the
    verdicts are asked for by the sentences of the whole draft.
    """

    def __init__(self, foreseers: Sequence[SentenceForeseer], question: str, passages: Sequence[Passage]) -> None:
        self._foreseers = tuple(foreseers)
        self._question = question
        self._passages = tuple(passages)
        self._seen: set[str] = set()
        self._ended = ""

    def follow(self, streamed: str, piece: str) -> None:
        """Look at the draft so far, ``streamed``, of which ``piece`` came last."""
        if not self._foreseers or not any(mark in piece for mark in (*_END_MARKS, "\n")):
            return
        text = remove_markers(streamed).strip()
        # To cut a draft into sentences costs more the longer it is: what has ended before is not cut again.
        if not text.startswith(self._ended):
            self._ended = ""
        sentences = sentences_of(text[len(self._ended) :])
        ended = sentences if _has_ended(text) else sentences[:-1]
        if len(ended) > 1:
            # The last one that has ended may yet prove to be the beginning of a longer one.
            self._ended = text[: len(self._ended) + ended[-1].span.start]
        for sentence in ended:
            if sentence.text not in self._seen:
                self._seen.add(sentence.text)
                for foreseer in self._foreseers:
                    foreseer.foresee(self._question, sentence.text, self._passages)


def _has_ended(text: str) -> bool:
    # "1." is the number of a list's item or the beginning of 1.5 as often as it is an end.
    return text.endswith(_END_MARKS) and not text[-2:-1].isdigit()
