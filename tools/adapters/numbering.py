"""Sentence marks, by which an adapter speaks of the sentences of an answer or of passages."""

import re
from collections.abc import Sequence

from contracts.text import Passage

# Text of others must not pass for the model's own marks: its roles, or the numbers of sentences.
_ROLE_MARK = re.compile(r"<(?=\|)")
_SENTENCE_MARK = re.compile(r"<(?=[a-z]\d+>)")


def mark_sentences(sentences: Sequence[str], letter: str, first: int = 0) -> str:
    """Join sentences with a mark in front of each: "<r0> One. <r1> Two."; letter "": with spaces alone.

    Source: the sentence marks of the Granite adapters (arXiv 2504.11704, sections 8.1 and 9.1).
    """
    texts = [defused(sentence).strip() for sentence in sentences]
    return " ".join(f"<{letter}{number}> {text}" if letter else text for number, text in enumerate(texts, first))


def passage_sentences(passage: Passage) -> tuple[str, ...]:
    """Return the sentences of a passage, in the order of ``passage.sentences``; all of its text where it has none.

    What stands between two of them goes with the second, what follows the last with that.
    """
    if not passage.sentences:
        return (passage.text,)
    starts = [0, *(span.end for span in passage.sentences[:-1])]
    ends = [*(span.end for span in passage.sentences[:-1]), len(passage.text)]
    return tuple(passage.text[start:end].strip() for start, end in zip(starts, ends, strict=True))


def defused(text: str) -> str:
    """Return ``text`` with a space in what would read as a role's or a sentence's mark: "< |end_of_text|>"."""
    return _SENTENCE_MARK.sub("< ", _ROLE_MARK.sub("< ", text))
