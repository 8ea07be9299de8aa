"""Abstention: recognises answers that say they do not know."""

import re

from tools.language.sentences import split_sentences

_ABOUT_SOURCES = r"(?:passages?|documents?|contexts?|texts?|sources?|information|excerpts?)"
_PATTERNS = (
    r"\b(?:i|we)(?: am| are|'m|'re)? (?:do not|don['’]t|cannot|can['’]t|could not|couldn['’]t|not able to|unable to) "
    r"(?:know|answer|find|say|tell|determine)\b",
    r"\b(?:i|we)(?: am|['’]m| are|['’]re) (?:not sure|unable|not able)\b",
    rf"\b{_ABOUT_SOURCES}\b[^.]{{0,60}}\b(?:do(?:es)? not|don['’]t|doesn['’]t) "
    r"(?:hold|contain|mention|say|state|give|provide|include|specify|describe|explain|answer|cover)\b",
    rf"\bno (?:answer|information|mention)\b[^.]{{0,60}}\b{_ABOUT_SOURCES}\b",
    rf"\bnot (?:mentioned|stated|given|provided|specified|described|contained|found|covered) in\b[^.]{{0,40}}"
    rf"\b{_ABOUT_SOURCES}\b",
    r"^(?:unknown|not known|no answer)\.?$",
)
_UNKNOWING = re.compile("|".join(_PATTERNS), re.IGNORECASE)
# A longer answer says more than "I do not know".
_MOST_SENTENCES = 2


def says_unknown(text: str) -> bool:
    """Return whether ``text`` only says "I do not know": its first sentence says so, and hardly anything follows.

    Empty text also counts as not knowing.

    Source: the "I don't know" judge of Danilevsky et al., "A Library of LLM Intrinsics for Retrieval-Augmented
    Generation", section 10.1.2, decides this with a language model; the patterns here are ours.
    """
    sentences = split_sentences(text)
    if not sentences:
        return True
    first = text[sentences[0].start : sentences[0].end]
    return len(sentences) <= _MOST_SENTENCES and _UNKNOWING.search(first.strip()) is not None
