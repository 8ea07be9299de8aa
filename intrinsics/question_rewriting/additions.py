"""What a rewritten question adds to the conversation."""

import re

from tools.language import content_stems, find_quantities, find_words, fold

# A rewrite replaces pronouns with nouns: if a larger share of its words is new, it is something else, such as an
# answer.
_MOST_NEW_WORDS = 0.34
_CODE = re.compile(r"\w*\d\w*|\w*[A-Z]\w*[A-Z]\w*")


def find_addition(rewritten: str, said: str) -> str:
    """Return what is wrong with ``rewritten`` compared with ``said``, the conversation with its question; "" if nothing
    is.

    A new number, code or abbreviation is wrong, and so is a text of mostly new words.
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
