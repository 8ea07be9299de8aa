"""Claims: what of an answer's sentence states something that passages could support."""

import re

from tools.language import find_words

# A number, name or negation that contradicts the passages decides, whatever the rest of the sentence resembles: then
# "faithful" has this probability at most.
CONTRADICTED_PROBABILITY = 0.1

_MARKERS = re.compile(r"\s*\[\d+(?:\s*[,;–-]\s*\d+)*\]|[*`]{1,3}|^\s*(?:[-•*>#]+|\(?\d{1,2}[.)])\s+", re.MULTILINE)
_NO_CLAIM = re.compile(
    r"^(?:hi|hello|hey|dear|sure|certainly|of course|thanks?|thank you|you'?re welcome|great question|good question|"
    r"sources?|references?|see also|answer|summary|note)\b[\s,!.:]*(?:there|you|the|all|everyone)?[\s!.:]*$|"
    r"^(?:i hope|hope this|let me know|feel free|please (?:let|ask|contact|note that i)|happy to|"
    r"if you have (?:any|more|further)|"
    r"i(?:'m| am) (?:sorry|afraid|not sure|unable)|i (?:do not|don't|cannot|can't|could not|couldn't)|"
    r"sources?\s*:|references?\s*:|see also\b)|"
    r"^(?:here (?:is|are)|the following (?:is|are)|according to|based on|"
    r"as (?:stated|described|shown|mentioned) in|from)\b"
    r"[^.]{0,80}:$|"
    r"^(?:based on|according to) (?:the |these |your )?(?:given |provided |above )?"
    r"(?:passages?|documents?|context|information|text)"
    r"(?: provided| given| above)?[\s,.:]*$",
    re.IGNORECASE,
)
_NOTHING_FOUND = re.compile(
    r"\b(?:passages?|documents?|context|information|text|sources?)\b.{0,40}\b(?:do|does|did)"
    r"(?: not|n['’]t)\s+(?:\w+\s+)?"
    r"(?:mention|provide|contain|say|specify|include|give|state|explain|describe|answer)|"
    r"^(?:therefore,? |so,? |thus,? |however,? )?(?:it is|it's) (?:difficult|not possible|impossible|unclear)\b|"
    r"^unable to answer\b|^(?:sure|certainly|of course)\b.{0,30}\bhelp\b|\bhere(?:'s| is| are)\b.{0,120}:$|"
    r"\byou can follow these steps:?$",
    re.IGNORECASE,
)
# Where an answer speaks of its passages by number, the number claims nothing.
_REFERENCE = re.compile(
    r"\s*\((?:see )?passages? \d+(?:(?:,| and|, and) \d+)*\)|"
    r"^(?:according to|based on|as (?:stated|mentioned|described|noted) in)\s+(?:the |these |your )?"
    r"(?:given |provided |above )?(?:passages?|documents?|handbook|manual|context|information|text)(?: \d+)?,\s*|"
    r"^passage \d+ (?:also )?(?:mentions|says|states|suggests|notes|explains|indicates)(?: that)?\s+",
    re.IGNORECASE,
)
_YES_NO = re.compile(r"^(?:yes|no|correct|right|true|false|indeed)\b\s*[,.:;!–—-]*\s*", re.IGNORECASE)


def plain_sentence(sentence: str) -> str:
    """Return ``sentence`` without citation markers, emphasis, list marks, a leading yes or no, and references."""
    text = _YES_NO.sub("", _MARKERS.sub("", sentence).strip()).strip()
    return _REFERENCE.sub("", text).strip()


def makes_claim(sentence: str) -> bool:
    """Say whether ``sentence`` states something that passages could support; a greeting, hedge or question does not."""
    if not find_words(sentence) or sentence.endswith("?"):
        return False
    return not _NO_CLAIM.match(sentence) and not _NOTHING_FOUND.search(sentence)
