"""The sentences of a quote that tell the answer: one, with those that it points back to."""

import re
from collections.abc import Sequence

from contracts.text import Span
from tools.reading.concepts import coverage, read_words
from tools.reading.features import QuestionView, conflict_of

# By so much more of the question's words another sentence is taken for the one that answers.
_CLEARLY_MORE = 0.4
# A sentence that begins so is about what the sentence before it names.
POINTS_BACK = re.compile(
    r"^(?:\W*)(?:it|its|this|that|these|those|they|their|he|she|such|both|either|each|however|therefore|thus|hence|"
    r"otherwise|also|then|instead|in (?:this|that|such|either|both|these|those) \w+|for (?:this|that) \w+|"
    r"doing (?:so|this)|if so|if not|as a result|the (?:latter|former|same))\b",
    re.IGNORECASE,
)


def told_span(view: QuestionView, text: str, sentences: Sequence[Span], key: Span) -> Span:
    """Return the one of ``sentences`` at ``key``, a place in ``text``, with those around it that it needs.

    Where another sentence holds clearly more of the question's words, it is that one, and any that holds more of them
    where the one at ``key`` is about a sibling of a code that was asked for.
    """
    at = next((n for n, each in enumerate(sentences) if key.start < each.end), len(sentences) - 1)
    held = [coverage(view.concepts, read_words(text[each.start : each.end])) for each in sentences]
    if held[at] < max(held) - _CLEARLY_MORE:
        at = held.index(max(held))
    if conflict_of(view, text[sentences[at].start : sentences[at].end], "") and held[at] < max(held):
        at = held.index(max(held))
    first, last = at, at
    while first > 0 and POINTS_BACK.match(text[sentences[first].start : sentences[first].end]):
        first -= 1
    while last + 1 < len(sentences) and text[sentences[last].start : sentences[last].end].rstrip().endswith("?"):
        # A question is answered behind it.
        last += 1
    if last + 1 < len(sentences) and POINTS_BACK.match(text[sentences[last + 1].start : sentences[last + 1].end]):
        last += 1
    return Span(sentences[first].start, sentences[last].end)
