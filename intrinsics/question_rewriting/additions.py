"""Detects what a rewritten question adds to the conversation."""

import re

from tools.language import content_stems, find_quantities, find_words, fold

# A rewrite only replaces pronouns with nouns: if a larger share of its words is new, it is something else, for example
# an answer.
_MOST_NEW_WORDS = 0.34
_CODE = re.compile(r"\w*\d\w*|\w*[A-Z]\w*[A-Z]\w*")


def find_addition(rewritten: str, said: str) -> str:
    """Explain what ``rewritten`` adds to ``said``, the conversation including the question; return "" if the rewrite is
    usable.

    New numbers, codes and abbreviations are not allowed, nor is a text with many new words.
    """
    if not find_words(rewritten):
        return "there are no words in the question"
    codes = {fold(code) for code in _CODE.findall(said)} | {each.number for each in find_quantities(said)}
    new = [code for code in _CODE.findall(rewritten) if fold(code) not in codes]
    if new:
        return f"{new[0]!r} is neither in the question nor in the conversation"
    stems, own = set(content_stems(said)), content_stems(rewritten)
    if sum(stem not in stems for stem in own) > _MOST_NEW_WORDS * len(own):
        return "most of these words are neither in the question nor in the conversation"
    return ""
