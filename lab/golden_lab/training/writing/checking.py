"""What a question must be to be trained on, as far as its words and its place tell."""

import re
from collections.abc import Container

from contracts.verdicts import WrittenQuestion
from golden_lab.training.writing.cutting import SourcePassage, line_mark
from intrinsics.question_writing.standing import gives_away, stands_alone
from tools.language import STOP_WORDS, find_words, fold
from tools.reading.concepts import is_code

NOTHING_ASKED = "the passage states nothing to ask about"
NOT_ALONE = "the question cannot be understood without its passage"
GIVEN_AWAY = "the answer stands in the question"
SAYS_NOTHING = "the question is made of words that say nothing"
FURNITURE = "it asks about the page, not about what the page tells"
AMBIGUOUS = "it asks for the meaning of a term that has several"
HEADLESS = "it asks about a row whose header stands in another passage"
ASKED_BEFORE = "the question was asked before, in these words or others"
NOT_ANSWERED = "the passage does not answer it by our own judgement"
UNREADABLE = "the language model's reply could not be read"

_SAY_NOTHING = STOP_WORDS | frozenset(
    """
    what which who whom whose when where why how many much long often is are was were do does did stand value name
    number fills gap the in of for
    """.split()  # noqa: SIM905
)
# What is printed on pages by those who print: numbers of pages and versions, rights, contents.
_PRINTED = re.compile(
    r"\bpage \d+|©|\bcopyright\b|\ball rights reserved\b|\b(?:document|doc\.?) (?:no|number|id)\b|"
    r"\b(?:revision|change|version) history\b|\btable of contents\b|\blast (?:modified|updated|changed|revised)\b|"
    r"\bprinted on\b|\bfor internal use\b|\.{5,}\s*\d+\s*$",
    re.IGNORECASE,
)
_CLASSIFIED = re.compile(r"^\W*(?:strictly )?(?:confidential|proprietary|internal|draft)\b", re.IGNORECASE)
_LABEL_WORDS = 6
# What it is other than, or the same as, stands elsewhere.
_RELATIVE = re.compile(r"^(?:the other|another|the same|such)\b", re.IGNORECASE)
_DEFINES = re.compile(r"^What (?:does (?P<short>.+) stand for|(?:is|are) (?:the |an? )?(?P<named>[^ ]+))\?$")


def fault_of(written: WrittenQuestion, passage: SourcePassage, ambiguous: Container[str] = ()) -> str:
    """Return why a question is not to be trained on, or "" where nothing is wrong with its words.

    ``ambiguous`` are the folded terms with several meanings: what they mean is no question for one passage alone.
    """
    if written.evidence.start < passage.headless:
        return HEADLESS
    asked = find_words(written.question)
    if not any(is_code(word.text) or fold(word.text) not in _SAY_NOTHING for word in asked):
        return SAYS_NOTHING
    if gives_away(written.question, written.answer):
        return GIVEN_AWAY
    if _is_furniture(written, passage):
        return FURNITURE
    defined = _DEFINES.match(written.question)
    if defined and fold(defined.group("short") or defined.group("named")) in ambiguous:
        return AMBIGUOUS
    alone = stands_alone(written.question, written.answer) and not _RELATIVE.match(written.answer)
    return "" if alone else NOT_ALONE


def _is_furniture(written: WrittenQuestion, passage: SourcePassage) -> bool:
    text = passage.passage.text
    start = text.rfind("\n", 0, written.evidence.start) + 1
    end = text.find("\n", written.evidence.end)
    line = text[start : end if end >= 0 else len(text)].strip()
    label = len(line.split()) <= _LABEL_WORDS and bool(_CLASSIFIED.match(line))
    printed = _PRINTED.search(line) or _PRINTED.search(written.question)
    return bool(printed) or label or line_mark(line) in passage.repeated
